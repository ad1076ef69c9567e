// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reference counts of the kernel's hooks for following tasks: the scheduler's preempt notifiers and
 * the probes of process life.
 *
 * The ioctls take and drop references (process context). The hooks are registered while a virtual
 * PMC, a PMC that samples or a thread record exists, since the probe of sched_process_free frees
 * the record.
 * They linger afterwards: each registration patches the kernel's text and waits for grace periods,
 * which no user should be able to cause without limit.
 */
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/stop_machine.h>
#include <linux/workqueue.h>

#include "../base/param.h"
#include "task.h"

static struct hwpmc_param probes_linger = { .value = 2000, .least = 1, .most = 3600000 };
module_param_cb(probes_linger, &hwpmc_param_ops, &probes_linger, 0644);
MODULE_PARM_DESC(probes_linger,
		 "ms for which probes stay registered after their last user (default 2000, 1..3600000)");

static DEFINE_MUTEX(hwpmc_probes_lock);
static unsigned long hwpmc_probes_users;	/* PMCs: virtual ones, and those that sample */
static bool hwpmc_probes_on;

static void hwpmc_probes_check(struct work_struct *work);
static DECLARE_DELAYED_WORK(hwpmc_probes_work, hwpmc_probes_check);

/** hwpmc_probes_linger - parameter probes_linger, in jiffies; any context */
unsigned long hwpmc_probes_linger(void)
{
	return msecs_to_jiffies(READ_ONCE(probes_linger.value));
}

/**
 * hwpmc_probes_get - register the hooks, or take a reference to them
 *
 * Context: may sleep; called with owner->lock held.
 * Return: 0, -ENOENT without a tracepoint, or the error of its registration.
 */
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

/** hwpmc_probes_put - drop a reference; may sleep; a work item unregisters the hooks later */
void hwpmc_probes_put(void)
{
	mutex_lock(&hwpmc_probes_lock);
	hwpmc_probes_users--;
	mutex_unlock(&hwpmc_probes_lock);
	hwpmc_probes_idle();
}

/**
 * hwpmc_probes_idle - unregister the hooks after probes_linger, if they are not needed then
 *
 * Context: any but NMI; not with a runqueue locked.
 */
void hwpmc_probes_idle(void)
{
	mod_delayed_work(system_wq, &hwpmc_probes_work, hwpmc_probes_linger());
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

/* Unused records of tasks that have not left their CPU since their last link was removed. */
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

/**
 * hwpmc_probes_exit - unhook every task and free all records
 *
 * No owner exists, so every record is unused, and hwpmc_hook_poll_exit() freed those of tasks that
 * sleep. The notifiers of the others must not be called any more: they are unlinked with every CPU
 * stopped. Until then the probe of sched_process_free keeps the tasks of the records valid.
 *
 * Context: module exit; may sleep.
 */
void hwpmc_probes_exit(void)
{
	struct hwpmc_thread *th, *next;

	cancel_delayed_work_sync(&hwpmc_probes_work);
	if (hwpmc_thread_count())
		stop_machine(hwpmc_probes_purge, NULL, NULL);
	/* The end of a task may have queued the work again meanwhile. */
	mutex_lock(&hwpmc_probes_lock);
	hwpmc_probes_remove();
	mutex_unlock(&hwpmc_probes_lock);
	synchronize_rcu();
	list_for_each_entry_safe(th, next, &hwpmc_probes_purged, pending)
		hwpmc_thread_free(th);
	/* Wait for records that call_rcu() frees, then for work that these may have queued. */
	rcu_barrier();
	cancel_delayed_work_sync(&hwpmc_probes_work);
}
