// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attach, one task: whether it may be followed, its record, and its link to the PMC. Called by the
 * walks of attach.c, in process context with owner->lock and RCU held.
 */
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../base/owner.h"
#include "../base/rights.h"
#include "../hwpmc.h"
#include "../pmc/context.h"
#include "../pmc/link.h"
#include "../pmc/pmc.h"
#include "attach.h"
#include "hook.h"
#include "target.h"
#include "task.h"

/* Free the unused spares. Context: may sleep. */
void hwpmc_attach_task_drop(struct hwpmc_spares *spares)
{
	struct hwpmc_thread *th, *th_next;
	struct hwpmc_link *link, *link_next;

	list_for_each_entry_safe(th, th_next, &spares->threads, pending)
		hwpmc_thread_free(th);
	list_for_each_entry_safe(link, link_next, &spares->links, in_pmc)
		hwpmc_link_free(link);
}

/**
 * hwpmc_attach_task_refill - allocate spares
 * @owner: whose call it is
 * @spares: @spares->wanted of each are allocated; then @spares->wanted is doubled, so that a
 *	process that grows takes few passes
 *
 * Context: may sleep; @owner->lock held. Return: 0, or -ENOMEM or -EINTR after hwpmc_fail().
 */
int hwpmc_attach_task_refill(struct hwpmc_owner *owner, struct hwpmc_spares *spares)
{
	unsigned int i;

	for (i = 0; i < spares->wanted; i++) {
		struct hwpmc_thread *th = hwpmc_thread_alloc(GFP_KERNEL_ACCOUNT);
		struct hwpmc_link *link = hwpmc_link_alloc(GFP_KERNEL_ACCOUNT);

		if (th)
			list_add(&th->pending, &spares->threads);
		if (link)
			list_add(&link->in_pmc, &spares->links);
		if (!th || !link)
			return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
		cond_resched();
		if (fatal_signal_pending(current))
			return hwpmc_fail(owner, -EINTR, "interrupted while attaching");
	}
	spares->wanted *= 2;
	return 0;
}

static int hwpmc_attach_busy(const struct hwpmc_attaching *at, struct task_struct *task,
			     const struct hwpmc_pmc *other)
{
	const char *hidden = hwpmc_rights_hide(other->owner, at->target->rights.perfmon);
	const struct hwpmc_pmc *pmc = at->pmc;

	if (hidden)
		return hwpmc_fail(pmc->owner, -EBUSY,
				  "pid %d is already counted on row %u, by %s; allocate again for another row",
				  task_pid_vnr(task), pmc->row, hidden);
	return hwpmc_fail(pmc->owner, -EBUSY,
			  "pid %d is already counted on row %u, by pid %d (%s); allocate again for another row",
			  task_pid_vnr(task), pmc->row, pid_vnr(other->owner->pid),
			  other->owner->comm);
}

static int hwpmc_attach_conflict(struct hwpmc_attaching *at, struct hwpmc_thread *th)
{
	struct hwpmc_link *other = hwpmc_thread_link(th, at->pmc);
	const char *limit;

	if (other)
		return other->target == at->target ? 0 : -EEXIST;
	other = hwpmc_thread_conflict(th, at->pmc);
	if (other)
		return hwpmc_attach_busy(at, th->task, other->pmc);
	limit = hwpmc_thread_limit(th, at->pmc);
	if (limit)
		return hwpmc_fail(at->pmc->owner, -EBUSY,
				  "pid %d has as many PMCs of this user on shareable rows as the parameter %s allows; release one, or ask the administrator to raise it",
				  task_pid_vnr(th->task), limit);
	return 1;
}

/*
 * Returns 1 if @task was linked, 0 if it had been linked by this ATTACH before, -EAGAIN if
 * no spares are left, or another error. @full: the user may have no more links.
 */
static int hwpmc_attach_link(struct hwpmc_attaching *at, struct hwpmc_thread *th, bool full)
{
	struct hwpmc_owner *owner = at->pmc->owner;
	int ret = hwpmc_attach_conflict(at, th);
	struct hwpmc_link *link;

	if (ret <= 0)
		return ret;
	if (full)
		return hwpmc_user_fail(owner, -EBUSY, HWPMC_USER_LINKS);
	link = list_first_entry_or_null(&at->spares.links, struct hwpmc_link, in_pmc);
	if (!link)
		return -EAGAIN;
	list_del(&link->in_pmc);
	link->thread = th;
	link->target = at->target;
	raw_spin_lock(&owner->link_lock);
	hwpmc_link_add(link, at->pmc, &th->ctx);
	raw_spin_unlock(&owner->link_lock);
	return 1;
}

