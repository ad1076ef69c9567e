// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooking a task: putting its thread record's preempt notifier on its list.
 *
 * That list has no lock; its owner is whoever runs as the task. So it is
 * touched only where nobody can be in the middle of it:
 *  - by the task itself;
 *  - on a child that is not runnable yet (task_newtask);
 *  - in the sched_switch probe, on the task that comes next;
 *  - in an interrupt that hit the task in user mode (in kernel mode it might
 *    have hit another user of the list, such as KVM's vcpu_load());
 *  - with every CPU stopped, for tasks that do not get there soon.
 * The probe is on only while some thread waits.
 *
 * Who moves hwpmc_thread.hook from PENDING owns what follows.
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

/* Interrupts that may find a running target in kernel mode before all CPUs stop. */
#define HWPMC_HOOK_TRIES		5
/* How long sleeping targets may keep the probe on, in polls of this many ms. */
#define HWPMC_HOOK_POLL_MS	50
#define HWPMC_HOOK_POLLS		10
/* All CPUs stop for whoever attaches; but no more often than this, however many do. */
#define HWPMC_HOOK_STOPS_APART	(10 * NSEC_PER_MSEC)

static LIST_HEAD(hwpmc_hook_list);	/* guarded by hwpmc_link_lock */
static atomic64_t hwpmc_hook_left = ATOMIC64_INIT(0);
static DEFINE_MUTEX(hwpmc_hook_lock);	/* the probe, the polls, and walks of the whole list */
static struct tracepoint *hwpmc_hook_tracepoint;
static bool hwpmc_hook_on;
static unsigned int hwpmc_hook_polls;
static u64 hwpmc_hook_stopped_at;	/* ktime */

static void hwpmc_hook_poll(struct work_struct *work);
static DECLARE_DELAYED_WORK(hwpmc_hook_work, hwpmc_hook_poll);

static bool hwpmc_hook_claim(struct hwpmc_thread *th, enum hwpmc_hook what)
{
	if (cmpxchg(&th->hook, HWPMC_HOOK_PENDING, what) != HWPMC_HOOK_PENDING)
		return false;
	atomic64_dec(&hwpmc_hook_left);
	return true;
}

/* Where @th's list is quiet. Returns whether it was this call that hooked it. */
bool hwpmc_hook_thread(struct hwpmc_thread *th)
{
	if (!hwpmc_hook_claim(th, HWPMC_HOOK_DONE))
		return false;
	hlist_add_head(&th->notifier.link, &th->task->preempt_notifiers);
	return true;
}

/* Runqueue locked, @next not running yet: sched_in follows right away. */
static HWPMC_PROBE_SWITCH(hwpmc_hook_switch, prev, next)
{
	struct hwpmc_thread *th = hwpmc_thread_find(next);

	if (th)
		hwpmc_hook_thread(th);
}

/* @th is new, and in the table. */
void hwpmc_hook_queue(struct hwpmc_thread *th)
{
	lockdep_assert_held(&hwpmc_link_lock);
	atomic64_inc(&hwpmc_hook_left);
	list_add_tail(&th->pending, &hwpmc_hook_list);
	/* From here on another CPU may hook it: last, after what that relies on. */
	smp_store_release(&th->hook, HWPMC_HOOK_PENDING);
}

/* Returns whether @th was not hooked and never will be. */
bool hwpmc_hook_cancel(struct hwpmc_thread *th)
{
	return hwpmc_hook_claim(th, HWPMC_HOOK_CANCELLED);
}

/* @th leaves the table. */
void hwpmc_hook_dequeue(struct hwpmc_thread *th)
{
	lockdep_assert_held(&hwpmc_link_lock);
	hwpmc_hook_cancel(th);
	list_del_init(&th->pending);
}

/* @th is new, and of a child that cannot run yet: it is never queued. */
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

/* Sets *@blind where cross-calls do not tell what they interrupted, as on x86. */
static void hwpmc_hook_here(void *blind)
{
	struct pt_regs *regs = get_irq_regs();
	struct hwpmc_thread *th = hwpmc_thread_find(current);

	if (!th)
		return;
	if (!regs)
		WRITE_ONCE(*(bool *)blind, true);
	else if (user_mode(regs) && hwpmc_hook_thread(th))
		hwpmc_sched_start(th);
}

/* Threads that are looked at before others get on: with interrupts off, and with all stopped. */
#define HWPMC_HOOK_BATCH		64
#define HWPMC_HOOK_STOP_BATCH	256

/* Nobody is in the middle of anything, the lock's holders neither. Sets *@more. */
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

/* Go through @list till the end of a batch; those that still wait stay in line. */
static void hwpmc_hook_some(struct list_head *list, struct cpumask *cpus)
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

/* CPUs that threads to be hooked run on, other than the caller's own thread. */
static bool hwpmc_hook_running(struct cpumask *cpus)
{
	LIST_HEAD(list);

	cpumask_clear(cpus);
	/* The list is whole for everybody else. */
	mutex_lock(&hwpmc_hook_lock);
	raw_spin_lock_irq(&hwpmc_link_lock);
	list_splice_init(&hwpmc_hook_list, &list);
	while (!list_empty(&list)) {
		hwpmc_hook_some(&list, cpus);
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

/* All that wait, whatever they do: a few microseconds of every CPU at a time. */
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

/* False if all stopped a moment ago: the probe may find them meanwhile. */
static bool hwpmc_hook_try_stop(void)
{
	bool may;

	mutex_lock(&hwpmc_hook_lock);
	may = ktime_get_mono_fast_ns() - hwpmc_hook_stopped_at >= HWPMC_HOOK_STOPS_APART;
	if (may)
		hwpmc_hook_stop_all();
	mutex_unlock(&hwpmc_hook_lock);
	return may;
}

static int hwpmc_hook_running_now(void)
{
	bool blind = false;
	cpumask_var_t cpus;
	int try;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	for (try = 0; hwpmc_hook_running(cpus); try++) {
		if ((blind || try >= HWPMC_HOOK_TRIES) && hwpmc_hook_try_stop())
			break;
		if (try)
			usleep_range(100, 200);
		if (blind)
			continue;
		cpus_read_lock();
		on_each_cpu_mask(cpus, hwpmc_hook_here, &blind, 1);
		cpus_read_unlock();
	}
	free_cpumask_var(cpus);
	return 0;
}

/**
 * hwpmc_hook_now - hook what was queued
 * @owner: on whose behalf
 *
 * On return no queued thread runs unhooked, and one that sleeps will be hooked
 * before it runs again. Context: may sleep.
 */
int hwpmc_hook_now(struct hwpmc_owner *owner)
{
	int err;

	hwpmc_hook_self();
	if (!atomic64_read(&hwpmc_hook_left))
		return 0;

	mutex_lock(&hwpmc_hook_lock);
	err = hwpmc_hook_probe_on();
	hwpmc_hook_polls = 0;
	mutex_unlock(&hwpmc_hook_lock);
	/*
	 * A task that a CPU was switching to, past the probe but not marked as
	 * running yet, is marked when that CPU has answered.
	 */
	kick_all_cpus_sync();
	if (!err)
		err = hwpmc_hook_running_now();
	/* After a failure too: the probe is on, and only a poll takes it off. */
	mod_delayed_work(system_wq, &hwpmc_hook_work, msecs_to_jiffies(HWPMC_HOOK_POLL_MS));
	if (err)
		return hwpmc_fail(owner, err, "out of memory while hooking the target; try again");
	return 0;
}

static void hwpmc_hook_poll(struct work_struct *work)
{
	mutex_lock(&hwpmc_hook_lock);
	if (atomic64_read(&hwpmc_hook_left) && ++hwpmc_hook_polls >= HWPMC_HOOK_POLLS)
		hwpmc_hook_stop_all();
	if (!atomic64_read(&hwpmc_hook_left))
		hwpmc_hook_probe_off();
	else
		schedule_delayed_work(&hwpmc_hook_work, msecs_to_jiffies(HWPMC_HOOK_POLL_MS));
	mutex_unlock(&hwpmc_hook_lock);
}

u64 hwpmc_hook_pending(void)
{
	return atomic64_read(&hwpmc_hook_left);
}

bool hwpmc_hook_probing(void)
{
	return READ_ONCE(hwpmc_hook_on);
}

/* No owner is left, so nothing is queued any more. */
void hwpmc_hook_exit(void)
{
	cancel_delayed_work_sync(&hwpmc_hook_work);
	mutex_lock(&hwpmc_hook_lock);
	hwpmc_hook_probe_off();
	mutex_unlock(&hwpmc_hook_lock);
	tracepoint_synchronize_unregister();
}
