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

static DEFINE_MUTEX(hwpmc_probes_lock);
static unsigned long hwpmc_probes_users;	/* virtual PMCs */
static bool hwpmc_probes_on;

static void hwpmc_probes_check(struct work_struct *work);
static DECLARE_WORK(hwpmc_probes_work, hwpmc_probes_check);

/* For a virtual PMC. May sleep. */
int hwpmc_probes_get(void)
{
	int err = 0;

	mutex_lock(&hwpmc_probes_lock);
	if (!hwpmc_probes_on) {
		err = hwpmc_life_register();
		if (!err) {
			preempt_notifier_inc();
			hwpmc_probes_on = true;
		}
	}
	if (!err)
		hwpmc_probes_users++;
	mutex_unlock(&hwpmc_probes_lock);
	return err;
}

void hwpmc_probes_put(void)
{
	mutex_lock(&hwpmc_probes_lock);
	hwpmc_probes_users--;
	mutex_unlock(&hwpmc_probes_lock);
	hwpmc_probes_idle();
}

/* Maybe the hooks can go. Any context but NMI and under a runqueue's lock. */
void hwpmc_probes_idle(void)
{
	schedule_work(&hwpmc_probes_work);
}

static void hwpmc_probes_remove(void)
{
	if (!hwpmc_probes_on)
		return;
	hwpmc_life_unregister();
	preempt_notifier_dec();
	hwpmc_probes_on = false;
}

static void hwpmc_probes_check(struct work_struct *work)
{
	mutex_lock(&hwpmc_probes_lock);
	if (!hwpmc_probes_users && !hwpmc_thread_count())
		hwpmc_probes_remove();
	mutex_unlock(&hwpmc_probes_lock);
}

/* Dead records of tasks that have slept ever since. */
static LIST_HEAD(hwpmc_probes_purged);

static void hwpmc_probes_unlink(struct hwpmc_thread *th)
{
	if (th->hook == HWPMC_HOOK_DONE)
		hlist_del(&th->notifier.link);
	hlist_del_rcu(&th->node);
	list_move_tail(&th->pending, &hwpmc_probes_purged);
}

static int hwpmc_probes_purge(void *unused)
{
	hwpmc_thread_for_each(hwpmc_probes_unlink);
	return 0;
}

/*
 * The module goes: no owner is left, every record is dead. No task may call
 * into it any more, whatever it does now: take all off with every CPU stopped,
 * while the probe of sched_process_free still keeps the records' tasks true.
 */
void hwpmc_probes_exit(void)
{
	struct hwpmc_thread *th, *next;

	cancel_work_sync(&hwpmc_probes_work);
	if (hwpmc_thread_count())
		stop_machine(hwpmc_probes_purge, NULL, NULL);
	/* A task's end may have queued the work again meanwhile. */
	mutex_lock(&hwpmc_probes_lock);
	hwpmc_probes_remove();
	mutex_unlock(&hwpmc_probes_lock);
	synchronize_rcu();
	list_for_each_entry_safe(th, next, &hwpmc_probes_purged, pending)
		hwpmc_thread_free(th);
	/* Records whose call_rcu() is under way, and the work it may queue. */
	rcu_barrier();
	cancel_work_sync(&hwpmc_probes_work);
}
