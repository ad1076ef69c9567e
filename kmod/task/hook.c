// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hooks that following tasks needs: the scheduler's notifiers, and the
 * probes of process life. They are in while a virtual PMC or a thread record
 * exists: a record has to hear of its task's end.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/stop_machine.h>
#include <linux/workqueue.h>

#include "task.h"

static DEFINE_MUTEX(hwpmc_hook_lock);
static unsigned long hwpmc_hook_users;	/* virtual PMCs */
static bool hwpmc_hook_on;

static void hwpmc_hook_look(struct work_struct *work);
static DECLARE_WORK(hwpmc_hook_work, hwpmc_hook_look);

/* For a virtual PMC. May sleep. */
int hwpmc_hook_get(void)
{
	int err = 0;

	mutex_lock(&hwpmc_hook_lock);
	if (!hwpmc_hook_on) {
		err = hwpmc_life_register();
		if (!err) {
			preempt_notifier_inc();
			hwpmc_hook_on = true;
		}
	}
	if (!err)
		hwpmc_hook_users++;
	mutex_unlock(&hwpmc_hook_lock);
	return err;
}

void hwpmc_hook_put(void)
{
	mutex_lock(&hwpmc_hook_lock);
	hwpmc_hook_users--;
	mutex_unlock(&hwpmc_hook_lock);
	hwpmc_hook_idle();
}

/* Maybe the hooks can go. Any context but NMI and under a runqueue's lock. */
void hwpmc_hook_idle(void)
{
	schedule_work(&hwpmc_hook_work);
}

static void hwpmc_hook_remove(void)
{
	if (!hwpmc_hook_on)
		return;
	hwpmc_life_unregister();
	preempt_notifier_dec();
	hwpmc_hook_on = false;
}

static void hwpmc_hook_look(struct work_struct *work)
{
	mutex_lock(&hwpmc_hook_lock);
	if (!hwpmc_hook_users && !hwpmc_thread_count())
		hwpmc_hook_remove();
	mutex_unlock(&hwpmc_hook_lock);
}

/* Dead records of tasks that have slept ever since. */
static LIST_HEAD(hwpmc_hook_purged);

static void hwpmc_hook_unlink(struct hwpmc_thread *th)
{
	if (th->arm == HWPMC_ARM_DONE)
		hlist_del(&th->notifier.link);
	hlist_del_rcu(&th->node);
	list_move_tail(&th->pending, &hwpmc_hook_purged);
}

static int hwpmc_hook_purge(void *unused)
{
	hwpmc_thread_for_each(hwpmc_hook_unlink);
	return 0;
}

/*
 * The module goes: no owner is left, every record is dead. No task may call
 * into it any more, whatever it does now: take all off with every CPU stopped,
 * while the probe of sched_process_free still keeps the records' tasks true.
 */
void hwpmc_hook_exit(void)
{
	struct hwpmc_thread *th, *next;

	cancel_work_sync(&hwpmc_hook_work);
	if (hwpmc_thread_count())
		stop_machine(hwpmc_hook_purge, NULL, NULL);
	/* A task's end may have queued the work again meanwhile. */
	mutex_lock(&hwpmc_hook_lock);
	hwpmc_hook_remove();
	mutex_unlock(&hwpmc_hook_lock);
	synchronize_rcu();
	list_for_each_entry_safe(th, next, &hwpmc_hook_purged, pending)
		hwpmc_thread_free(th);
	/* Records whose call_rcu() is under way, and the work it may queue. */
	rcu_barrier();
	cancel_work_sync(&hwpmc_hook_work);
}
