// SPDX-License-Identifier: GPL-2.0-only
/*
 * The polls of thread records that cannot be hooked or unhooked at once, and the probe of
 * sched_switch, which hooks threads that wait for a CPU. A work item polls while there are such
 * records and unregisters the probe afterwards. Called by hook_target.c in process context, and
 * wherever a record loses its last link, in any context but NMI.
 */
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "../compat/compat.h"
#include "../pmc/context.h"
#include "hook.h"
#include "task.h"

/* Interval of the polls: while threads wait to be hooked; and while the probe lingers. */
#define HWPMC_HOOK_POLL_MS	50
#define HWPMC_HOOK_LINGER_MS	1000

/*
 * Records that polls visit: those that waited for a CPU when their ATTACH returned, and those
 * without links whose task was not asleep when the last link was removed.
 */
static LIST_HEAD(hwpmc_hook_list);		/* both guarded by hwpmc_hook_list_lock */
static unsigned int hwpmc_hook_listed;
/* Taken with interrupts off, under a context's lock or an owner's link_lock; nothing under it. */
static DEFINE_RAW_SPINLOCK(hwpmc_hook_list_lock);

static DEFINE_MUTEX(hwpmc_hook_lock);		/* guards the probe's registration and the polls */
static struct tracepoint *hwpmc_hook_tracepoint;
static bool hwpmc_hook_on;
static bool hwpmc_hook_used;			/* the probe was needed since the last poll */

static void hwpmc_hook_poll(struct work_struct *work);
static DECLARE_DELAYED_WORK(hwpmc_hook_work, hwpmc_hook_poll);

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

/* Let the polls visit @th. Context: interrupts off. */
void hwpmc_hook_poll_add(struct hwpmc_thread *th)
{
	raw_spin_lock(&hwpmc_hook_list_lock);
	if (list_empty(&th->pending)) {
		list_add_tail(&th->pending, &hwpmc_hook_list);
		hwpmc_hook_listed++;
	}
	raw_spin_unlock(&hwpmc_hook_list_lock);
}

static void hwpmc_hook_poll_remove(struct hwpmc_thread *th)
{
	raw_spin_lock(&hwpmc_hook_list_lock);
	if (!list_empty(&th->pending)) {
		list_del_init(&th->pending);
		hwpmc_hook_listed--;
	}
	raw_spin_unlock(&hwpmc_hook_list_lock);
}

/**
 * hwpmc_hook_poll_dequeue - cancel the hooking of a thread, and remove it from the polls' list
 * @th: its record, which is removed from the table of threads
 *
 * Context: the lock of @th's context held, interrupts off.
 */
void hwpmc_hook_poll_dequeue(struct hwpmc_thread *th)
{
	hwpmc_hook_cancel(th);
	hwpmc_hook_poll_remove(th);
}

/**
 * hwpmc_hook_poll_drop - free a record without links as soon as possible
 * @th: the record; in the table of threads
 *
 * It is freed now if it was not hooked or its task sleeps. Otherwise the task's next sched_in frees
 * it, or a poll that finds the task asleep, whichever is first.
 * Context: the lock of @th's context held, interrupts off.
 */
void hwpmc_hook_poll_drop(struct hwpmc_thread *th)
{
	lockdep_assert_held(&th->ctx.lock);
	if (hwpmc_hook_cancel(th) || hwpmc_hook_remove_sleeper(th)) {
		hwpmc_thread_remove(th);
		hwpmc_thread_free_later(th);
	} else if (th->hook == HWPMC_HOOK_DONE) {
		hwpmc_hook_poll_add(th);
		schedule_delayed_work(&hwpmc_hook_work, msecs_to_jiffies(HWPMC_HOOK_LINGER_MS));
	}
}

/*
 * On return every CPU that begins a switch calls the probe: switches that passed the tracepoint
 * before it was patched have finished, and no CPU has fetched the old instruction.
 */
static int hwpmc_hook_probe_on(void)
{
	int err;

	lockdep_assert_held(&hwpmc_hook_lock);
	hwpmc_hook_used = true;
	if (hwpmc_hook_on)
		return 0;
	if (!hwpmc_hook_tracepoint)
		hwpmc_hook_tracepoint = hwpmc_tracepoint_find("sched_switch");
	if (!hwpmc_hook_tracepoint)
		return -ENOENT;
	err = tracepoint_probe_register(hwpmc_hook_tracepoint, hwpmc_hook_switch, NULL);
	if (err)
		return err;
	synchronize_rcu();
	WRITE_ONCE(hwpmc_hook_on, true);
	return 0;
}

