/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of the kernel's functions. */
#ifndef HWPMC_SYMBOL_H
#define HWPMC_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

/* Looks up a symbol in /proc/kallsyms. */
uint64_t kernel_symbol(const char *name);
/* The address of the next symbol after one at @start. */
uint64_t kernel_symbol_end(uint64_t start);

/* The entry code of system calls, and the most bytes that it has. */
uint64_t kernel_entry(void);
#define KERNEL_ENTRY_SIZE	512

/* Sets the ranges of the kernel's entry and exit code that NMIs can sample. */
struct kernel_ways {
	uint64_t entry, entry_end;
	uint64_t sync_regs, sync_regs_end;	/* the entry code of exceptions calls this */
};

struct kernel_ways kernel_ways(void);
bool on_kernel_ways(const struct kernel_ways *ways, uint64_t pc);

#endif /* HWPMC_SYMBOL_H */
