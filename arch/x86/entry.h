/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: user mode's registers, on their way into pt_regs and out again. */
#ifndef HWPMC_X86_ENTRY_H
#define HWPMC_X86_ENTRY_H

#include <asm/processor.h>
#include <asm/ptrace.h>

/**
 * struct x86_entry_points - how a CPU comes into the kernel
 * @syscall: where SYSCALL enters, from 64-bit code and from 32-bit code; 0 nowhere
 * @stack: where interrupts and exceptions begin
 * @exceptions: the stacks of those that have their own, lowest address
 * @exceptions_end: and the first behind them
 */
struct x86_entry_points {
	u64 syscall[2];
	const struct entry_stack *stack;
	u64 exceptions;
	u64 exceptions_end;
};

/**
 * x86_entry_in_progress - whether the CPU is between user mode and the kernel's own code
 * @regs: what was interrupted, in kernel mode
 * @saved: the task's, as its last entry left them; on its stack
 * @ways: the CPU's
 * @pc: where user mode was left, if it is; 0 if that is not known; unchanged if it is not
 *
 * A pure function.
 */
bool x86_entry_in_progress(const struct pt_regs *regs, const struct pt_regs *saved,
		      const struct x86_entry_points *ways, u64 *pc);

/** x86_entry_init - find the ways in. Once, before the first sample */
void x86_entry_init(void);

#endif /* HWPMC_X86_ENTRY_H */
