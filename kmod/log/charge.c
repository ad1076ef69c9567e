// SPDX-License-Identifier: GPL-2.0-only
/*
 * Charges the memory of rings to users. A user has an allowance for each CPU that is online, as for
 * perf's buffers (perf_event_mlock_kb), so that rings of the default size fit on a machine of any
 * number of CPUs. What exceeds it is locked memory, which RLIMIT_MEMLOCK limits; CAP_IPC_LOCK lifts
 * the limit.
 *
 * The allowance is not counted in user->locked_vm, which counts against the limits of perf,
 * io_uring and BPF. Called in process context; may sleep.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>

#include "../base/param.h"
#include "charge.h"

static struct hwpmc_param mlock_kb = { .value = 528, .least = 0, .most = 1048576 };
module_param_cb(mlock_kb, &hwpmc_param_ops, &mlock_kb, 0644);
MODULE_PARM_DESC(mlock_kb,
		 "memory for rings that a user may have beyond RLIMIT_MEMLOCK, for each online CPU, in KiB (default 528, 0..1048576)");

/**
 * struct hwpmc_charge_user - a user who has rings
 * @node: in hwpmc_charge_users
 * @user: the user; referenced
 * @charges: number of owners with a charge
 * @allowed: pages of the allowance that are in use
 * @pages: pages of all rings
 * @ending: number of @charges that are dropped after a grace period
 */
struct hwpmc_charge_user {
	struct list_head node;
	struct user_struct *user;
	unsigned int charges;
	unsigned long allowed;
	unsigned long pages;
	unsigned int ending;
};

static LIST_HEAD(hwpmc_charge_users);
static DEFINE_MUTEX(hwpmc_charge_lock);

/* Closed files of a user whose rings may wait for the same grace period. */
#define HWPMC_CHARGE_ENDING	64

/* Number of ending charges that were dropped so far, and the tasks that wait for the next one. */
static atomic_t hwpmc_charge_drops;
static DECLARE_WAIT_QUEUE_HEAD(hwpmc_charge_waiters);

static struct hwpmc_charge_user *hwpmc_charge_find_user(const struct user_struct *user)
{
	struct hwpmc_charge_user *it;

	lockdep_assert_held(&hwpmc_charge_lock);
	list_for_each_entry(it, &hwpmc_charge_users, node)
		if (it->user == user)
			return it;
	return NULL;
}

static struct hwpmc_charge_user *hwpmc_charge_find(void)
{
	return hwpmc_charge_find_user(current_user());
}

static struct hwpmc_charge_user *hwpmc_charge_get(void)
{
	struct hwpmc_charge_user *it = hwpmc_charge_find();

	if (!it) {
		it = kzalloc(sizeof(*it), GFP_KERNEL_ACCOUNT);
		if (!it)
			return NULL;
		it->user = get_uid(current_user());
		list_add(&it->node, &hwpmc_charge_users);
	}
	it->charges++;
	return it;
}

static void hwpmc_charge_put(struct hwpmc_charge_user *it)
{
	lockdep_assert_held(&hwpmc_charge_lock);
	if (--it->charges)
		return;
	list_del(&it->node);
	free_uid(it->user);
	kfree(it);
}

/* Pages of the allowance that are not in use; @it: current's user, or NULL if it has no rings. */
static unsigned long hwpmc_charge_allowance(const struct hwpmc_charge_user *it)
{
	unsigned long used = it ? it->allowed : 0;
	unsigned long all = (u64)READ_ONCE(mlock_kb.value) * num_online_cpus() >> (PAGE_SHIFT - 10);

	return all - min(all, used);
}

static bool hwpmc_charge_unlimited(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK);
}

static unsigned long hwpmc_charge_limit(void)
{
	return rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
}

/**
 * hwpmc_charge_add - charge current's user
 * @charge: zeroed; filled in
 * @pages: how many pages
 *
 * Context: may sleep. Return: 0, -EPERM if that is more than the user may have, -ENOMEM; then
 * nothing is charged.
 */
