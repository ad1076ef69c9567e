/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pid and tid of a task in records: its numbers in the PID namespace of the log's owner. Used
 * by emit.c, sample.c and task/process.c, in any context, NMI included.
 */
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

/**
 * hwpmc_pid_shown - a number as records and replies have it
 * @nr: as pid_nr_ns() returns it: 0 if the task is not visible in the namespace
 *
 * Return: @nr, or HWPMC_PID_HIDDEN for 0.
 */
static inline s32 hwpmc_pid_shown(pid_t nr)
{
	return nr ? nr : HWPMC_PID_HIDDEN;
}

/*
 * The number of @pid in @ns, or HWPMC_PID_HIDDEN. As pid_nr_ns(), but inline, since samples call
 * it. @pid is NULL if current is exiting and release_task() has detached its pid already. Samples
 * for an owner in the initial namespace have the number even then: it is read from the task.
 */
static inline s32 hwpmc_pid_in_ns(const struct pid *pid, const struct pid_namespace *ns)
{
	const struct upid *number;

	if (unlikely(!pid || ns->level > pid->level))
		return HWPMC_PID_HIDDEN;
	number = &pid->numbers[ns->level];
	return likely(number->ns == ns) ? number->nr : HWPMC_PID_HIDDEN;
}

/**
 * hwpmc_pid_initial - the pid and tid of current in the initial PID namespace, for a record
 * @pid: set to the process; 0: the idle task
 * @tid: set to the thread, likewise
 *
 * A task that is exiting has them, too. Context: any.
 */
static __always_inline void hwpmc_pid_initial(s32 *pid, s32 *tid)
{
	const struct task_struct *task = current;
	s32 process = task->tgid, thread = task->pid;

	*pid = process;
	*tid = thread;
}

/**
 * hwpmc_pid_numbers - the pid and tid of current, or of an exiting thread, for a record
 * @owner: owner of the log; the numbers are of its PID namespace
 * @th: record of the thread, or NULL for current without a record. It keeps the pids of an exiting
 *	task, which the task itself loses before its last switch
 * @pid: set to the process; 0: the idle task, -1: not visible in the namespace
 * @tid: set to the thread, likewise
 *
 * Inline, since every sample calls it. Context: interrupts off, or NMI: this keeps RCU from freeing
 * the pids.
 */
static inline void hwpmc_pid_numbers(const struct hwpmc_owner *owner,
				     const struct hwpmc_thread *th, s32 *pid, s32 *tid)
{
	const struct pid *thread = th ? READ_ONCE(th->last_pid) : NULL;
	const struct pid_namespace *ns = owner->pid_ns;

	if (unlikely(thread)) {
		*pid = hwpmc_pid_in_ns(th->last_tgid, ns);
		*tid = hwpmc_pid_in_ns(thread, ns);
	} else if (likely(ns == &init_pid_ns)) {
		/* The task has these numbers itself. The idle task's are 0. */
		hwpmc_pid_initial(pid, tid);
	} else if (unlikely(!current->pid)) {
		*pid = 0;
		*tid = 0;
	} else {
		*pid = hwpmc_pid_in_ns(READ_ONCE(current->signal->pids[PIDTYPE_TGID]), ns);
		*tid = hwpmc_pid_in_ns(READ_ONCE(current->thread_pid), ns);
	}
}

#endif /* HWPMC_PID_H */
