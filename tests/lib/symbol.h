/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the kernel's functions are. */
#ifndef HWPMC_SYMBOL_H
#define HWPMC_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

/* By /proc/kallsyms; dies if it is not there. */
uint64_t kernel_symbol(const char *name);

/* Where system calls enter the kernel; what it does there takes at most so many bytes. */
uint64_t kernel_entry(void);
#define KERNEL_ENTRY_SIZE	512

/* The ways into the kernel and out of it, as far as samples can be there: if NMIs take them. */
struct kernel_ways {
	uint64_t entry, entry_end;
	uint64_t sync_regs, sync_regs_end;	/* the entry of exceptions calls it */
};

struct kernel_ways kernel_ways(void);
bool on_kernel_ways(const struct kernel_ways *ways, uint64_t pc);

#endif /* HWPMC_SYMBOL_H */