int hwpmc_charge_add(struct hwpmc_charge *charge, unsigned long pages)
{
	struct hwpmc_charge_user *it;
	int err = -ENOMEM;
	long now;

	mutex_lock(&hwpmc_charge_lock);
	it = hwpmc_charge_get();
	if (!it)
		goto out;
	charge->allowed = min(pages, hwpmc_charge_allowance(it));
	charge->locked = pages - charge->allowed;
	now = atomic_long_add_return(charge->locked, &it->user->locked_vm);
	err = 0;
	if (charge->locked && now > hwpmc_charge_limit() && !hwpmc_charge_unlimited()) {
		atomic_long_sub(charge->locked, &it->user->locked_vm);
		hwpmc_charge_put(it);
		err = -EPERM;
		goto out;
	}
	it->allowed += charge->allowed;
	it->pages += pages;
	charge->user = it;
out:
	mutex_unlock(&hwpmc_charge_lock);
	return err;
}

/**
 * hwpmc_charge_drop - undo hwpmc_charge_add()
 * @charge: may be zeroed
 *
 * Context: may sleep.
 */
void hwpmc_charge_drop(struct hwpmc_charge *charge)
{
	struct hwpmc_charge_user *it = charge->user;

	if (!it)
		return;
	mutex_lock(&hwpmc_charge_lock);
	atomic_long_sub(charge->locked, &it->user->locked_vm);
	it->allowed -= charge->allowed;
	it->pages -= charge->allowed + charge->locked;
	it->ending -= charge->ending;
	hwpmc_charge_put(it);
	mutex_unlock(&hwpmc_charge_lock);
	charge->user = NULL;
	if (charge->ending) {
		atomic_inc(&hwpmc_charge_drops);
		wake_up_all(&hwpmc_charge_waiters);
	}
}

/* Wait until at most @most charges of @user are ending. */
static void hwpmc_charge_wait_user(const struct user_struct *user, unsigned int most)
{
	for (;;) {
		const struct hwpmc_charge_user *it;
		int drops = atomic_read(&hwpmc_charge_drops);
		bool wait;

		mutex_lock(&hwpmc_charge_lock);
		it = hwpmc_charge_find_user(user);
		wait = it && it->ending > most;
		mutex_unlock(&hwpmc_charge_lock);
		if (!wait)
			return;
		wait_event(hwpmc_charge_waiters, atomic_read(&hwpmc_charge_drops) != drops);
	}
}

/**
 * hwpmc_charge_end - note that a charge will be dropped after a grace period
 * @charge: added
 *
 * Waits if the user has HWPMC_CHARGE_ENDING of these already, so that the memory of closed files is
 * bounded. Context: may sleep.
 */
void hwpmc_charge_end(struct hwpmc_charge *charge)
{
	hwpmc_charge_wait_user(charge->user->user, HWPMC_CHARGE_ENDING - 1);
	mutex_lock(&hwpmc_charge_lock);
	charge->user->ending++;
	charge->ending = true;
	mutex_unlock(&hwpmc_charge_lock);
}

/**
 * hwpmc_charge_wait - wait until the memory of files that current's user closed is not charged
 *
 * Called before anything that depends on how much memory the user may have. Context: may sleep.
 */
void hwpmc_charge_wait(void)
{
	hwpmc_charge_wait_user(current_user(), 0);
}

/**
 * hwpmc_charge_room - pages for rings that current's user may have in addition to those it has
 *
 * Context: may sleep. Return: pages; ULONG_MAX without a limit. Others may use them up meanwhile.
 */
unsigned long hwpmc_charge_room(void)
{
	unsigned long limit = hwpmc_charge_limit(), locked, room;

	if (hwpmc_charge_unlimited())
		return ULONG_MAX;
	locked = atomic_long_read(&current_user()->locked_vm);
	mutex_lock(&hwpmc_charge_lock);
	room = hwpmc_charge_allowance(hwpmc_charge_find());
	mutex_unlock(&hwpmc_charge_lock);
	return room + limit - min(limit, locked);
}

/** hwpmc_charge_used - pages of all rings of current's user; may sleep */
unsigned long hwpmc_charge_used(void)
{
	const struct hwpmc_charge_user *it;
	unsigned long pages;

	mutex_lock(&hwpmc_charge_lock);
	it = hwpmc_charge_find();
	pages = it ? it->pages : 0;
	mutex_unlock(&hwpmc_charge_lock);
	return pages;
}
