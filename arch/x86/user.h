/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: user mode's registers, on their way into pt_regs and out again. */
#ifndef HWPMC_X86_USER_H
#define HWPMC_X86_USER_H

#include <asm/processor.h>
#include <asm/ptrace.h>

/**
 * x86_user_passing - whether the CPU is between user mode and the kernel's own code
 * @regs: what was interrupted, in kernel mode
 * @saved: the task's, as its last entry left them
 * @stack: the CPU's entry stack
 * @pc: where user mode was left, if it is; unchanged if not
 *
 * By the stack it is on: the user's, the entry stack, or the task's above @saved.
 * A pure function.
 */
bool x86_user_passing(const struct pt_regs *regs, const struct pt_regs *saved,
		      const struct entry_stack *stack, u64 *pc);

#endif /* HWPMC_X86_USER_H */
