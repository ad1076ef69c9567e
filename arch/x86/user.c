// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: user mode's registers. An NMI comes at any instruction of the kernel's entry,
 * and there the task's pt_regs are those of its last entry, or some of each.
 *
 * SYSCALL leaves the stack alone and the program counter in RCX (SDM vol. 2, SYSCALL);
 * what the entry then pushes are pt_regs, from their end down. Interrupts and
 * exceptions begin on the entry stack, where the CPU itself pushes SS, RSP, RFLAGS, CS
 * and RIP at once (SDM vol. 3, 6.14.2), and move to the task's stack with all of them.
 * The ways out are the same backwards, but pt_regs stay as they were.
 */
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <asm/cpu_entry_area.h>

#include "../hwpmc_arch.h"
#include "user.h"

/* No stack of the kernel's is below, with five levels of page tables either. */
#define KERNEL_LEAST	(-1UL << 56)

/* What the CPU pushes at the entry stack's end. */
struct pushed {
	u64 ip, cs, flags, sp, ss;
};

/* On a stack of the user's, or on none: a CR3 may be kept in its place. */
static bool on_user_stack(u64 sp)
{
	return sp < KERNEL_LEAST;
}

static bool above(u64 sp, const struct pt_regs *saved)
{
	return sp > (u64)saved && sp <= (u64)(saved + 1);
}

bool x86_user_passing(const struct pt_regs *regs, const struct pt_regs *saved,
		      const struct entry_stack *stack, u64 *pc)
{
	const struct pushed *pushed = (const struct pushed *)(stack + 1) - 1;
	u64 sp = regs->sp;

	if (on_user_stack(sp) || (above(sp, saved) && sp > (u64)&saved->ip)) {
		/* Of SYSENTER nothing says where from; it is always the same place. */
		*pc = user_64bit_mode((struct pt_regs *)saved) ? regs->cx : saved->ip;
		return true;
	}
	if (above(sp, saved)) {
		*pc = saved->ip;
		return true;
	}
	if (sp > (u64)stack && sp <= (u64)(stack + 1)) {
		/* On the way out it is not there yet. */
		*pc = sp <= (u64)pushed ? pushed->ip : saved->ip;
		return true;
	}
	return false;
}

bool hwpmc_arch_user_passing(const struct pt_regs *regs, u64 *pc)
{
	return x86_user_passing(regs, task_pt_regs(current),
				cpu_entry_stack(smp_processor_id()), pc);
}
