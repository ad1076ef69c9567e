// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: user mode's registers. An NMI comes at any instruction of the kernel's entry,
 * and there the task's pt_regs are those of its last entry, or some of each.
 *
 * SYSCALL leaves the stack alone and the program counter in RCX (SDM vol. 2, SYSCALL);
 * what the entry then pushes are pt_regs, from their end down. Interrupts and
 * exceptions begin on the entry stack, where the CPU itself pushes SS, RSP, RFLAGS, CS
 * and RIP at once (SDM vol. 3, 6.14.2), and move to the task's stack with all of them;
 * some begin on a stack of their own. The ways out are the same backwards, but pt_regs
 * stay as they were.
 *
 * A program may make SYSCALL with any stack pointer, that of another CPU's entry stack
 * say, where somebody else's program counter is: so the entry is asked for first.
 */
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/cpu_entry_area.h>
#include <asm/msr.h>

#include "../hwpmc_arch.h"
#include "entry.h"

/* No stack of the kernel's is below, with five levels of page tables either. */
#define KERNEL_LEAST	(-1UL << 56)
/* SYSCALL's entry and exit, at most; nothing is near that runs on another stack but the task's. */
#define SYSCALL_SIZE	512

/* What the CPU pushes at the entry stack's end. */
struct pushed {
	u64 ip, cs, flags, sp, ss;
};

static DEFINE_PER_CPU(struct x86_entry_points, x86_entry_points);

/* On the task's stack, with all pt_regs behind it. */
static bool below(u64 sp, const struct pt_regs *saved)
{
	return sp <= (u64)saved && sp > (u64)(saved + 1) - THREAD_SIZE;
}

static bool among(u64 sp, const struct pt_regs *saved)
{
	return sp > (u64)saved && sp <= (u64)(saved + 1);
}

static bool in_syscall(u64 ip, const struct x86_entry_points *ways)
{
	return (ways->syscall[0] && ip - ways->syscall[0] < SYSCALL_SIZE) ||
	       (ways->syscall[1] && ip - ways->syscall[1] < SYSCALL_SIZE);
}

bool x86_entry_in_progress(const struct pt_regs *regs, const struct pt_regs *saved,
		      const struct x86_entry_points *ways, u64 *pc)
{
	const struct pushed *pushed = (const struct pushed *)(ways->stack + 1) - 1;
	bool narrow = !user_64bit_mode((struct pt_regs *)saved);
	u64 sp = regs->sp;

	if (below(sp, saved)) {
		/* SYSENTER does not say where from; the kernel knows, but only later. */
		if (likely(!narrow || saved->ip))
			return false;
		*pc = 0;
	} else if (among(sp, saved)) {
		*pc = narrow || sp <= (u64)&saved->ip ? saved->ip : regs->cx;
	} else if (sp < KERNEL_LEAST || in_syscall(regs->ip, ways)) {
		/* On the user's stack, or on none: a CR3 may be in its place. */
		*pc = regs->cx;
	} else if (sp > (u64)ways->stack && sp <= (u64)(ways->stack + 1)) {
		/* On the way out it is not there yet. */
		*pc = sp <= (u64)pushed ? pushed->ip : saved->ip;
	} else if (sp > ways->exceptions && sp <= ways->exceptions_end) {
		*pc = 0;
	} else {
		return false;
	}
	return true;
}

bool hwpmc_arch_user_passing(const struct pt_regs *regs, u64 *pc)
{
	return x86_entry_in_progress(regs, task_pt_regs(current), this_cpu_ptr(&x86_entry_points), pc);
}

/* Who has no SYSCALL has no such register. */
static u64 entry_at(u32 msr)
{
	u32 low, high;

	return rdmsr_safe(msr, &low, &high) ? 0 : (u64)high << 32 | low;
}

void x86_entry_init(void)
{
	/* The same on all CPUs. */
	const u64 wide = entry_at(MSR_LSTAR), narrow = entry_at(MSR_CSTAR);
	int cpu;

	for_each_possible_cpu(cpu) {
		struct cpu_entry_area *area = get_cpu_entry_area(cpu);

		per_cpu(x86_entry_points, cpu) = (struct x86_entry_points){
			.syscall = { wide, narrow },
			.stack = &area->entry_stack_page.stack,
			.exceptions = (u64)&area->estacks,
			.exceptions_end = (u64)(&area->estacks + 1),
		};
	}
}