/* As hwpmc_attach_link(), with a record for @task if it has none. */
static int hwpmc_attach_locked(struct hwpmc_attaching *at, struct task_struct *task, bool full)
{
	struct hwpmc_thread *first, *spare, *th;
	unsigned long flags;
	int ret;

	first = list_first_entry_or_null(&at->spares.threads, struct hwpmc_thread, pending);
	/* A record that is inserted gets a link. */
	spare = full || list_empty(&at->spares.links) ? NULL : first;
	th = hwpmc_thread_lock(task, &spare, &flags);
	if (!th)
		return full ? hwpmc_user_fail(at->pmc->owner, -EBUSY, HWPMC_USER_LINKS) : -EAGAIN;
	if (th == first) {
		list_del_init(&th->pending);
		hwpmc_hook_queue(th);
	}
	ret = hwpmc_attach_link(at, th, full);
	raw_spin_unlock_irqrestore(&th->ctx.lock, flags);
	return ret;
}

/* As hwpmc_attach_locked(), for a link that the user may have. */
static int hwpmc_attach_record(struct hwpmc_attaching *at, struct task_struct *task)
{
	struct hwpmc_owner *owner = at->pmc->owner;
	bool taken = hwpmc_user_take(owner, HWPMC_USER_LINKS);
	int ret = hwpmc_attach_locked(at, task, !taken);

	if (ret != 1 && taken)
		hwpmc_user_add(owner, HWPMC_USER_LINKS, -1);
	return ret;
}

/* Why @task may not be followed, for a sentence; NULL: it may be. RCU held. */
static const char *hwpmc_attach_refusal(const struct hwpmc_attaching *at, struct task_struct *task)
{
	return hwpmc_rights_refusal(at->pmc->owner, &at->target->rights, task, at->pmc->user_stack);
}

/*
 * Called if @task may not be followed. If it is of the target itself, the ATTACH fails. A
 * descendant is left out, like one that executes such a program later. Returns 0 or -EPERM.
 */
static int hwpmc_attach_refuse(struct hwpmc_attaching *at, struct task_struct *task, bool child,
			       const char *why)
{
	if (!child)
		return hwpmc_fail(at->pmc->owner, -EPERM, "no permission to follow pid %d: %s",
				  task_pid_vnr(task), why);
	at->refused = true;
	return 0;
}

/* Undoes hwpmc_attach_link(), unless the probe of exec has done so. */
static void hwpmc_attach_unlink(struct hwpmc_attaching *at, struct task_struct *task)
{
	struct hwpmc_thread *th, *none = NULL;
	struct hwpmc_link *link;
	unsigned long flags;

	th = hwpmc_thread_lock(task, &none, &flags);
	if (!th)
		return;
	raw_spin_lock(&at->pmc->owner->link_lock);
	link = hwpmc_thread_link(th, at->pmc);
	if (link && link->target == at->target)
		hwpmc_target_drop_link(link);
	raw_spin_unlock(&at->pmc->owner->link_lock);
	raw_spin_unlock_irqrestore(&th->ctx.lock, flags);
}

/**
 * hwpmc_attach_task_link - link one task, unless it is linked or exits
 * @at: the attach; @at->found, @at->any and @at->refused are updated
 * @task: the task
 * @child: it is a descendant of the target, which may be a target of the PMC itself
 *
 * Context: RCU held, @at->pmc->owner->lock held. Return: 0, -EAGAIN without spares, or another
 * error after hwpmc_fail().
 */
int hwpmc_attach_task_link(struct hwpmc_attaching *at, struct task_struct *task, bool child)
{
	struct hwpmc_pmc *pmc = at->pmc;
	const char *why;
	int ret;

	if (hwpmc_task_exits(task))
		return 0;
	why = hwpmc_attach_refusal(at, task);
	if (why)
		return hwpmc_attach_refuse(at, task, child, why);
	ret = hwpmc_attach_record(at, task);
	if (ret == -EEXIST && child)
		return 0;
	if (ret == -EEXIST)
		return hwpmc_fail(pmc->owner, ret, "pid %d is attached to this PMC already",
				  task_pid_vnr(task));
	if (ret != 1)
		return ret;
	at->found++;
	/*
	 * The task may have executed another program meanwhile: either the probe of exec
	 * finds the link, or the new credentials are seen here.
	 */
	smp_mb();
	why = hwpmc_attach_refusal(at, task);
	if (why) {
		hwpmc_attach_unlink(at, task);
		return hwpmc_attach_refuse(at, task, child, why);
	}
	at->any = true;
	return 0;
}
