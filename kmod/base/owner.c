// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owners: open files of /dev/hwpmc. Created by open() in cdev.c and freed when the file is
 * closed (call/release.c) or its log has ended (log/writer.c). Process context.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "owner.h"
#include "stat.h"

static atomic64_t hwpmc_owner_last = ATOMIC64_INIT(0);

atomic_t hwpmc_system_samplers = ATOMIC_INIT(0);

/* By number. Its lock is held for one step at a time, since any user may dump the owners. */
static DEFINE_XARRAY(hwpmc_owners);

/* As hwpmc_registry_newest(), of owners. Context: any. */
unsigned long hwpmc_owner_newest(void)
{
	return (unsigned long)atomic64_read(&hwpmc_owner_last);
}

/**
 * hwpmc_owner_next - describe the first owner after a number
 * @number: the number, 0 to begin
 * @end: the largest number; see hwpmc_owner_newest()
 * @view: set; the caller puts @view->pid
 *
 * Context: process. Return: false if there is none.
 */
bool hwpmc_owner_next(unsigned long number, unsigned long end, struct hwpmc_owner_view *view)
{
	const struct hwpmc_owner *owner;

	xa_lock(&hwpmc_owners);
	owner = xa_find_after(&hwpmc_owners, &number, end, XA_PRESENT);
	if (owner) {
		view->number = number;
		view->pid = get_pid(owner->pid);
		view->uid = owner->uid;
		memcpy(view->comm, owner->comm, sizeof(view->comm));
		view->used = READ_ONCE(owner->used);
	}
	xa_unlock(&hwpmc_owners);
	return owner;
}

/* Counts @owner for its user. 0, -EMFILE or -ENOMEM. */
static int hwpmc_owner_count(struct hwpmc_owner *owner)
{
	owner->user = hwpmc_user_get(owner->uid);
	if (!owner->user)
		return -ENOMEM;
	owner->unlimited = ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
	if (hwpmc_user_take(owner, HWPMC_USER_FILES))
		return 0;
	hwpmc_user_put(owner->user);
	return -EMFILE;
}

/**
 * hwpmc_owner_create - create the owner of an open file
 * @file: file of /dev/hwpmc that current is opening
 * @notify: function that wakes and signals the waiters: hwpmc_notify_work()
 *
 * Context: may sleep. Return: the owner, or an error pointer: -ENOMEM, or -EMFILE if the user has
 * max_files files already.
 */
struct hwpmc_owner *hwpmc_owner_create(struct file *file, work_func_t notify)
{
	struct hwpmc_owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL_ACCOUNT);
	int err;

	if (!owner)
		return ERR_PTR(-ENOMEM);
	owner->uid = file->f_cred->fsuid;
	err = hwpmc_owner_count(owner);
	if (err) {
		kfree(owner);
		return ERR_PTR(err);
	}
	mutex_init(&owner->lock);
	raw_spin_lock_init(&owner->link_lock);
	init_waitqueue_head(&owner->waiters);
	INIT_WORK(&owner->notify, notify);
	INIT_LIST_HEAD(&owner->sampler_blocks);
	xa_init(&owner->pages);
	owner->file = file;
	owner->number = atomic64_inc_return(&hwpmc_owner_last);
	hwpmc_rights_take(&owner->rights, file->f_cred);
	owner->pid = get_pid(task_tgid(current));
	owner->pid_ns = get_pid_ns(task_active_pid_ns(current));
	get_task_comm(owner->comm, current->group_leader);
	err = xa_insert(&hwpmc_owners, owner->number, owner, GFP_KERNEL_ACCOUNT);
	if (err) {
		hwpmc_user_add(owner, HWPMC_USER_FILES, -1);
		hwpmc_owner_free(owner);
		return ERR_PTR(err);
	}
	hwpmc_stat_inc(HWPMC_STAT_OWNERS);
	return owner;
}

/**
 * hwpmc_owner_unlist - remove an owner from its user's count of open files, and from dumps
 * @owner: its file is closed; it may have been removed already
 *
 * Context: may sleep.
 */
void hwpmc_owner_unlist(struct hwpmc_owner *owner)
{
	if (!xa_erase(&hwpmc_owners, owner->number))
		return;
	hwpmc_user_add(owner, HWPMC_USER_FILES, -1);
	hwpmc_stat_add(HWPMC_STAT_OWNERS, -1);
}

/**
 * hwpmc_owner_count_sampler - count a PMC that samples a whole CPU
 * @owner: its owner
 * @by: 1, or -1 if it ends
 *
 * Context: process; owner->lock held.
 */
void hwpmc_owner_count_sampler(struct hwpmc_owner *owner, int by)
{
	WRITE_ONCE(owner->system_samplers, owner->system_samplers + by);
	atomic_add(by, &hwpmc_system_samplers);
}

/**
 * hwpmc_owner_free - free an owner
 * @owner: its PMCs are released, its log is closed and its rings are destroyed
 *
 * Context: may sleep; no lock held.
 */
void hwpmc_owner_free(struct hwpmc_owner *owner)
{
	hwpmc_owner_unlist(owner);
	cancel_work_sync(&owner->notify);
	put_pid_ns(owner->pid_ns);
	put_pid(owner->pid);
	hwpmc_rights_drop(&owner->rights);
	hwpmc_user_put(owner->user);
	kvfree(owner->pmcs);
	kvfree(owner->serials);
	kvfree(owner->groups);
	kfree_rcu(owner, rcu);
}
