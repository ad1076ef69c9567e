// SPDX-License-Identifier: GPL-2.0-only
/*
 * ATTACH and DETACH: find the process or thread that the caller names, then attach or
 * detach it. Called by kmod/ioctl.c, in process context with owner->lock held; may sleep.
 */
#include <linux/file.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "../base/owner.h"
#include "../compat/compat.h"
#include "../pmc/pmc.h"
#include "../task/target.h"
#include "call.h"

static struct pid *hwpmc_follow_pid_of_fd(struct hwpmc_owner *owner, int fd)
{
	struct file *file = fget(fd);
	struct pid *pid = file ? hwpmc_pidfd_pid(file) : NULL;

	if (pid)
		get_pid(pid);
	else
		hwpmc_fail(owner, -EBADF, "file descriptor %d is not a pidfd", fd);
	if (file)
		fput(file);
	return pid;
}

static struct pid *hwpmc_follow_pid_of_number(struct hwpmc_owner *owner, int nr, bool single)
{
	struct pid *pid;

	if (!nr)
		return get_pid(single ? task_pid(current) : task_tgid(current));
	pid = nr > 0 ? find_get_pid(nr) : NULL;
	if (!pid)
		hwpmc_fail(owner, -ESRCH, "there is no process %d", nr);
	return pid;
}

/* Replaces the pid of a thread by that of its process. Consumes the reference to @pid. */
static struct pid *hwpmc_follow_pid_of_process(struct hwpmc_owner *owner, struct pid *pid)
{
	struct task_struct *task;
	struct pid *leader = NULL;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	if (task)
		leader = get_pid(task_tgid(task));
	rcu_read_unlock();
	if (!leader)
		return pid;
	put_pid(pid);
	return leader;
}

static int hwpmc_follow_apply(struct hwpmc_owner *owner, const struct hwpmc_attach *args,
			      int (*fn)(struct hwpmc_pmc *pmc, struct pid *pid, bool single,
					const struct hwpmc_attach *args))
{
	bool single = args->flags & HWPMC_ATTACH_TID;
	struct hwpmc_pmc *pmc;
	struct pid *pid;
	int err = 0;

	if (args->reserved)
		return hwpmc_fail_reserved(owner);
	pmc = hwpmc_id_list_find(owner, args->id, &err);
	if (!pmc)
		return err;
	if (!hwpmc_mode_virtual(pmc->mode))
		return hwpmc_fail(owner, -EINVAL, "a system-wide PMC has no targets");
	if (single && (pmc->flags & HWPMC_F_DESCENDANTS))
		return hwpmc_fail(owner, -EINVAL, "a PMC with DESCENDANTS follows whole processes, not one thread");
	single |= !!(pmc->flags & HWPMC_F_THREAD);
	if (args->flags & HWPMC_ATTACH_PIDFD)
		pid = hwpmc_follow_pid_of_fd(owner, args->pid);
	else
		pid = hwpmc_follow_pid_of_number(owner, args->pid, single);
	if (!pid)
		return -owner->error;
	if (!single)
		pid = hwpmc_follow_pid_of_process(owner, pid);
	err = fn(pmc, pid, single, args);
	put_pid(pid);
	return err;
}

static int hwpmc_follow_attach(struct hwpmc_pmc *pmc, struct pid *pid, bool single,
			       const struct hwpmc_attach *args)
{
	struct hwpmc_attach __user *user = pmc->owner->args;
	bool before = pmc->attached;
	int err;

	if (pmc->state == HWPMC_RUNNING)
		return hwpmc_fail(pmc->owner, -EBUSY, "the PMC runs: stop it before attaching");
	err = hwpmc_target_attach(pmc, pid, single);
	if (err)
		return err;
	if (!put_user(pmc->owner->left_out, &user->left_out))
		return 0;
	/* The reply cannot be delivered: so nothing is attached. */
	if (!before)
		hwpmc_hangup_set_attached(pmc, false);
	hwpmc_target_detach(pmc, pid, single);
	return hwpmc_fail_copy(pmc->owner);
}

static int hwpmc_follow_detach(struct hwpmc_pmc *pmc, struct pid *pid, bool single,
			       const struct hwpmc_attach *args)
{
	return hwpmc_target_detach(pmc, pid, single);
}

int hwpmc_follow_attach_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_follow_apply(owner, &args->attach, hwpmc_follow_attach);
}

int hwpmc_follow_detach_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_follow_apply(owner, &args->attach, hwpmc_follow_detach);
}
