// SPDX-License-Identifier: GPL-2.0-only
/* Owners: open files of /dev/hwpmc. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "owner.h"
#include "stat.h"

/**
 * hwpmc_owner_create - an owner for an open file
 * @file: of /dev/hwpmc, being opened by current
 * @notify: wakes and signals its waiters: hwpmc_notify_work()
 *
 * Context: may sleep. Return: NULL without memory.
 */
struct hwpmc_owner *hwpmc_owner_create(struct file *file, work_func_t notify)
{
	struct hwpmc_owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL_ACCOUNT);

	if (!owner)
		return NULL;
	mutex_init(&owner->lock);
	init_waitqueue_head(&owner->waiters);
	INIT_WORK(&owner->notify, notify);
	owner->file = file;
	/* It lives as long as the file's credentials. */
	if (ns_capable(file->f_cred->user_ns, CAP_SYS_PTRACE))
		owner->ptrace_ns = file->f_cred->user_ns;
	owner->pid = get_pid(task_tgid(current));
	owner->uid = file->f_cred->fsuid;
	owner->pid_ns = get_pid_ns(task_active_pid_ns(current));
	get_task_comm(owner->comm, current->group_leader);
	hwpmc_stat_inc(HWPMC_STAT_OWNERS);
	return owner;
}

/* Its PMCs, its log and its rings are gone. May sleep. */
void hwpmc_owner_free(struct hwpmc_owner *owner)
{
	cancel_work_sync(&owner->notify);
	put_pid_ns(owner->pid_ns);
	put_pid(owner->pid);
	kvfree(owner->pmcs);
	kvfree(owner->serials);
	hwpmc_stat_add(HWPMC_STAT_OWNERS, -1);
	kfree(owner);
}
