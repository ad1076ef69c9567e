// SPDX-License-Identifier: GPL-2.0-only
/*
 * Permission checks: which caller may count, sample or attach what. Called for the current
 * task by ioctls, in process context, and for an owner by the probe of exec (task/life.c).
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/user_namespace.h>

#include "../compat/compat.h"
#include "../hwpmc.h"
#include "owner.h"
#include "rights.h"

static bool unprivileged_syspmcs;
module_param(unprivileged_syspmcs, bool, 0644);
MODULE_PARM_DESC(unprivileged_syspmcs,
		 "allow system-wide counting, but not sampling, to every user who can open the device (default 0)");

/** hwpmc_rights_perfmon - whether current has CAP_PERFMON or CAP_SYS_ADMIN. Context: process. */
bool hwpmc_rights_perfmon(void)
{
	return perfmon_capable();
}

/** hwpmc_rights_count_system - whether current may count on whole CPUs. Context: process. */
bool hwpmc_rights_count_system(void)
{
	return READ_ONCE(unprivileged_syspmcs) || hwpmc_rights_perfmon();
}

/**
 * hwpmc_rights_sample_kernel - whether lockdown permits samples of kernel mode
 *
 * Samples in kernel mode and their call chains disclose what the kernel does. Lockdown in
 * confidentiality mode forbids that to every user, whatever their capabilities. Counts disclose
 * no more than perf does under the same lockdown, so they are not refused; nor is anything in
 * lockdown's integrity mode. Context: process.
 */
bool hwpmc_rights_sample_kernel(void)
{
	return !security_locked_down(LOCKDOWN_PERF);
}

/*
 * Whether @theirs has the same uids, gids and user namespace as @mine and no capability that
 * @mine lacks. False for a set-id program and for another user namespace. The rule is ptrace's
 * (PTRACE_MODE_REALCREDS).
 */
static bool hwpmc_rights_subset(const struct cred *mine, const struct cred *theirs)
{
	return uid_eq(mine->uid, theirs->euid) && uid_eq(mine->uid, theirs->suid) &&
	       uid_eq(mine->uid, theirs->uid) && gid_eq(mine->gid, theirs->egid) &&
	       gid_eq(mine->gid, theirs->sgid) && gid_eq(mine->gid, theirs->gid) &&
	       mine->user_ns == theirs->user_ns &&
	       cap_issubset(theirs->cap_permitted, mine->cap_permitted);
}

/**
 * hwpmc_rights_attach - whether current may attach to a task
 * @task: the task, alive
 *
 * A process may always attach to itself. Another task must have the same uids and gids, no
 * further capabilities, and be dumpable; CAP_SYS_PTRACE in the user namespace of its
 * credentials, or of its memory, replaces the respective condition.
 * Context: RCU read lock held.
 */
bool hwpmc_rights_attach(struct task_struct *task)
{
	const struct cred *theirs = __task_cred(task);
	struct user_namespace *ns;

	if (same_thread_group(task, current))
		return true;
	if (!hwpmc_rights_subset(current_cred(), theirs) &&
	    !ns_capable(theirs->user_ns, CAP_SYS_PTRACE))
		return false;
	return hwpmc_dumpable_get(task, &ns) || ns_capable(ns, CAP_SYS_PTRACE);
}

/*
 * Whether an owner had CAP_SYS_PTRACE in @ns when it opened the device, by the rule of
 * cap_capable(): in @ns or an ancestor of it, or because it created one of them. The kernel's
 * own check may write an audit record, which is not possible in the probe of exec.
 */
static bool hwpmc_rights_ptrace_in(const struct hwpmc_owner *owner, const struct user_namespace *ns)
{
	const struct cred *mine = owner->file->f_cred;

	for (; ns; ns = ns->parent)
		if (ns == owner->ptrace_ns ||
		    (ns->parent == mine->user_ns && uid_eq(ns->owner, mine->euid)))
			return true;
	return false;
}

/**
 * hwpmc_rights_keep - whether an owner may keep following a task after its exec
 * @owner: the owner; checked with the credentials of its open()
 * @theirs: the task's credentials after exec
 * @dumpable: whether the task is dumpable
 * @ns: user namespace in which CAP_SYS_PTRACE replaces @dumpable, see hwpmc_dumpable_get()
 *
 * Context: any; takes no lock.
 */
bool hwpmc_rights_keep(const struct hwpmc_owner *owner, const struct cred *theirs,
		       bool dumpable, const struct user_namespace *ns)
{
	if (!hwpmc_rights_subset(owner->file->f_cred, theirs) &&
	    !hwpmc_rights_ptrace_in(owner, theirs->user_ns))
		return false;
	return dumpable || hwpmc_rights_ptrace_in(owner, ns);
}
