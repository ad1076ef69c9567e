/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: detect an NMI during the kernel's entry or exit, when pt_regs are incomplete. */
#ifndef HWPMC_X86_ENTRY_H
#define HWPMC_X86_ENTRY_H

#include <asm/processor.h>
#include <asm/ptrace.h>

/**
 * struct x86_entry_points - where a CPU enters the kernel
 * @syscall: addresses of the SYSCALL entry code for 64-bit and for 32-bit programs; 0 if none
 * @stack: the entry stack, on which interrupts and exceptions begin
 * @exceptions: lowest address of the stacks of exceptions that have a stack of their own
 * @exceptions_end: first address after these stacks
 */
struct x86_entry_points {
	u64 syscall[2];
	const struct entry_stack *stack;
	u64 exceptions;
	u64 exceptions_end;
};

/**
 * x86_entry_in_progress - whether the CPU is in the kernel's entry or exit code
 * @regs: registers of the interrupted code, in kernel mode
 * @saved: the task's pt_regs on its stack, possibly from an earlier entry
 * @points: of the CPU
 * @pc: out: if it is, the program counter at which user mode was left, or 0 if unknown; else
 *	unchanged
 *
 * A pure function. Context: NMI.
 */
bool x86_entry_in_progress(const struct pt_regs *regs, const struct pt_regs *saved,
			   const struct x86_entry_points *points, u64 *pc);

/** x86_entry_init - find the entry points of every CPU. Once, before the first sample */
void x86_entry_init(void);

#endif /* HWPMC_X86_ENTRY_H */
