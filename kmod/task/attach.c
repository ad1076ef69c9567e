// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attach: links a virtual PMC to the threads of a process and of its descendants, or to one thread.
 *
 * Called by the ATTACH and START ioctls in process context with owner->lock held.
 *
 * Attaching walks the process's threads in passes until a whole pass finds none without a
 * link. A thread that is created meanwhile is either found by the pass, or its creator was
 * linked before and the thread inherits the link (life.c): each side stores, has a full
 * barrier, and then loads what the other side stores. A pass drops RCU every few hundred
 * tasks. Descendants are linked before the passes, one process at a time.
 *
 * A target may create threads and end them so fast that each pass finds more, or loses its place.
 * After a few passes the probe of fork links what is new (adopt.c), and the following passes visit
 * only what existed before. Each of these links a thread, or lost its place since a thread ended,
 * and no more of them are created: so the passes end.
 */
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "../base/owner.h"
#include "../base/rights.h"
#include "../hwpmc.h"
#include "../log/log.h"
#include "../pmc/context.h"
#include "../pmc/link.h"
#include "../pmc/pmc.h"
#include "adopt.h"
#include "descent.h"
#include "hook.h"
#include "target.h"
#include "task.h"

/* Passes before the probe of fork links what is new. Most attaches make three. */
#define HWPMC_ATTACH_PASSES	8
/* Tasks newer than itself that a pass visits before the next one begins: they may have no end. */
#define HWPMC_ATTACH_NEWER	1000

/* Records and links allocated in advance: the walk of the threads cannot allocate. */
struct hwpmc_spares {
	struct list_head threads;	/* by hwpmc_thread.pending */
	struct list_head links;		/* by hwpmc_link.in_pmc */
	unsigned int wanted;
};

/* State of one ATTACH. */
struct hwpmc_attaching {
	struct hwpmc_pmc *pmc;
	struct hwpmc_target *target;
	struct hwpmc_spares spares;
	struct hwpmc_descent descent;	/* with DESCENDANTS */
	struct hwpmc_adoption *adoption;	/* that has begun, or NULL */
	u64 begun;			/* begin of this pass, CLOCK_MONOTONIC in ns */
	unsigned int newer;		/* tasks visited that started after it */
	unsigned int found;		/* linked in this pass, or it was not complete */
	unsigned int steps;		/* for hwpmc_descent_pause() */
	bool any;			/* linked at all */
	bool refused;			/* a thread of this process may not be followed */
	unsigned int left_out;		/* descendants with such a thread, in this pass */
};

static void hwpmc_spares_drop(struct hwpmc_spares *spares)
{
	struct hwpmc_thread *th, *th_next;
	struct hwpmc_link *link, *link_next;

	list_for_each_entry_safe(th, th_next, &spares->threads, pending)
		hwpmc_thread_free(th);
	list_for_each_entry_safe(link, link_next, &spares->links, in_pmc)
		hwpmc_link_free(link);
}

/* Allocates @wanted spares and doubles @wanted, so that a process that grows takes few passes. */
static int hwpmc_spares_refill(struct hwpmc_owner *owner, struct hwpmc_spares *spares)
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
				  "row %u of pid %d is held by %s; allocate again for another row",
				  pmc->row, task_pid_vnr(task), hidden);
	return hwpmc_fail(pmc->owner, -EBUSY,
			  "row %u of pid %d is held by pid %d (%s); allocate again for another row",
			  pmc->row, task_pid_vnr(task), pid_vnr(other->owner->pid),
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
				  "pid %d already has the most PMCs of this user on shareable rows that parameter %s allows; release one or raise it",
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
	const struct hwpmc_rights *opener = &at->pmc->owner->rights, *caller = &at->target->rights;
	struct hwpmc_subject subject;

	/* A process may always attach to itself. */
	if (same_thread_group(task, current))
		return NULL;
	hwpmc_rights_describe(task, &subject);
	if (!hwpmc_rights_follow(caller, &subject) || !hwpmc_rights_follow(opener, &subject))
		return "for caller or opener it is another user's, set-id, has more capabilities or is not dumpable; CAP_SYS_PTRACE is needed";
	if (at->pmc->user_stack &&
	    (!hwpmc_rights_copy(caller, &subject) || !hwpmc_rights_copy(opener, &subject)))
		return "the PMC copies stacks (user_stack), and its security label differs; CAP_PERFMON is needed";
	return NULL;
}

/*
 * @task may not be followed: a target fails the ATTACH, a descendant is left out, as one is that
 * executes such a program later. Returns 0 or -EPERM.
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

/*
 * RCU held. Returns 0, -EAGAIN without spares, or another error. @child: a descendant,
 * which may have been attached by name before.
 */
