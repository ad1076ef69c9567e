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

static struct hwpmc_pmc *hwpmc_follow_pmc(struct hwpmc_owner *owner,
					  const struct hwpmc_attach *args, int *err)
{
	struct hwpmc_pmc *pmc;

	if (args->reserved) {
		*err = hwpmc_fail_reserved(owner);
		return NULL;
	}
	pmc = hwpmc_id_list_find(owner, args->id, err);
	if (!pmc)
		return NULL;
	*err = 0;
	if (!hwpmc_mode_virtual(pmc->mode))
		*err = hwpmc_fail(owner, -EINVAL, "a system-wide PMC has no targets");
	else if ((args->flags & HWPMC_ATTACH_TID) && (pmc->flags & HWPMC_F_DESCENDANTS))
		*err = hwpmc_fail(owner, -EINVAL, "a PMC with DESCENDANTS follows whole processes, not one thread");
	return *err ? NULL : pmc;
}

/* Whether @args are of a single thread of @pmc. */
static bool hwpmc_follow_single(const struct hwpmc_pmc *pmc, const struct hwpmc_attach *args)
{
	return (args->flags & HWPMC_ATTACH_TID) || (pmc->flags & HWPMC_F_THREAD);
}

/**
 * hwpmc_follow_pid - find the process or thread that the caller names
 * @owner: whose call it is; owner->lock held
 * @nr: number in the caller's PID namespace, or 0: the caller; with HWPMC_ATTACH_PIDFD a pidfd
 * @flags: HWPMC_ATTACH_*
 * @single: it is a thread; else the number of a thread stands for its process
 *
 * Context: process. Return: the pid, referenced, or NULL after hwpmc_fail().
 */
struct pid *hwpmc_follow_pid(struct hwpmc_owner *owner, int nr, u32 flags, bool single)
{
	struct pid *pid;

	if (flags & HWPMC_ATTACH_PIDFD)
		pid = hwpmc_follow_pid_of_fd(owner, nr);
	else
		pid = hwpmc_follow_pid_of_number(owner, nr, single);
	return pid && !single ? hwpmc_follow_pid_of_process(owner, pid) : pid;
}

/* Copies the reply out here: if the caller cannot get it, the attach is undone. */
static int hwpmc_follow_attach(struct hwpmc_pmc *pmc, struct hwpmc_attach *args, struct pid *pid,
			       bool single)
{
	struct hwpmc_owner *owner = pmc->owner;
	bool before = pmc->attached, again;
	int err;

	if (pmc->page)
		return hwpmc_fail(owner, -EPERM, "the PMC has a page for programs (USER_READ), which belongs to one thread: allocate another PMC");
	if (pmc->state == HWPMC_RUNNING)
		return hwpmc_fail(owner, -EBUSY, "the PMC runs: stop it before attaching");
	/* exec has removed the links of a target that is attached again. */
	again = hwpmc_target_handle(pmc, pid, single);
	err = hwpmc_attach_target(pmc, pid, single);
	if (err)
		return err;
	args->target = hwpmc_target_handle(pmc, pid, single);
	args->left_out = owner->left_out;
	if (!copy_to_user(owner->args, args, sizeof(*args)))
		return 0;
	if (!before)
		hwpmc_hangup_set_attached(pmc, false);
	hwpmc_attach_undo(pmc, pid, single, again);
	args->target = 0;
	args->left_out = 0;
	return hwpmc_fail_copy(owner);
}

int hwpmc_follow_attach_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_attach *attach = &args->attach;
	struct hwpmc_pmc *pmc;
	struct pid *pid;
	bool single;
	int err;

	attach->target = 0;
	attach->left_out = 0;
	pmc = hwpmc_follow_pmc(owner, attach, &err);
	if (!pmc)
		return err;
	single = hwpmc_follow_single(pmc, attach);
	pid = hwpmc_follow_pid(owner, attach->pid, attach->flags, single);
	if (!pid)
		return -owner->error;
	err = hwpmc_follow_attach(pmc, attach, pid, single);
	put_pid(pid);
	return err;
}

static int hwpmc_follow_detach_handle(struct hwpmc_pmc *pmc, const struct hwpmc_attach *args)
{
	if (args->flags & ~HWPMC_ATTACH_TARGET)
		return hwpmc_fail(pmc->owner, -EOPNOTSUPP, "TARGET excludes the flags 0x%x",
				  args->flags & ~HWPMC_ATTACH_TARGET);
	if (args->pid)
		return hwpmc_fail(pmc->owner, -EINVAL, "a target is named by its handle or by pid, not by both");
	return hwpmc_target_detach_handle(pmc, args->target);
}

int hwpmc_follow_detach_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	const struct hwpmc_attach *attach = &args->attach;
	struct hwpmc_pmc *pmc;
	struct pid *pid;
	bool single;
	int err;

	pmc = hwpmc_follow_pmc(owner, attach, &err);
	if (!pmc)
		return err;
	if (attach->flags & HWPMC_ATTACH_TARGET)
		return hwpmc_follow_detach_handle(pmc, attach);
	if (attach->target)
		return hwpmc_fail(owner, -EINVAL, "target is set without HWPMC_ATTACH_TARGET: set that flag, or target to 0");
	single = hwpmc_follow_single(pmc, attach);
	pid = hwpmc_follow_pid(owner, attach->pid, attach->flags, single);
	if (!pid)
		return -owner->error;
	err = hwpmc_target_detach(pmc, pid, single);
	put_pid(pid);
	return err;
}
