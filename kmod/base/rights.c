// SPDX-License-Identifier: GPL-2.0-only
/*
 * Permission checks: which caller may count, sample or attach what. Called for the current
 * task by ioctls, in process context, and for an owner by the probe of exec (task/life.c).
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/pid.h>
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

static bool probes = true;
module_param(probes, bool, 0644);
MODULE_PARM_DESC(probes, "allow PMCs of class PROBE, to those who have CAP_PERFMON (default 1)");

/*
 * Whether current has a capability in the initial user namespace. Writes no audit record, since a
 * caller without the capability is the normal case.
 */
static bool hwpmc_rights_capable(int cap)
{
	return ns_capable_noaudit(&init_user_ns, cap);
}

/** hwpmc_rights_perfmon - whether current has CAP_PERFMON or CAP_SYS_ADMIN. Context: process. */
bool hwpmc_rights_perfmon(void)
{
	return hwpmc_rights_capable(CAP_PERFMON) || hwpmc_rights_capable(CAP_SYS_ADMIN);
}

/**
 * hwpmc_rights_perfmon_of - whether credentials have one of the capabilities of
 * hwpmc_rights_perfmon()
 * @cred: for example those of the opener of a file
 *
 * Security modules are not consulted: they check tasks. Context: any.
 */
bool hwpmc_rights_perfmon_of(const struct cred *cred)
{
	return cred->user_ns == &init_user_ns &&
	       (cap_raised(cred->cap_effective, CAP_PERFMON) ||
		cap_raised(cred->cap_effective, CAP_SYS_ADMIN));
}

/** hwpmc_rights_admin - whether current may end other users' PMCs. Context: process. */
bool hwpmc_rights_admin(void)
{
	return hwpmc_rights_capable(CAP_SYS_ADMIN);
}

/** hwpmc_rights_probes - whether the administrator permits probes at all. Context: any. */
bool hwpmc_rights_probes(void)
{
	return READ_ONCE(probes);
}

/** hwpmc_rights_count_system - whether current may count on whole CPUs. Context: process. */
bool hwpmc_rights_count_system(void)
{
	return READ_ONCE(unprivileged_syspmcs) || hwpmc_rights_perfmon();
}

/**
 * hwpmc_rights_sample_kernel - whether lockdown permits samples of kernel mode
 *
 * Samples in kernel mode and their call chains disclose the kernel's execution. Lockdown in
 * confidentiality mode forbids that to every user, whatever their capabilities. Counts are
 * permitted: perf discloses as much under the same lockdown. Integrity mode forbids nothing.
 * Context: process.
 */
bool hwpmc_rights_sample_kernel(void)
{
	return !security_locked_down(LOCKDOWN_PERF);
}

/**
 * hwpmc_rights_hide - whether the holder and the properties of a PMC are hidden from current
 * @owner: owner of the PMC
 * @perfmon: whether current has CAP_PERFMON, see hwpmc_rights_perfmon()
 *
 * It may see PMCs of its own user, with CAP_PERFMON those of all users, but only of processes that
 * are visible in its PID namespace; this also holds for a container's root. Every sentence and
 * every reply that describes a holder depends on this.
 *
 * Context: process; takes no lock. Return: NULL if they are visible; otherwise a description of the
 * holder for a sentence, which discloses nothing.
 */
const char *hwpmc_rights_hide(const struct hwpmc_owner *owner, bool perfmon)
{
	return hwpmc_rights_hide_process(owner->uid, owner->pid, perfmon);
}

