/* SPDX-License-Identifier: GPL-2.0-only */
/* What the owner of a log calls a task: its numbers in the owner's PID namespace. */
#ifndef HWPMC_PID_H
#define HWPMC_PID_H

#include <linux/compiler.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

#include "../base/owner.h"
#include "context.h"

/* Of a number, where 0 stands for none. */
static inline s32 hwpmc_pid_shown(pid_t nr)
{
	return nr ? nr : -1;
}

/*
 * As pid_nr_ns(), but not three calls away: every sample wants two numbers. @pid is
 * current's, maybe NULL: then it is exiting, and past where its numbers were its.
 */
static inline s32 hwpmc_pid_here(const struct pid *pid, const struct pid_namespace *ns)
{
	const struct upid *number;

	if (unlikely(!pid || ns->level > pid->level))
		return -1;
	number = &pid->numbers[ns->level];
	return likely(number->ns == ns) ? number->nr : -1;
}

/**
 * hwpmc_pid_numbers - how an owner calls current, or a thread that exits
 * @owner: in whose PID namespace
 * @th: its record, or NULL: it remembers what an exiting task forgets
 * @pid: out: its process; 0 the idle task, -1 not visible
 * @tid: out: its thread, likewise
 *
 * Context: interrupts off, which keeps RCU from freeing a number; maybe NMI.
 */
static inline void hwpmc_pid_numbers(const struct hwpmc_owner *owner,
				     const struct hwpmc_thread *th, s32 *pid, s32 *tid)
{
	const struct pid *thread = th ? READ_ONCE(th->last_pid) : NULL;
	const struct pid_namespace *ns = owner->pid_ns;

	if (unlikely(thread)) {
		*pid = hwpmc_pid_here(th->last_tgid, ns);
		*tid = hwpmc_pid_here(thread, ns);
	} else if (unlikely(!current->pid)) {
		*pid = 0;
		*tid = 0;
	} else {
		*pid = hwpmc_pid_here(READ_ONCE(current->signal->pids[PIDTYPE_TGID]), ns);
		*tid = hwpmc_pid_here(READ_ONCE(current->thread_pid), ns);
	}
}

#endif /* HWPMC_PID_H */
