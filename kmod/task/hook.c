// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks a task: adds the preempt notifier of its thread record to the task's list of
 * notifiers.
 *
 * Called by the ATTACH and START ioctls (process context) and by the fork and sched_switch
 * probes (atomic context).
 *
 * The list has no lock of its own; only the running task changes it. So this file changes
 * it only where no other user can be in the middle of it:
 * - in the task itself;
 * - on a child that is not runnable yet (task_newtask);
 * - in the sched_switch probe, on the task that is scheduled in;
 * - in an interrupt that hit the task in user mode (in kernel mode it might have
 *   interrupted another user of the list, such as KVM's vcpu_load());
 * - with every CPU stopped, for tasks that none of these reaches soon.
 * The sched_switch probe is registered only while some thread waits to be hooked.
 *
 * The code that moves hwpmc_thread.hook away from PENDING (by cmpxchg) does what follows
 * from the new state; every other attempt returns.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/stop_machine.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <asm/irq_regs.h>

#include "../base/owner.h"
#include "../compat/compat.h"
#include "../pmc/context.h"
#include "task.h"

/* Cross-calls that may find a running target in kernel mode before all CPUs are stopped. */
#define HWPMC_HOOK_TRIES		5
/* Sleeping targets keep the probe registered for this many polls, each of this many ms. */
#define HWPMC_HOOK_POLL_MS	50
#define HWPMC_HOOK_POLLS		10
/* Attaching may stop all CPUs, but at most once in this time, however many processes attach. */
#define HWPMC_HOOK_STOPS_APART	(10 * NSEC_PER_MSEC)

static LIST_HEAD(hwpmc_hook_list);	/* guarded by hwpmc_link_lock */
static atomic64_t hwpmc_hook_waiting = ATOMIC64_INIT(0);
static DEFINE_MUTEX(hwpmc_hook_lock);	/* the probe, the polls and walks of the whole list */
static struct tracepoint *hwpmc_hook_tracepoint;
static bool hwpmc_hook_on;
static unsigned int hwpmc_hook_poll_count;
static u64 hwpmc_hook_stopped_at;	/* ktime */

static void hwpmc_hook_poll(struct work_struct *work);
static DECLARE_DELAYED_WORK(hwpmc_hook_work, hwpmc_hook_poll);

/* Returns false if @th was not PENDING: another context has claimed it. */
static bool hwpmc_hook_claim(struct hwpmc_thread *th, enum hwpmc_hook new)
{
	if (cmpxchg(&th->hook, HWPMC_HOOK_PENDING, new) != HWPMC_HOOK_PENDING)
		return false;
	atomic64_dec(&hwpmc_hook_waiting);
	return true;
}

/**
 * hwpmc_hook_thread - hook a thread if it waits for that
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

/*
 * The runqueue is locked and @next does not run yet; its sched_in notifier fires right
 * after this.
 */
static HWPMC_PROBE_SWITCH(hwpmc_hook_switch, prev, next)
{
	struct hwpmc_thread *th = hwpmc_thread_find(next);

	if (th)
		hwpmc_hook_thread(th);
}

/**
 * hwpmc_hook_queue - queue a new thread to be hooked
 * @th: its record; in the table of threads, not queued before
 *
 * Context: hwpmc_link_lock held, interrupts off. hwpmc_hook_now() hooks what is queued.
 */
void hwpmc_hook_queue(struct hwpmc_thread *th)
{
	lockdep_assert_held(&hwpmc_link_lock);
	atomic64_inc(&hwpmc_hook_waiting);
	list_add_tail(&th->pending, &hwpmc_hook_list);
	/* Another CPU may hook it from here on, so this is last: it releases the stores above. */
	smp_store_release(&th->hook, HWPMC_HOOK_PENDING);
}

/**
 * hwpmc_hook_cancel - give up hooking a queued thread
 * @th: its record
 *
 * Context: any but NMI. Return: true if @th was not hooked and never will be, so that no
 * notifier refers to it.
 */
bool hwpmc_hook_cancel(struct hwpmc_thread *th)
{
	return hwpmc_hook_claim(th, HWPMC_HOOK_CANCELLED);
}

/**
 * hwpmc_hook_dequeue - take a thread off the queue
 * @th: its record, which is removed from the table of threads
 *
 * Context: hwpmc_link_lock held, interrupts off.
 */
void hwpmc_hook_dequeue(struct hwpmc_thread *th)
{
	lockdep_assert_held(&hwpmc_link_lock);
	hwpmc_hook_cancel(th);
	list_del_init(&th->pending);
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

static void hwpmc_hook_self(void)
{
	struct hwpmc_thread *th;
	unsigned long flags;

	rcu_read_lock();
	local_irq_save(flags);
	th = hwpmc_thread_find(current);
	if (th && hwpmc_hook_thread(th))
		hwpmc_sched_start(th);
	local_irq_restore(flags);
	rcu_read_unlock();
}

/* Sets *@no_regs where a cross-call has no registers of what it interrupted, as on x86. */
static void hwpmc_hook_ipi(void *no_regs)
{
	struct pt_regs *regs = get_irq_regs();
	struct hwpmc_thread *th = hwpmc_thread_find(current);

	if (!th)
		return;
	if (!regs)
		WRITE_ONCE(*(bool *)no_regs, true);
	else if (user_mode(regs) && hwpmc_hook_thread(th))
		hwpmc_sched_start(th);
}

/* Threads in a batch: with hwpmc_link_lock held, and with all CPUs stopped. */
#define HWPMC_HOOK_BATCH		64
#define HWPMC_HOOK_STOP_BATCH	256

/*
 * Runs with every CPU stopped, so no CPU is inside a section that holds hwpmc_link_lock.
 * Sets *@more if threads are left.
 */
static int hwpmc_hook_stopped(void *more)
{
	struct hwpmc_thread *th, *next;
	unsigned int n = 0;

	list_for_each_entry_safe(th, next, &hwpmc_hook_list, pending) {
		if (n++ == HWPMC_HOOK_STOP_BATCH) {
			*(bool *)more = true;
			break;
		}
		hwpmc_hook_thread(th);
		list_del_init(&th->pending);
	}
	return 0;
}

/*
 * Visits one batch of @list: puts threads that still wait back on the queue and adds the
 * CPUs that they run on to @cpus.
 */
static void hwpmc_hook_scan_batch(struct list_head *list, struct cpumask *cpus)
{
	struct hwpmc_thread *th, *next;
	unsigned int n = 0;

	lockdep_assert_held(&hwpmc_link_lock);
	list_for_each_entry_safe(th, next, list, pending) {
		if (n++ == HWPMC_HOOK_BATCH)
			return;
		if (READ_ONCE(th->hook) != HWPMC_HOOK_PENDING) {
			list_del_init(&th->pending);
			continue;
		}
		list_move_tail(&th->pending, &hwpmc_hook_list);
		if (READ_ONCE(th->task->on_cpu))
			cpumask_set_cpu(task_cpu(th->task), cpus);
	}
}

/* Sets @cpus to the CPUs on which waiting threads run. Returns false if there is none. */
static bool hwpmc_hook_find_running(struct cpumask *cpus)
{
	LIST_HEAD(list);

	cpumask_clear(cpus);
	/*
	 * Others that walk the whole list hold this lock too, so they never find it partly
	 * spliced.
	 */
	mutex_lock(&hwpmc_hook_lock);
	raw_spin_lock_irq(&hwpmc_link_lock);
	list_splice_init(&hwpmc_hook_list, &list);
	while (!list_empty(&list)) {
		hwpmc_hook_scan_batch(&list, cpus);
		raw_spin_unlock_irq(&hwpmc_link_lock);
		cond_resched();
		raw_spin_lock_irq(&hwpmc_link_lock);
	}
	raw_spin_unlock_irq(&hwpmc_link_lock);
	mutex_unlock(&hwpmc_hook_lock);
	return !cpumask_empty(cpus);
}

static int hwpmc_hook_probe_on(void)
{
	int err = 0;

	lockdep_assert_held(&hwpmc_hook_lock);
	if (!hwpmc_hook_tracepoint)
		hwpmc_hook_tracepoint = hwpmc_tracepoint_find("sched_switch");
	if (!hwpmc_hook_tracepoint)
		return -ENOENT;
	if (!hwpmc_hook_on)
		err = tracepoint_probe_register(hwpmc_hook_tracepoint, hwpmc_hook_switch, NULL);
	hwpmc_hook_on = !err;
	return err;
}

static void hwpmc_hook_probe_off(void)
{
	lockdep_assert_held(&hwpmc_hook_lock);
	if (!hwpmc_hook_on)
		return;
	tracepoint_probe_unregister(hwpmc_hook_tracepoint, hwpmc_hook_switch, NULL);
	hwpmc_hook_on = false;
}

/*
 * Hooks every waiting thread, in whatever state it is: each round stops all CPUs for some
 * microseconds.
 */
static void hwpmc_hook_stop_all(void)
{
	bool more;

	lockdep_assert_held(&hwpmc_hook_lock);
	do {
		more = false;
		stop_machine(hwpmc_hook_stopped, &more, NULL);
	} while (more);
	hwpmc_hook_stopped_at = ktime_get_mono_fast_ns();
}

/*
 * Returns false if all CPUs were stopped less than HWPMC_HOOK_STOPS_APART ago; the probe
 * may hook the threads meanwhile.
 */
static bool hwpmc_hook_try_stop(void)
{
	bool allowed;

	mutex_lock(&hwpmc_hook_lock);
	allowed = ktime_get_mono_fast_ns() - hwpmc_hook_stopped_at >= HWPMC_HOOK_STOPS_APART;
	if (allowed)
		hwpmc_hook_stop_all();
	mutex_unlock(&hwpmc_hook_lock);
	return allowed;
}

static int hwpmc_hook_running_now(void)
{
	bool no_regs = false;
	cpumask_var_t cpus;
	int try;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	for (try = 0; hwpmc_hook_find_running(cpus); try++) {
		if ((no_regs || try >= HWPMC_HOOK_TRIES) && hwpmc_hook_try_stop())
			break;
		if (try)
			usleep_range(100, 200);
		if (no_regs)
			continue;
		cpus_read_lock();
		on_each_cpu_mask(cpus, hwpmc_hook_ipi, &no_regs, 1);
		cpus_read_unlock();
	}
	free_cpumask_var(cpus);
	return 0;
}

/**
 * hwpmc_hook_now - hook all queued threads
 * @owner: whose call it is
 *
 * On return no queued thread runs without its notifier, and one that sleeps is hooked
 * before it runs again.
 *
 * Context: may sleep; owner->lock held. Return: 0, -ENOMEM, -ENOENT without the
 * sched_switch tracepoint, or the error of its registration.
 */
int hwpmc_hook_now(struct hwpmc_owner *owner)
{
	int err;

	hwpmc_hook_self();
	if (!atomic64_read(&hwpmc_hook_waiting))
		return 0;

	mutex_lock(&hwpmc_hook_lock);
	err = hwpmc_hook_probe_on();
	hwpmc_hook_poll_count = 0;
	mutex_unlock(&hwpmc_hook_lock);
	/*
	 * A CPU may be switching to a task: past the probe, but the task is not marked as
	 * running yet. It is marked once that CPU has answered this call.
	 */
	kick_all_cpus_sync();
	if (!err)
		err = hwpmc_hook_running_now();
	/* After a failure too: the probe may be registered, and only a poll unregisters it. */
	mod_delayed_work(system_wq, &hwpmc_hook_work, msecs_to_jiffies(HWPMC_HOOK_POLL_MS));
	if (err)
		return hwpmc_fail(owner, err, "out of memory while hooking the target; try again");
	return 0;
}

/*
 * Unregisters the probe when no thread waits any more. After HWPMC_HOOK_POLLS polls it hooks the
 * threads that still wait with all CPUs stopped.
 */
static void hwpmc_hook_poll(struct work_struct *work)
{
	mutex_lock(&hwpmc_hook_lock);
	if (atomic64_read(&hwpmc_hook_waiting) && ++hwpmc_hook_poll_count >= HWPMC_HOOK_POLLS)
		hwpmc_hook_stop_all();
	if (!atomic64_read(&hwpmc_hook_waiting))
		hwpmc_hook_probe_off();
	else
		schedule_delayed_work(&hwpmc_hook_work, msecs_to_jiffies(HWPMC_HOOK_POLL_MS));
	mutex_unlock(&hwpmc_hook_lock);
}

/** hwpmc_hook_pending - number of threads that wait to be hooked; any context */
u64 hwpmc_hook_pending(void)
{
	return atomic64_read(&hwpmc_hook_waiting);
}

/** hwpmc_hook_probing - whether the sched_switch probe is registered; any context */
bool hwpmc_hook_probing(void)
{
	return READ_ONCE(hwpmc_hook_on);
}

/**
 * hwpmc_hook_exit - stop polling and unregister the probe
 *
 * Context: module exit, may sleep; no owner is left, so nothing is queued any more.
 */
void hwpmc_hook_exit(void)
{
	cancel_delayed_work_sync(&hwpmc_hook_work);
	mutex_lock(&hwpmc_hook_lock);
	hwpmc_hook_probe_off();
	mutex_unlock(&hwpmc_hook_lock);
	tracepoint_synchronize_unregister();
}
