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

struct kernel_text {
	uint64_t start, end;
};

/* The ways into the kernel and out of it, where samples can be: nowhere if no NMI takes them. */
struct kernel_text kernel_ways(void);
bool in_kernel_text(const struct kernel_text *text, uint64_t pc);

#endif /* HWPMC_SYMBOL_H */