static int hwpmc_attach_task(struct hwpmc_attaching *at, struct task_struct *task, bool child)
{
	struct hwpmc_pmc *pmc = at->pmc;
	const char *why;
	int ret;

	if ((task->flags & PF_EXITING) || !pid_alive(task))
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
	 * It may have executed another program meanwhile: either the probe of exec finds
	 * the link, or the new credentials are seen here.
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

/*
 * Whether the pass ends before @task, which it has found. Either the probe of fork has linked @task
 * and those behind it in its list, or there are so many new ones that another pass is to follow.
 */
static bool hwpmc_attach_ends(struct hwpmc_attaching *at, const struct task_struct *task)
{
	if (at->adoption)
		return hwpmc_adopt_is_newer(at->adoption, task);
	if (task->start_time <= at->begun || ++at->newer < HWPMC_ATTACH_NEWER)
		return false;
	at->found++;
	return true;
}

/*
 * RCU held; dropped now and then. @leader is referenced. If the walk loses its place, since the
 * thread that it is at ends meanwhile, it ends, and another pass follows.
 */
static int hwpmc_attach_threads(struct hwpmc_attaching *at, struct task_struct *leader, bool child)
{
	struct list_head *threads = &leader->signal->thread_head;
	struct task_struct *task;
	int err = 0;

	at->refused = false;
	task = list_first_or_null_rcu(threads, struct task_struct, thread_node);
	while (task && !hwpmc_attach_ends(at, task)) {
		err = hwpmc_attach_task(at, task, child);
		if (err)
			break;
		if (!hwpmc_descent_pause(&at->steps, task, false)) {
			at->found++;
			break;
		}
		task = list_next_or_null_rcu(threads, &task->thread_node, struct task_struct,
					     thread_node);
	}
	at->left_out += at->refused;
	return err;
}

/* RCU held; dropped now and then. Ends likewise. */
static int hwpmc_attach_descendants(struct hwpmc_attaching *at, struct task_struct *from)
{
	struct task_struct *leader;
	int err;

	for_each_process(leader) {
		bool listed = true;

		if (hwpmc_attach_ends(at, leader))
			break;
		if (!same_thread_group(leader, from) &&
		    hwpmc_descent_includes(&at->descent, leader)) {
			get_task_struct(leader);
			err = hwpmc_attach_threads(at, leader, true);
			listed = hwpmc_descent_listed(leader);
			put_task_struct(leader);
			if (err)
				return err;
		}
		if (!listed || !hwpmc_descent_pause(&at->steps, leader, true)) {
			at->found++;
			break;
		}
	}
	return 0;
}

static int hwpmc_attach_pass(struct hwpmc_attaching *at)
{
	struct hwpmc_target *target = at->target;
	struct task_struct *task;
	int err = 0;

	at->found = 0;
	at->left_out = 0;
	at->newer = 0;
	at->begun = ktime_get_ns();
	/* Forks that this pass does not see find the links that were added before it. */
	smp_mb();
	rcu_read_lock();
	task = pid_task(target->pid, target->single ? PIDTYPE_PID : PIDTYPE_TGID);
	if (task)
		get_task_struct(task);
	if (task && target->single)
		err = hwpmc_attach_task(at, task, false);
	else if (task)
		err = hwpmc_attach_threads(at, task, false);
	if (task && !err && at->descent.entries)
		err = hwpmc_attach_descendants(at, task);
	rcu_read_unlock();
	if (task)
		put_task_struct(task);
	if (!err && fatal_signal_pending(current))
		err = hwpmc_fail(at->pmc->owner, -EINTR, "interrupted while attaching");
	return err;
}

/* Repeats the pass until one links no thread. */
static int hwpmc_attach_repeat(struct hwpmc_attaching *at, struct hwpmc_adoption *adoption)
{
	unsigned int passes;
	int err;

	for (passes = 1;; passes++) {
		err = hwpmc_attach_pass(at);
		if (err == -EAGAIN)
			err = hwpmc_spares_refill(at->pmc->owner, &at->spares);
		else if (!at->found)
			return err;
		if (err)
			return err;
		if (passes == HWPMC_ATTACH_PASSES && !at->target->single) {
			hwpmc_adopt_begin(adoption);
			at->adoption = adoption;
		}
	}
}

/* @from: a thread of the target; referenced. */
static int hwpmc_attach_passes(struct hwpmc_attaching *at, struct task_struct *from)
{
	bool descend = at->descent.entries;
	struct hwpmc_adoption adoption = {
		.link = {
			.owner = at->pmc->owner, .pmc = at->pmc, .target = at->target,
		},
		.process = from->signal, .descent = descend ? &at->descent : NULL,
	};
	int err = hwpmc_attach_repeat(at, &adoption);

	if (at->adoption)
		hwpmc_adopt_end(at->adoption);
	at->adoption = NULL;
	return err;
}

/*
 * Links the processes of the snapshot one by one. Processes that they fork meanwhile, and
 * those left without spares, are left to the passes.
 */
static int hwpmc_attach_snapshot(struct hwpmc_attaching *at, struct task_struct *from)
{
	struct task_struct *leader;
	unsigned int i = 0;
	int err = 0;

	while (!err && (leader = hwpmc_descent_next(&at->descent, &i))) {
		if (same_thread_group(leader, from))
			continue;
		rcu_read_lock();
		err = hwpmc_attach_threads(at, leader, true);
		rcu_read_unlock();
		cond_resched();
		if (!err && fatal_signal_pending(current))
			err = hwpmc_fail(at->pmc->owner, -EINTR, "interrupted while attaching");
	}
	return err == -EAGAIN ? 0 : err;
}

static int hwpmc_attach_tree(struct hwpmc_attaching *at, struct task_struct *from)
{
	struct hwpmc_owner *owner = at->pmc->owner;
	int err = hwpmc_descent_take(&at->descent, from);

	if (err == -EINTR)
		return hwpmc_fail(owner, err, "interrupted while attaching");
	if (err)
		return hwpmc_fail(owner, err, "out of memory; try again");
	at->spares.wanted = at->descent.threads + 1;
	at->newer = 0;
	at->begun = ktime_get_ns();
	err = hwpmc_spares_refill(owner, &at->spares);
	if (!err)
		err = hwpmc_attach_snapshot(at, from);
	if (!err)
		err = hwpmc_attach_passes(at, from);
	return err;
}

static int hwpmc_attach_run(struct hwpmc_attaching *at)
{
	struct task_struct *task = get_pid_task(at->target->pid, PIDTYPE_PID);
	int err = 0;

	if (task) {
		at->spares.wanted = at->target->single ? 1 : max(get_nr_threads(task), 1);
		err = hwpmc_attach_passes(at, task);
		/* After the target itself, so that an error of the target is reported first. */
		if (!err && at->any && (at->pmc->flags & HWPMC_F_DESCENDANTS))
			err = hwpmc_attach_tree(at, task);
		put_task_struct(task);
	}
	if (!err && !at->any)
		err = hwpmc_fail(at->pmc->owner, -ESRCH, "the target has exited or is exiting; attach to another");
	return err;
}

/**
 * hwpmc_attach_target - follow a process, or one thread
 * @pmc: a virtual PMC that does not run
 * @pid: of the process, or of the thread if @single
 * @single: follow that thread only
 *
 * If it fails nothing is attached. Descendants that may not be followed are left out, and counted
 * in @pmc->owner->left_out. A target that lost its links by exec can be attached
 * again, and keeps what it counted before. Context: may sleep; owner->lock held. Errors: as
 * HWPMC_IOC_ATTACH.
 */
int hwpmc_attach_target(struct hwpmc_pmc *pmc, struct pid *pid, bool single)
{
	struct hwpmc_target *lost = hwpmc_target_find(pmc, pid, single);
	struct hwpmc_attaching at = { .pmc = pmc };
	int err;

	/* A target without links lost them by exec. */
	if (lost && !list_empty_careful(&lost->links))
		return hwpmc_fail(pmc->owner, -EEXIST, "pid %d is attached to this PMC already",
				  pid_vnr(pid));
	at.target = lost ?: hwpmc_target_add(pmc, pid, single);
	if (!at.target)
		return hwpmc_fail(pmc->owner, -ENOMEM, "out of memory; try again");
	hwpmc_rights_drop(&at.target->rights);
	hwpmc_rights_take(&at.target->rights, current_cred());
	INIT_LIST_HEAD(&at.spares.threads);
	INIT_LIST_HEAD(&at.spares.links);

	err = hwpmc_attach_run(&at);
	hwpmc_descent_drop(&at.descent);
	hwpmc_spares_drop(&at.spares);
	if (!err)
		err = hwpmc_hook_target_now(pmc->owner, at.target);
	if (err && lost)
		hwpmc_target_empty(pmc, lost);
	else if (err)
		hwpmc_target_remove(pmc, at.target);
	else
		hwpmc_hangup_set_attached(pmc, true);
	pmc->owner->left_out = err ? 0 : at.left_out;
	if (!err)
		hwpmc_emit_attach(pmc, pid, single, HWPMC_LOG_ATTACH);
	pr_debug("hwpmc: pid %d: PMC %#x follows %s %d: %d\n", pid_nr(pmc->owner->pid), pmc->id,
		 single ? "thread" : "process", pid_nr(pid), err);
	return err;
}

/**
 * hwpmc_attach_undo - take an attach back
 * @pmc: the PMC
 * @pid: as it was attached, under the same hold of owner->lock
 * @single: likewise
 * @again: the target existed before, without links: it remains, with what it counted
 *
 * Context: may sleep; owner->lock held.
 */
void hwpmc_attach_undo(struct hwpmc_pmc *pmc, struct pid *pid, bool single, bool again)
{
	if (!again) {
		hwpmc_target_detach(pmc, pid, single);
		return;
	}
	hwpmc_target_empty(pmc, hwpmc_target_find(pmc, pid, single));
	hwpmc_emit_attach(pmc, pid, single, HWPMC_LOG_DETACH);
}
