// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arming: putting a thread's notifier on its task's list.
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
 * Who moves hwpmc_thread.arm from PENDING owns what follows.
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

#include "../compat/compat.h"
#include "../pmc/context.h"
#include "../base/owner.h"
#include "task.h"

/* Interrupts that may find a running target in kernel mode before all CPUs stop. */
#define HWPMC_ARM_TRIES		5
/* How long sleeping targets may keep the probe on, in looks of this many ms. */
#define HWPMC_ARM_LOOK_MS	50
#define HWPMC_ARM_LOOKS		10
/* All CPUs stop for whoever attaches; but no more often than this, however many do. */
#define HWPMC_ARM_STOPS_APART	(10 * NSEC_PER_MSEC)

static LIST_HEAD(hwpmc_arm_list);	/* guarded by hwpmc_link_lock */
static atomic64_t hwpmc_arm_left = ATOMIC64_INIT(0);
static DEFINE_MUTEX(hwpmc_arm_lock);	/* the probe, the looks, and walks of the whole list */
static struct tracepoint *hwpmc_arm_tracepoint;
static bool hwpmc_arm_on;
static unsigned int hwpmc_arm_looks;
static u64 hwpmc_arm_stopped_at;	/* ktime */

static void hwpmc_arm_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(hwpmc_arm_work, hwpmc_arm_look);

static bool hwpmc_arm_win(struct hwpmc_thread *th, enum hwpmc_arm what)
{
	if (cmpxchg(&th->arm, HWPMC_ARM_PENDING, what) != HWPMC_ARM_PENDING)
		return false;
	atomic64_dec(&hwpmc_arm_left);
	return true;
}

/* Where @th's list is quiet. Whether it was this that armed it. */
bool hwpmc_arm_hook(struct hwpmc_thread *th)
{
	if (!hwpmc_arm_win(th, HWPMC_ARM_DONE))
		return false;
	hlist_add_head(&th->notifier.link, &th->task->preempt_notifiers);
	return true;
}

/* Runqueue locked, @next not running yet: sched_in follows right away. */
static HWPMC_PROBE_SWITCH(hwpmc_arm_switch, prev, next)
{
	struct hwpmc_thread *th = hwpmc_thread_find(next);

	if (th)
		hwpmc_arm_hook(th);
}

/* @th is new, and in the table. */
void hwpmc_arm_queue(struct hwpmc_thread *th)
{
	lockdep_assert_held(&hwpmc_link_lock);
	atomic64_inc(&hwpmc_arm_left);
	list_add_tail(&th->pending, &hwpmc_arm_list);
	/* From here on another CPU may arm it: last, after what that relies on. */
	smp_store_release(&th->arm, HWPMC_ARM_PENDING);
}

/* Whether @th was not armed and never will be. */
bool hwpmc_arm_cancel(struct hwpmc_thread *th)
{
	return hwpmc_arm_win(th, HWPMC_ARM_CANCELLED);
}

/* @th leaves the table. */
void hwpmc_arm_dequeue(struct hwpmc_thread *th)
{
	lockdep_assert_held(&hwpmc_link_lock);
	hwpmc_arm_cancel(th);
	list_del_init(&th->pending);
}

/* @th is new, and of a child that cannot run yet: it is never queued. */
void hwpmc_arm_child(struct hwpmc_thread *th)
{
	th->arm = HWPMC_ARM_DONE;
	hlist_add_head(&th->notifier.link, &th->task->preempt_notifiers);
}

static void hwpmc_arm_self(void)
{
	struct hwpmc_thread *th;
	unsigned long flags;

	rcu_read_lock();
	local_irq_save(flags);
	th = hwpmc_thread_find(current);
	if (th && hwpmc_arm_hook(th))
		hwpmc_sched_on(th);
	local_irq_restore(flags);
	rcu_read_unlock();
}

/* Sets *@blind where cross-calls do not tell what they interrupted, as on x86. */
static void hwpmc_arm_here(void *blind)
{
	struct pt_regs *regs = get_irq_regs();
	struct hwpmc_thread *th = hwpmc_thread_find(current);

	if (!th)
		return;
	if (!regs)
		WRITE_ONCE(*(bool *)blind, true);
	else if (user_mode(regs) && hwpmc_arm_hook(th))
		hwpmc_sched_on(th);
}

/* Threads that are looked at before others get on: with interrupts off, and with all stopped. */
#define HWPMC_ARM_BATCH		64
#define HWPMC_ARM_STOP_BATCH	256

/* Nobody is in the middle of anything, the lock's holders neither. Sets *@more. */
static int hwpmc_arm_stopped(void *more)
{
	struct hwpmc_thread *th, *next;
	unsigned int n = 0;

	list_for_each_entry_safe(th, next, &hwpmc_arm_list, pending) {
		if (n++ == HWPMC_ARM_STOP_BATCH) {
			*(bool *)more = true;
			break;
		}
		hwpmc_arm_hook(th);
		list_del_init(&th->pending);
	}
	return 0;
}

/* Go through @list till the end of a batch; those that still wait stay in line. */
static void hwpmc_arm_some(struct list_head *list, struct cpumask *cpus)
{
	struct hwpmc_thread *th, *next;
	unsigned int n = 0;

	lockdep_assert_held(&hwpmc_link_lock);
	list_for_each_entry_safe(th, next, list, pending) {
		if (n++ == HWPMC_ARM_BATCH)
			return;
		if (READ_ONCE(th->arm) != HWPMC_ARM_PENDING) {
			list_del_init(&th->pending);
			continue;
		}
		list_move_tail(&th->pending, &hwpmc_arm_list);
		if (READ_ONCE(th->task->on_cpu))
			cpumask_set_cpu(task_cpu(th->task), cpus);
	}
}

