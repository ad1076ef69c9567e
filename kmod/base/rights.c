// SPDX-License-Identifier: GPL-2.0-only
/* Rights: who may count what. */
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
		 "whoever may open the device may count, but not sample, on whole CPUs (default 0)");

/* CAP_PERFMON, or CAP_SYS_ADMIN. */
bool hwpmc_rights_perfmon(void)
{
	return perfmon_capable();
}

bool hwpmc_rights_count_system(void)
{
	return READ_ONCE(unprivileged_syspmcs) || hwpmc_rights_perfmon();
}

/*
 * A kernel that is locked down for confidentiality tells nobody, whatever his
 * rights, what it does: that is what samples in kernel mode and their call chains
 * do. Counts do not, and perf gives them too; below that level nothing here
 * counts as "unsafe use of perf".
 */
bool hwpmc_rights_sample_kernel(void)
{
	return !security_locked_down(LOCKDOWN_PERF);
}

/*
 * The same user in every respect, who can do no more than the caller: what a
 * set-id program is not, nor anybody in another user namespace. As the kernel has
 * it for ptrace (PTRACE_MODE_REALCREDS).
 */
static bool hwpmc_rights_no_more(const struct cred *mine, const struct cred *theirs)
{
	return uid_eq(mine->uid, theirs->euid) && uid_eq(mine->uid, theirs->suid) &&
	       uid_eq(mine->uid, theirs->uid) && gid_eq(mine->gid, theirs->egid) &&
	       gid_eq(mine->gid, theirs->sgid) && gid_eq(mine->gid, theirs->gid) &&
	       mine->user_ns == theirs->user_ns &&
	       cap_issubset(theirs->cap_permitted, mine->cap_permitted);
}

/**
 * hwpmc_rights_attach - whether the caller may follow a task
 * @task: alive
 *
 * The same uids and gids, no more capabilities and dumpable, or CAP_SYS_PTRACE
 * where the task's memory and credentials belong; one's own process always.
 * Context: RCU held.
 */
bool hwpmc_rights_attach(struct task_struct *task)
{
	const struct cred *theirs = __task_cred(task);
	struct user_namespace *ns;

	if (same_thread_group(task, current))
		return true;
	if (!hwpmc_rights_no_more(current_cred(), theirs) &&
	    !ns_capable(theirs->user_ns, CAP_SYS_PTRACE))
		return false;
	return hwpmc_dumpable_get(task, &ns) || ns_capable(ns, CAP_SYS_PTRACE);
}

/*
 * Whether an owner had CAP_SYS_PTRACE in @ns, as cap_capable() tells: in it or above,
 * or because it made it, or one above. The kernel's own question may log, which
 * cannot be done here.
 */
static bool hwpmc_rights_covers(const struct hwpmc_owner *owner, const struct user_namespace *ns)
{
	const struct cred *mine = owner->file->f_cred;

	for (; ns; ns = ns->parent)
		if (ns == owner->ptrace_ns ||
		    (ns->parent == mine->user_ns && uid_eq(ns->owner, mine->euid)))
			return true;
	return false;
}

/**
 * hwpmc_rights_keep - whether an owner may go on following a task that did exec
 * @owner: by the rights that it had when it opened the device
 * @theirs: the task's credentials now
 * @dumpable: whether the task is, and
 * @ns: where CAP_SYS_PTRACE would do instead: see hwpmc_dumpable_get()
 *
 * Context: any; takes no lock.
 */
bool hwpmc_rights_keep(const struct hwpmc_owner *owner, const struct cred *theirs,
		       bool dumpable, const struct user_namespace *ns)
{
	if (!hwpmc_rights_no_more(owner->file->f_cred, theirs) &&
	    !hwpmc_rights_covers(owner, theirs->user_ns))
		return false;
	return dumpable || hwpmc_rights_covers(owner, ns);
}
