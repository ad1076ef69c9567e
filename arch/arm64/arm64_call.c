// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: the arguments of a function of a program (AAPCS64 and AAPCS32, "Parameter passing"), in
 * registers and then on the stack, and where it returns to. Called by the core when a probe of the
 * function fires.
 */
#include <linux/uaccess.h>
#include <asm/ptrace.h>

#include <hwpmc_arch_inline.h>

/* X0 to X7, or R0 to R3 in 32-bit code */
#define IN_REGISTERS	8U
#define IN_REGISTERS32	4U

static u64 on_stack(u64 at, u64 size)
{
	u64 word = 0;

	return copy_from_user_nofault(&word, (void __user *)at, size) ? 0 : word;
}

void hwpmc_arch_call_args(const struct pt_regs *regs, u64 *to, unsigned int count)
{
	bool narrow = compat_user_mode(regs);
	unsigned int i, registers = narrow ? IN_REGISTERS32 : IN_REGISTERS;
	u64 size = narrow ? sizeof(u32) : sizeof(u64);
	/* In 32-bit code the stack pointer is R13. */
	u64 sp = narrow ? regs->compat_sp : regs->sp;

	for (i = 0; i < count; i++)
		to[i] = i < registers ? regs->regs[i] : on_stack(sp + (i - registers) * size, size);
}

/* LR, which is R14 in 32-bit code, where bit 0 marks Thumb code */
u64 hwpmc_arch_call_caller(const struct pt_regs *regs)
{
	return compat_user_mode(regs) ? regs->compat_lr & ~1ULL : regs->regs[30];
}
