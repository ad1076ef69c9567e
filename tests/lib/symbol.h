/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of the kernel's functions. */
#ifndef HWPMC_SYMBOL_H
#define HWPMC_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

/* Looks up a symbol in /proc/kallsyms. */
uint64_t kernel_symbol(const char *name);
/* Returns the address of the next symbol after @start. */
uint64_t kernel_symbol_end(uint64_t start);

/* Returns the address of the entry code for system calls, of at most KERNEL_ENTRY_SIZE bytes. */
uint64_t kernel_entry(void);
#define KERNEL_ENTRY_SIZE	512

/* Ranges of the kernel's entry and exit code, which NMIs can interrupt; empty on arm64. */
struct kernel_ways {
	uint64_t entry, entry_end;
	uint64_t sync_regs, sync_regs_end;	/* the entry code of exceptions calls this */
};

struct kernel_ways kernel_ways(void);
bool on_kernel_ways(const struct kernel_ways *ways, uint64_t pc);

#endif /* HWPMC_SYMBOL_H */