/* CPUs that threads to be armed run on, other than the caller's own thread. */
static bool hwpmc_arm_running(struct cpumask *cpus)
{
	LIST_HEAD(list);

	cpumask_clear(cpus);
	/* The list is whole for everybody else. */
	mutex_lock(&hwpmc_arm_lock);
	raw_spin_lock_irq(&hwpmc_link_lock);
	list_splice_init(&hwpmc_arm_list, &list);
	while (!list_empty(&list)) {
		hwpmc_arm_some(&list, cpus);
		raw_spin_unlock_irq(&hwpmc_link_lock);
		cond_resched();
		raw_spin_lock_irq(&hwpmc_link_lock);
	}
	raw_spin_unlock_irq(&hwpmc_link_lock);
	mutex_unlock(&hwpmc_arm_lock);
	return !cpumask_empty(cpus);
}

static int hwpmc_arm_probe_on(void)
{
	int err = 0;

	lockdep_assert_held(&hwpmc_arm_lock);
	if (!hwpmc_arm_tracepoint)
		hwpmc_arm_tracepoint = hwpmc_tracepoint_find("sched_switch");
	if (!hwpmc_arm_tracepoint)
		return -ENOENT;
	if (!hwpmc_arm_on)
		err = tracepoint_probe_register(hwpmc_arm_tracepoint, hwpmc_arm_switch, NULL);
	hwpmc_arm_on = !err;
	return err;
}

static void hwpmc_arm_probe_off(void)
{
	lockdep_assert_held(&hwpmc_arm_lock);
	if (!hwpmc_arm_on)
		return;
	tracepoint_probe_unregister(hwpmc_arm_tracepoint, hwpmc_arm_switch, NULL);
	hwpmc_arm_on = false;
}

/* All that wait, whatever they do: a few microseconds of every CPU at a time. */
static void hwpmc_arm_stop_all(void)
{
	bool more;

	lockdep_assert_held(&hwpmc_arm_lock);
	do {
		more = false;
		stop_machine(hwpmc_arm_stopped, &more, NULL);
	} while (more);
	hwpmc_arm_stopped_at = ktime_get_mono_fast_ns();
}

/* False if all stopped a moment ago: the probe may find them meanwhile. */
static bool hwpmc_arm_try_stop(void)
{
	bool may;

	mutex_lock(&hwpmc_arm_lock);
	may = ktime_get_mono_fast_ns() - hwpmc_arm_stopped_at >= HWPMC_ARM_STOPS_APART;
	if (may)
		hwpmc_arm_stop_all();
	mutex_unlock(&hwpmc_arm_lock);
	return may;
}

static int hwpmc_arm_running_now(void)
{
	bool blind = false;
	cpumask_var_t cpus;
	int try;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	for (try = 0; hwpmc_arm_running(cpus); try++) {
		if ((blind || try >= HWPMC_ARM_TRIES) && hwpmc_arm_try_stop())
			break;
		if (try)
			usleep_range(100, 200);
		if (blind)
			continue;
		cpus_read_lock();
		on_each_cpu_mask(cpus, hwpmc_arm_here, &blind, 1);
		cpus_read_unlock();
	}
	free_cpumask_var(cpus);
	return 0;
}

/**
 * hwpmc_arm_now - arm what was queued
 * @owner: on whose behalf
 *
 * On return no queued thread runs unarmed, and one that sleeps will be armed
 * before it runs again. Context: may sleep.
 */
int hwpmc_arm_now(struct hwpmc_owner *owner)
{
	int err;

	hwpmc_arm_self();
	if (!atomic64_read(&hwpmc_arm_left))
		return 0;

	mutex_lock(&hwpmc_arm_lock);
	err = hwpmc_arm_probe_on();
	hwpmc_arm_looks = 0;
	mutex_unlock(&hwpmc_arm_lock);
	/*
	 * A task that a CPU was switching to, past the probe but not marked as
	 * running yet, is marked when that CPU has answered.
	 */
	kick_all_cpus_sync();
	if (!err)
		err = hwpmc_arm_running_now();
	/* After a failure too: the probe is on, and goes off in a look only. */
	mod_delayed_work(system_wq, &hwpmc_arm_work, msecs_to_jiffies(HWPMC_ARM_LOOK_MS));
	if (err)
		return hwpmc_fail(owner, err, "out of memory while hooking the target; try again");
	return 0;
}

static void hwpmc_arm_look(struct work_struct *work)
{
	mutex_lock(&hwpmc_arm_lock);
	if (atomic64_read(&hwpmc_arm_left) && ++hwpmc_arm_looks >= HWPMC_ARM_LOOKS)
		hwpmc_arm_stop_all();
	if (!atomic64_read(&hwpmc_arm_left))
		hwpmc_arm_probe_off();
	else
		schedule_delayed_work(&hwpmc_arm_work, msecs_to_jiffies(HWPMC_ARM_LOOK_MS));
	mutex_unlock(&hwpmc_arm_lock);
}

u64 hwpmc_arm_pending(void)
{
	return atomic64_read(&hwpmc_arm_left);
}

bool hwpmc_arm_probing(void)
{
	return READ_ONCE(hwpmc_arm_on);
}

/* No owner is left, so nothing is queued any more. */
void hwpmc_arm_exit(void)
{
	cancel_delayed_work_sync(&hwpmc_arm_work);
	mutex_lock(&hwpmc_arm_lock);
	hwpmc_arm_probe_off();
	mutex_unlock(&hwpmc_arm_lock);
	tracepoint_synchronize_unregister();
}