/* The same for an owner that may be closed: @uid and @pid were its own. */
const char *hwpmc_rights_hide_process(kuid_t uid, struct pid *pid, bool perfmon)
{
	if (!perfmon && !uid_eq(uid, current_fsuid()))
		return "another user";
	return pid_vnr(pid) ? NULL : "a process outside of this PID namespace";
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
 * hwpmc_rights_take - store the rights of current
 * @rights: set; the caller calls hwpmc_rights_drop()
 * @cred: the credentials of current
 *
 * Context: process; no lock held that a security module could not sleep under.
 */
void hwpmc_rights_take(struct hwpmc_rights *rights, const struct cred *cred)
{
	rights->cred = get_cred(cred);
	/* Valid as long as @cred. */
	rights->ptrace_ns = NULL;
	if (ns_capable_noaudit(cred->user_ns, CAP_SYS_PTRACE))
		rights->ptrace_ns = cred->user_ns;
	rights->perfmon = hwpmc_rights_perfmon();
	hwpmc_label_get(current, &rights->label);
}

/* Drop rights that were taken, or that are zero. Context: any but NMI. */
void hwpmc_rights_drop(struct hwpmc_rights *rights)
{
	put_cred(rights->cred);
	rights->cred = NULL;
}

/**
 * hwpmc_rights_describe - collect the properties that determine who may follow a task
 * @task: the task, alive
 * @subject: set
 *
 * Context: RCU held, or @task is current; takes a lock of the task that must not be taken with
 * interrupts off. @subject is valid as long as RCU is held, or @task does not change credentials.
 */
void hwpmc_rights_describe(struct task_struct *task, struct hwpmc_subject *subject)
{
	subject->cred = __task_cred(task);
	subject->dumpable = hwpmc_dumpable_get(task, &subject->ns);
	hwpmc_label_get(task, &subject->label);
}

/*
 * Whether @rights have CAP_SYS_PTRACE in @ns, by the rule of cap_capable(): in @ns or an ancestor
 * of it, or because their user created one of them.
 */
static bool hwpmc_rights_ptrace_in(const struct hwpmc_rights *rights,
				   const struct user_namespace *ns)
{
	const struct cred *mine = rights->cred;

	for (; ns; ns = ns->parent)
		if (ns == rights->ptrace_ns ||
		    (ns->parent == mine->user_ns && uid_eq(ns->owner, mine->euid)))
			return true;
	return false;
}

/**
 * hwpmc_rights_follow - whether a task may be followed
 * @rights: of the opener of the device, or of the caller of ATTACH: both must be permitted
 * @subject: the task
 *
 * The task has the same uids, gids and user namespace, no further capabilities, and is dumpable.
 * CAP_SYS_PTRACE in the user namespace of its credentials, or of its memory, replaces the
 * respective condition. Context: any; takes no lock.
 */
bool hwpmc_rights_follow(const struct hwpmc_rights *rights, const struct hwpmc_subject *subject)
{
	if (!hwpmc_rights_subset(rights->cred, subject->cred) &&
	    !hwpmc_rights_ptrace_in(rights, subject->cred->user_ns))
		return false;
	return subject->dumpable || hwpmc_rights_ptrace_in(rights, subject->ns);
}

/**
 * hwpmc_rights_copy - whether samples may have copies of a task's registers and stack
 * @rights: of the opener of the device, or of the caller of ATTACH: both must be permitted
 * @subject: a task that may be followed
 *
 * A security module could forbid ptrace between tasks of one user with different labels, but the
 * module cannot query it. So such a copy needs CAP_PERFMON, with which every stack can be copied.
 * Context: any; takes no lock.
 */
bool hwpmc_rights_copy(const struct hwpmc_rights *rights, const struct hwpmc_subject *subject)
{
	return rights->perfmon || hwpmc_label_same(&rights->label, &subject->label);
}

/**
 * hwpmc_rights_refusal - why a task may not be followed
 * @owner: the follower: its opener must be permitted
 * @caller: the rights of current, which must be permitted, too
 * @task: the task, alive
 * @copies: samples are to have copies of its registers and stack
 *
 * A process may always follow itself. Context: process; RCU held; takes a lock of the task. Return:
 * NULL if it may be followed; otherwise the reason, for a sentence.
 */
const char *hwpmc_rights_refusal(const struct hwpmc_owner *owner, const struct hwpmc_rights *caller,
				 struct task_struct *task, bool copies)
{
	const struct hwpmc_rights *opener = &owner->rights;
	struct hwpmc_subject subject;

	if (same_thread_group(task, current))
		return NULL;
	hwpmc_rights_describe(task, &subject);
	if (!hwpmc_rights_follow(caller, &subject) || !hwpmc_rights_follow(opener, &subject))
		return "for caller or opener it is another user's, set-id, has more capabilities or is not dumpable; CAP_SYS_PTRACE is needed";
	if (copies &&
	    (!hwpmc_rights_copy(caller, &subject) || !hwpmc_rights_copy(opener, &subject)))
		return "the PMC copies stacks (user_stack), and its security label differs; CAP_PERFMON is needed";
	return NULL;
}
