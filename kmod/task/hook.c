// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks a task: adds the preempt notifier of its thread record to the task's list of notifiers, or
 * removes it. Called by ATTACH (hook_target.c, hook_cpu.c), by polls (hook_poll.c), and by the
 * probes of fork and sched_switch, in any context but NMI.
 *
 * The list has no lock of its own; only the running task changes it. So it is changed only where no
 * other user can be in the middle of it:
 * - in the task itself;
 * - on a child that is not runnable yet (task_newtask);
 * - on a task that sleeps, under the lock without which nobody can wake it;
 * - in an interrupt that hit the task where it can be preempted: the list is used with
 *   preemption off (by the scheduler, and by KVM's vcpu_load());
 * - in the sched_switch probe, on the task that is scheduled in.
 *
 * The code that changes hwpmc_thread.hook from PENDING to another state (by cmpxchg) does the work
 * for the new state; every other attempt returns.
 */
#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "../pmc/context.h"
#include "hook.h"

static atomic64_t hwpmc_hook_waiting = ATOMIC64_INIT(0);

/* Returns false if @th was not PENDING: another context has claimed it. */
static bool hwpmc_hook_claim(struct hwpmc_thread *th, enum hwpmc_hook new)
{
	if (cmpxchg(&th->hook, HWPMC_HOOK_PENDING, new) != HWPMC_HOOK_PENDING)
		return false;
	atomic64_dec(&hwpmc_hook_waiting);
	return true;
}

/**
 * hwpmc_hook_thread - hook a thread if it waits to be hooked
 * @th: its record
 *
 * Context: one in which no other code can be using the task's list of notifiers, see the
 * top of this file; interrupts off.
 * Return: true if this call hooked it.
 */
bool hwpmc_hook_thread(struct hwpmc_thread *th)
{
	if (!hwpmc_hook_claim(th, HWPMC_HOOK_DONE))
		return false;
	hlist_add_head(&th->notifier.link, &th->task->preempt_notifiers);
	return true;
}

/**
 * hwpmc_hook_queue - mark a new thread as waiting to be hooked
 * @th: its record; in the table of threads, not marked before
 *
 * Context: the lock of @th's context held, interrupts off. hwpmc_hook_target_now() hooks it.
 */
void hwpmc_hook_queue(struct hwpmc_thread *th)
{
	atomic64_inc(&hwpmc_hook_waiting);
	/* Another CPU may hook it from here on, so this is last: it releases the stores above. */
	smp_store_release(&th->hook, HWPMC_HOOK_PENDING);
}

/*
 * Cancel the hooking of @th. Returns false if it does not wait to be hooked. Any context but NMI.
 */
bool hwpmc_hook_cancel(struct hwpmc_thread *th)
{
	return hwpmc_hook_claim(th, HWPMC_HOOK_CANCELLED);
}

/**
 * hwpmc_hook_child - hook a child in the probe of its fork
 * @th: its record; new, never queued
 *
 * Context: any; the child cannot run yet, so its list of notifiers is not in use.
 */
void hwpmc_hook_child(struct hwpmc_thread *th)
{
	th->hook = HWPMC_HOOK_DONE;
	hlist_add_head(&th->notifier.link, &th->task->preempt_notifiers);
}

/*
 * Whether @task is on no CPU and on no runqueue. If it is, it remains so while the caller holds
 * pi_lock, which try_to_wake_up() and wake_up_new_task() take first. The kernel's
 * __task_needs_rq_lock() has the same conditions in the same order, with the reasons.
 */
static bool hwpmc_hook_asleep(struct task_struct *task)
{
	unsigned int state = READ_ONCE(task->__state);

	lockdep_assert_held(&task->pi_lock);
	/* A task that is WAKING is enqueued without pi_lock: ttwu_queue_wakelist(). */
	if (state == TASK_RUNNING || state == TASK_WAKING)
		return false;
	/* Orders state before on_rq. */
	smp_rmb();
	if (READ_ONCE(task->on_rq))
		return false;
	/* Orders on_rq before on_cpu. */
	smp_rmb();
	/* Pairs with finish_task(): sched_out has walked the list. */
	return !smp_load_acquire(&task->on_cpu);
}

/**
 * hwpmc_hook_sleeper - hook a thread if its task sleeps
 * @th: its record
 *
 * Context: interrupts off. The caller holds the lock of @th's context, or the link_lock of an owner
 * with a link to @th. The probe of sched_process_free takes these before it removes @th from the
 * table of threads, so the task is not freed meanwhile.
 * Return: false if the task does not sleep.
 */
bool hwpmc_hook_sleeper(struct hwpmc_thread *th)
{
	struct task_struct *task = th->task;
	bool asleep;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&task->pi_lock);
	asleep = hwpmc_hook_asleep(task);
	if (asleep)
		hwpmc_hook_thread(th);
	raw_spin_unlock(&task->pi_lock);
	return asleep;
}

/**
 * hwpmc_hook_remove_sleeper - remove the notifier of a thread if its task sleeps
 * @th: its record, in the table of threads
 *
 * Context: the lock of @th's context held, which keeps the task; interrupts off. Return: whether
 * it was removed.
 */
bool hwpmc_hook_remove_sleeper(struct hwpmc_thread *th)
{
	struct task_struct *task = th->task;
	bool asleep;

	lockdep_assert_held(&th->ctx.lock);
	raw_spin_lock(&task->pi_lock);
	asleep = READ_ONCE(th->hook) == HWPMC_HOOK_DONE && hwpmc_hook_asleep(task);
	if (asleep)
		hlist_del(&th->notifier.link);
	raw_spin_unlock(&task->pi_lock);
	return asleep;
}

/** hwpmc_hook_pending - number of threads that wait to be hooked; any context */
u64 hwpmc_hook_pending(void)
{
	return atomic64_read(&hwpmc_hook_waiting);
}
