// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: the arguments of a function of a program (System V ABI, "Parameter Passing"), in registers
 * and then on the stack, above the address that it returns to; in 32-bit code all on the stack.
 * Called by the core when a probe of the function fires.
 */
#include <linux/kernel.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>

#include <hwpmc_arch_inline.h>

static u64 on_stack(u64 at, u64 size)
{
	u64 word = 0;

	return copy_from_user_nofault(&word, (void __user *)at, size) ? 0 : word;
}

void hwpmc_arch_call_args(const struct pt_regs *regs, u64 *to, unsigned int count)
{
	const u64 all[] = { regs->di, regs->si, regs->dx, regs->cx, regs->r8, regs->r9 };
	bool narrow = hwpmc_arch_user_is_32bit(regs);
	unsigned int i, registers = narrow ? 0 : ARRAY_SIZE(all);
	u64 size = narrow ? sizeof(u32) : sizeof(u64);

	for (i = 0; i < count; i++)
		to[i] = i < registers ? all[i] :
					on_stack(regs->sp + (1 + i - registers) * size, size);
}

u64 hwpmc_arch_call_caller(const struct pt_regs *regs)
{
	return on_stack(regs->sp, hwpmc_arch_user_is_32bit(regs) ? sizeof(u32) : sizeof(u64));
}
