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
 * A target may create and end threads so fast that each pass finds new ones, or loses its position
 * in the list. After a few passes the probe of fork links new threads (adopt.c), and the following
 * passes visit only threads that existed before. Each of these passes links a thread, or lost its
 * position because a thread ended. Since no such thread is created any more, the passes end.
 */
#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>

#include "../base/owner.h"
#include "../base/rights.h"
#include "../hwpmc.h"
#include "../log/log.h"
#include "../pmc/announce.h"
#include "../pmc/link.h"
#include "../pmc/pmc.h"
#include "../pmc/trace.h"
#include "adopt.h"
#include "attach.h"
#include "descent.h"
#include "hook.h"
#include "target.h"

/* Passes before the probe of fork links new threads. Most attaches make three. */
#define HWPMC_ATTACH_PASSES	8
/* The most tasks newer than itself that a pass visits: a target may create them without end. */
#define HWPMC_ATTACH_NEWER	1000

/*
 * Whether the pass ends before @task, which it has found: because the probe of fork has linked
 * @task and the tasks behind it in its list, or because the pass has visited HWPMC_ATTACH_NEWER new
 * tasks, and another pass is to follow.
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
 * RCU held; hwpmc_descent_resched() drops it. @leader is referenced. If the thread at the walk's
 * position ends meanwhile, the walk ends, and another pass follows.
 */
static int hwpmc_attach_threads(struct hwpmc_attaching *at, struct task_struct *leader, bool child)
{
	struct list_head *threads = &leader->signal->thread_head;
	struct task_struct *task;
	int err = 0;

	at->refused = false;
	task = list_first_or_null_rcu(threads, struct task_struct, thread_node);
	while (task && !hwpmc_attach_ends(at, task)) {
		err = hwpmc_attach_task_link(at, task, child);
		if (err)
			break;
		if (!hwpmc_descent_resched(&at->steps, task, false)) {
			at->found++;
			break;
		}
		task = list_next_or_null_rcu(threads, &task->thread_node, struct task_struct,
					     thread_node);
	}
	at->left_out += at->refused;
	return err;
}

/* As hwpmc_attach_threads(), for the processes that descend from that of @from. */
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
		if (!listed || !hwpmc_descent_resched(&at->steps, leader, true)) {
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
	/* A fork that this pass does not see finds the links that were added before the pass. */
	smp_mb();
	rcu_read_lock();
	task = pid_task(target->pid, target->single ? PIDTYPE_PID : PIDTYPE_TGID);
	if (task)
		get_task_struct(task);
	if (task && target->single)
		err = hwpmc_attach_task_link(at, task, false);
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
			err = hwpmc_attach_task_refill(at->pmc->owner, &at->spares);
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
			.awaits_exec = at->pmc->flags & HWPMC_F_ENABLE_ON_EXEC,
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
 * Links the processes of the snapshot one by one. The passes link the processes that these fork
 * meanwhile, and those for which no spares were left.
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
	err = hwpmc_attach_task_refill(owner, &at->spares);
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
		/* It may change meanwhile: hwpmc_attach_passes() allocates what is missing. */
		int threads = data_race(get_nr_threads(task));

		at->spares.wanted = at->target->single ? 1 : max(threads, 1);
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
	hwpmc_attach_task_drop(&at.spares);
	if (!err)
		err = hwpmc_hook_target_now(pmc->owner, at.target);
	if (err && lost)
		hwpmc_target_empty(pmc, lost);
	else if (err)
		hwpmc_target_remove(pmc, at.target);
	else
		hwpmc_hangup_set_attached(pmc, true);
	pmc->owner->left_out = err ? 0 : at.left_out;
	if (!err) {
		hwpmc_emit_attach(pmc, pid, single, HWPMC_LOG_ATTACH);
		hwpmc_announce(pmc, HWPMC_NL_WHAT_ATTACH, pid, 1);
		trace_hwpmc_attach(pmc, pid, single);
	}
	pr_debug("hwpmc: pid %d: PMC %#x follows %s %d: %d\n", pid_nr(pmc->owner->pid), pmc->id,
		 single ? "thread" : "process", pid_nr(pid), err);
	return err;
}

/**
 * hwpmc_attach_undo - undo an attach
 * @pmc: the PMC
 * @pid: as it was attached, under the same hold of owner->lock
 * @single: likewise
 * @again: the target existed before, without links: it remains, and keeps its count
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
	hwpmc_announce(pmc, HWPMC_NL_WHAT_DETACH, pid, 1);
}