static void hwpmc_hook_probe_off(void)
{
	lockdep_assert_held(&hwpmc_hook_lock);
	if (!hwpmc_hook_on)
		return;
	tracepoint_probe_unregister(hwpmc_hook_tracepoint, hwpmc_hook_switch, NULL);
	WRITE_ONCE(hwpmc_hook_on, false);
}

/**
 * hwpmc_hook_poll_begin - register the probe of sched_switch
 *
 * A poll unregisters it when no thread has needed it for HWPMC_HOOK_LINGER_MS: call
 * hwpmc_hook_poll_soon() afterwards.
 * Context: may sleep. Return: 0, -ENOENT without the tracepoint, or the error of its registration.
 */
int hwpmc_hook_poll_begin(void)
{
	int err;

	mutex_lock(&hwpmc_hook_lock);
	err = hwpmc_hook_probe_on();
	mutex_unlock(&hwpmc_hook_lock);
	return err;
}

/* Schedule the next poll in HWPMC_HOOK_POLL_MS. Context: any but NMI. */
void hwpmc_hook_poll_soon(void)
{
	mod_delayed_work(system_wq, &hwpmc_hook_work, msecs_to_jiffies(HWPMC_HOOK_POLL_MS));
}

/* The record that was visited longest ago, or NULL. RCU keeps it, but others may remove it. */
static struct hwpmc_thread *hwpmc_hook_poll_rotate(void)
{
	struct hwpmc_thread *th;
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_hook_list_lock, flags);
	th = list_first_entry_or_null(&hwpmc_hook_list, struct hwpmc_thread, pending);
	if (th)
		list_move_tail(&th->pending, &hwpmc_hook_list);
	raw_spin_unlock_irqrestore(&hwpmc_hook_list_lock, flags);
	return th;
}

/*
 * While the lock of the context is held, the record is not removed from the table, and no link is
 * added or removed.
 */
static void hwpmc_hook_poll_thread(struct hwpmc_thread *th)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&th->ctx.lock, flags);
	/* A removed record is not on the list any more, and its task may be freed. */
	if (!th->removed) {
		if (list_empty(&th->ctx.links))
			hwpmc_hook_poll_drop(th);
		else if (READ_ONCE(th->hook) != HWPMC_HOOK_PENDING || hwpmc_hook_sleeper(th))
			hwpmc_hook_poll_remove(th);
	}
	raw_spin_unlock_irqrestore(&th->ctx.lock, flags);
}

/* Visits each record of the list once. */
static void hwpmc_hook_poll_all(void)
{
	unsigned int left;

	for (left = READ_ONCE(hwpmc_hook_listed); left; left--) {
		struct hwpmc_thread *th;

		rcu_read_lock();
		th = hwpmc_hook_poll_rotate();
		if (th)
			hwpmc_hook_poll_thread(th);
		rcu_read_unlock();
		cond_resched();
	}
}

/* Unregisters the probe when no thread has needed it for HWPMC_HOOK_LINGER_MS. */
static void hwpmc_hook_poll(struct work_struct *work)
{
	bool waiting;

	mutex_lock(&hwpmc_hook_lock);
	hwpmc_hook_poll_all();
	waiting = hwpmc_hook_pending();
	if (!waiting && !hwpmc_hook_used)
		hwpmc_hook_probe_off();
	hwpmc_hook_used = waiting;
	if (hwpmc_hook_on || READ_ONCE(hwpmc_hook_listed))
		mod_delayed_work(system_wq, &hwpmc_hook_work,
				 msecs_to_jiffies(waiting ? HWPMC_HOOK_POLL_MS :
							    HWPMC_HOOK_LINGER_MS));
	mutex_unlock(&hwpmc_hook_lock);
}

/** hwpmc_hook_poll_probing - whether the sched_switch probe is registered; any context */
bool hwpmc_hook_poll_probing(void)
{
	return READ_ONCE(hwpmc_hook_on);
}

/**
 * hwpmc_hook_poll_exit - stop polling, unregister the probe and drop the records of sleeping tasks
 *
 * Context: module exit, may sleep; no owner exists, so no thread waits to be hooked.
 */
void hwpmc_hook_poll_exit(void)
{
	cancel_delayed_work_sync(&hwpmc_hook_work);
	mutex_lock(&hwpmc_hook_lock);
	hwpmc_hook_poll_all();
	hwpmc_hook_probe_off();
	mutex_unlock(&hwpmc_hook_lock);
	/* hwpmc_hook_poll_drop() queued it if a record could not be freed. */
	cancel_delayed_work_sync(&hwpmc_hook_work);
	tracepoint_synchronize_unregister();
}
