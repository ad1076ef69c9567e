// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: detect an NMI during the kernel's entry or exit, when pt_regs are incomplete. The task's
 * pt_regs are then those of an earlier entry, or a mixture of both.
 *
 * SYSCALL does not change the stack pointer and saves the program counter to RCX (SDM vol. 2,
 * SYSCALL); the entry code then pushes pt_regs, from their end down. Interrupts and exceptions
 * begin on the entry stack, to which the CPU pushes SS, RSP, RFLAGS, CS and RIP (SDM vol. 3,
 * 6.14.2); their entry code moves all registers to the task's stack. Some begin on a stack of
 * their own. Exit reverses these steps and leaves pt_regs unchanged.
 *
 * A program can execute SYSCALL with any stack pointer, for example into another CPU's entry
 * stack, which has another program's counter. So the SYSCALL entry code is tested before the
 * entry stack.
 */
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/cpu_entry_area.h>
#include <asm/msr.h>

#include "../hwpmc_arch.h"
#include "entry.h"

/* Lower limit of kernel stacks, also with five-level page tables */
#define KERNEL_MIN	(-1UL << 56)
/*
 * Upper limit of the size of SYSCALL's entry and exit code. Other code within this distance runs
 * on the task's stack only, which is tested first.
 */
#define SYSCALL_SIZE	512

/* What the CPU pushes to the end of the entry stack */
struct x86_entry_frame {
	u64 ip, cs, flags, sp, ss;
};

static DEFINE_PER_CPU(struct x86_entry_points, x86_entry_cpu_points);

/* On the task's stack below pt_regs, which are complete then */
static bool x86_entry_sp_below(u64 sp, const struct pt_regs *saved)
{
	return sp <= (u64)saved && sp > (u64)(saved + 1) - THREAD_SIZE;
}

/* On the task's stack within pt_regs: they are being pushed or popped. */
static bool x86_entry_sp_within(u64 sp, const struct pt_regs *saved)
{
	return sp > (u64)saved && sp <= (u64)(saved + 1);
}

static bool x86_entry_is_syscall(u64 ip, const struct x86_entry_points *points)
{
	return (points->syscall[0] && ip - points->syscall[0] < SYSCALL_SIZE) ||
	       (points->syscall[1] && ip - points->syscall[1] < SYSCALL_SIZE);
}

bool x86_entry_in_progress(const struct pt_regs *regs, const struct pt_regs *saved,
			   const struct x86_entry_points *points, u64 *pc)
{
	const struct x86_entry_frame *frame =
		(const struct x86_entry_frame *)(points->stack + 1) - 1;
	bool narrow = !user_64bit_mode((struct pt_regs *)saved);
	u64 sp = regs->sp;

	if (x86_entry_sp_below(sp, saved)) {
		/* SYSENTER saves no program counter; the entry code fills it in later. */
		if (likely(!narrow || saved->ip))
			return false;
		*pc = 0;
	} else if (x86_entry_sp_within(sp, saved)) {
		*pc = narrow || sp <= (u64)&saved->ip ? saved->ip : regs->cx;
	} else if (sp < KERNEL_MIN || x86_entry_is_syscall(regs->ip, points)) {
		/* On the user's stack, or the stack pointer holds a CR3 value for a moment. */
		*pc = regs->cx;
	} else if (sp > (u64)points->stack && sp <= (u64)(points->stack + 1)) {
		/* On exit the frame may not be written yet. */
		*pc = sp <= (u64)frame ? frame->ip : saved->ip;
	} else if (sp > points->exceptions && sp <= points->exceptions_end) {
		*pc = 0;
	} else {
		return false;
	}
	return true;
}

bool hwpmc_arch_user_passing(const struct pt_regs *regs, u64 *pc)
{
	return x86_entry_in_progress(regs, task_pt_regs(current),
				     this_cpu_ptr(&x86_entry_cpu_points), pc);
}

/* A CPU without SYSCALL lacks the MSR. */
static u64 x86_entry_syscall_address(u32 msr)
{
	u32 low, high;

	return rdmsr_safe(msr, &low, &high) ? 0 : (u64)high << 32 | low;
}

void x86_entry_init(void)
{
	/* Both have the same value on all CPUs. */
	const u64 wide = x86_entry_syscall_address(MSR_LSTAR);
	const u64 narrow = x86_entry_syscall_address(MSR_CSTAR);
	int cpu;

	for_each_possible_cpu(cpu) {
		struct cpu_entry_area *area = get_cpu_entry_area(cpu);

		per_cpu(x86_entry_cpu_points, cpu) = (struct x86_entry_points){
			.syscall = { wide, narrow },
			.stack = &area->entry_stack_page.stack,
			.exceptions = (u64)&area->estacks,
			.exceptions_end = (u64)(&area->estacks + 1),
		};
	}
}
