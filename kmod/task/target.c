// SPDX-License-Identifier: GPL-2.0-only
/*
 * The targets of a virtual PMC: the list of them, and detach. attach.c adds them.
 *
 * Called by the DETACH and RELEASE ioctls and by release of the device's file, in process context
 * with owner->lock held; and by dumps of netlink/, without.
 */
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../base/owner.h"
#include "../base/rights.h"
#include "../hwpmc.h"
#include "../log/log.h"
#include "../pmc/announce.h"
#include "../pmc/context.h"
#include "../pmc/link.h"
#include "../pmc/period.h"
#include "../pmc/pmc.h"
#include "../pmc/walk.h"
#include "hook.h"
#include "target.h"
#include "task.h"

/* Number of targets that were added or removed so far, of all PMCs. */
static atomic_t hwpmc_target_changes = ATOMIC_INIT(0);

/**
 * hwpmc_target_drop_link - remove a link of a target
 * @link: in its context, target and PMC
 *
 * Its count is added to the PMC's base. Context: any, interrupts off; the locks of the link's
 * context and of its owner are held.
 */
void hwpmc_target_drop_link(struct hwpmc_link *link)
{
	struct hwpmc_thread *th = link->thread;

	hwpmc_period_log_exit(link);
	link->pmc->base += hwpmc_link_value(link);
	hwpmc_link_remove(link);
	hwpmc_link_free_later(link);
	if (list_empty(&th->ctx.links))
		hwpmc_hook_poll_drop(th);
}

/**
 * hwpmc_target_permits - whether the opener of the device and the caller of ATTACH may both follow
 * @link: not removed, so that its target exists; or an adoption's
 * @subject: the task
 *
 * Context: any but NMI; the owner's link_lock held, unless @link is an adoption's.
 */
bool hwpmc_target_permits(const struct hwpmc_link *link, const struct hwpmc_subject *subject)
{
	const struct hwpmc_rights *opener = &link->pmc->owner->rights;
	const struct hwpmc_rights *caller = &link->target->rights;

	return hwpmc_rights_follow(caller, subject) && hwpmc_rights_follow(opener, subject) &&
	       (!link->pmc->user_stack || (hwpmc_rights_copy(caller, subject) &&
					   hwpmc_rights_copy(opener, subject)));
}

/**
 * hwpmc_target_find - the target of a PMC that was attached by a pid
 * @pmc: a virtual PMC
 * @pid: as it was attached
 * @single: as it was attached
 *
 * Context: process, owner->lock held. Return: the target, or NULL.
 */
struct hwpmc_target *hwpmc_target_find(struct hwpmc_pmc *pmc, struct pid *pid, bool single)
{
	struct hwpmc_target *target;

	list_for_each_entry(target, &pmc->targets, node)
		if (target->pid == pid && target->single == single)
			return target;
	return NULL;
}

static struct hwpmc_target *hwpmc_target_of_task(struct hwpmc_pmc *pmc, struct task_struct *task)
{
	struct hwpmc_thread *th, *none = NULL;
	struct hwpmc_target *target = NULL;
	struct hwpmc_link *link;
	unsigned long flags;

	th = hwpmc_thread_lock(task, &none, &flags);
	if (!th)
		return NULL;
	link = hwpmc_thread_link(th, pmc);
	if (link && link->target->single)
		target = link->target;
	raw_spin_unlock_irqrestore(&th->ctx.lock, flags);
	return target;
}

/*
 * Finds the target of a thread whose tid changed: a thread that executes a program takes
 * the tid of its process.
 */
static struct hwpmc_target *hwpmc_target_of_thread(struct hwpmc_pmc *pmc, struct pid *pid)
{
	struct hwpmc_target *target = NULL;
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	if (task)
		target = hwpmc_target_of_task(pmc, task);
	rcu_read_unlock();
	return target;
}

static bool hwpmc_target_before(struct rb_node *one, const struct rb_node *other)
{
	return rb_entry(one, struct hwpmc_target, by_handle)->handle <
	       rb_entry(other, struct hwpmc_target, by_handle)->handle;
}

/* Called with link_lock held, as hwpmc_target_erase() is. */
static void hwpmc_target_insert(struct hwpmc_pmc *pmc, struct hwpmc_target *target)
{
	list_add_tail(&target->node, &pmc->targets);
	rb_add(&target->by_handle, &pmc->by_handle, hwpmc_target_before);
	pmc->target_count++;
	/* After it is in the tree: see hwpmc_target_generation(). */
	atomic_inc(&hwpmc_target_changes);
}

static void hwpmc_target_erase(struct hwpmc_pmc *pmc, struct hwpmc_target *target)
{
	list_del(&target->node);
	rb_erase(&target->by_handle, &pmc->by_handle);
	pmc->target_count--;
	atomic_inc(&hwpmc_target_changes);
}

/**
 * hwpmc_target_add - add a target without links
 * @pmc: a virtual PMC
 * @pid: of the process, or of the thread if @single
 * @single: it is one thread
 *
 * Context: may sleep; owner->lock held. Return: the target, or NULL without memory.
 */
struct hwpmc_target *hwpmc_target_add(struct hwpmc_pmc *pmc, struct pid *pid, bool single)
{
	struct hwpmc_target *target = kzalloc(sizeof(*target), GFP_KERNEL_ACCOUNT);
	unsigned long flags;

	if (!target)
		return NULL;
	target->pid = get_pid(pid);
	target->single = single;
	target->handle = ++pmc->owner->last_target;
	INIT_LIST_HEAD(&target->links);
	raw_spin_lock_irqsave(&pmc->owner->link_lock, flags);
	hwpmc_target_insert(pmc, target);
	raw_spin_unlock_irqrestore(&pmc->owner->link_lock, flags);
	return target;
}

/*
 * Marks the links dead. A dead link is not inherited. A child that inherits a link which is
 * not marked yet has its own link at the end of the list, which this walk reaches.
 */
static void hwpmc_target_mark(struct hwpmc_pmc *pmc, struct hwpmc_target *target)
{
	struct hwpmc_walk walk;
	struct list_head *at;

	hwpmc_walk_begin(&walk, pmc->owner, &target->links);
	while ((at = hwpmc_walk_next(&walk)))
		hwpmc_link_kill(list_entry(at, struct hwpmc_link, in_target));
	hwpmc_walk_end(&walk);
}

/**
 * hwpmc_target_empty - remove all links of a target
 * @pmc: its PMC, in any state
 * @target: the target
 *
 * None is added afterwards, except by an attach. Context: may sleep; owner->lock held.
 */
void hwpmc_target_empty(struct hwpmc_pmc *pmc, struct hwpmc_target *target)
{
	struct hwpmc_walk walk;
	struct list_head *at;

	hwpmc_target_mark(pmc, target);
	/* A thread with the permission to read counters has it also while the PMC is stopped. */
	if (pmc->running || pmc->page)
		hwpmc_sync_cpus();
	hwpmc_walk_begin(&walk, pmc->owner, &target->links);
	while ((at = hwpmc_walk_next(&walk))) {
		struct hwpmc_link *link = list_entry(at, struct hwpmc_link, in_target);

		hwpmc_walk_lock_context(&walk, link);
		if (!link->removed)
			hwpmc_target_drop_link(link);
		raw_spin_unlock(&link->ctx->lock);
	}
	hwpmc_walk_end(&walk);
}

/**
 * hwpmc_target_remove - remove a target with its links
 * @pmc: its PMC, in any state
 * @target: the target; freed
 *
 * Its count is added to the PMC's base. Context: may sleep; owner->lock held.
 */
void hwpmc_target_remove(struct hwpmc_pmc *pmc, struct hwpmc_target *target)
{
	unsigned long flags;

	hwpmc_target_empty(pmc, target);
	raw_spin_lock_irqsave(&pmc->owner->link_lock, flags);
	pmc->base += target->exited;
	pmc->exited -= target->exited;
	hwpmc_target_erase(pmc, target);
	raw_spin_unlock_irqrestore(&pmc->owner->link_lock, flags);
	put_pid(target->pid);
	hwpmc_rights_drop(&target->rights);
	kfree(target);
}

/**
 * hwpmc_target_detach - stop following a target
 * @pmc: a virtual PMC, in any state
 * @pid: as it was attached
 * @single: as it was attached
 *
 * The target's count is added to the PMC's base. Context: may sleep; owner->lock held.
 * Return: 0, or -ESRCH if it is not a target of @pmc.
 */
int hwpmc_target_detach(struct hwpmc_pmc *pmc, struct pid *pid, bool single)
{
	struct hwpmc_target *target = hwpmc_target_find(pmc, pid, single);

	if (!target && single)
		target = hwpmc_target_of_thread(pmc, pid);
	if (!target)
		return hwpmc_fail(pmc->owner, -ESRCH, "pid %d is not a target of this PMC",
				  pid_vnr(pid));
	hwpmc_target_remove(pmc, target);
	hwpmc_emit_attach(pmc, pid, single, HWPMC_LOG_DETACH);
	hwpmc_announce(pmc, HWPMC_NL_WHAT_DETACH, pid, 1);
	pr_debug("hwpmc: pid %d: PMC %#x no longer follows %s %d\n", pid_nr(pmc->owner->pid), pmc->id,
		 single ? "thread" : "process", pid_nr(pid));
	return 0;
}

/**
 * hwpmc_target_handle - the handle of a target
 * @pmc: a virtual PMC
 * @pid: as it was attached
 * @single: as it was attached
 *
 * Context: process, owner->lock held. Return: the handle, or 0 if it is not a target of @pmc.
 */
u64 hwpmc_target_handle(struct hwpmc_pmc *pmc, struct pid *pid, bool single)
{
	const struct hwpmc_target *target = hwpmc_target_find(pmc, pid, single);

	return target ? target->handle : 0;
}

/**
 * hwpmc_target_detach_handle - stop following a target, whose process may be reaped
 * @pmc: a virtual PMC, in any state
 * @handle: of the target
 *
 * Otherwise as hwpmc_target_detach().
 */
int hwpmc_target_detach_handle(struct hwpmc_pmc *pmc, u64 handle)
{
	struct hwpmc_target *target;
	struct pid *pid;
	int err;

	list_for_each_entry(target, &pmc->targets, node) {
		if (target->handle != handle)
			continue;
		pid = get_pid(target->pid);
		err = hwpmc_target_detach(pmc, pid, target->single);
		put_pid(pid);
		return err;
	}
	return hwpmc_fail(pmc->owner, -ESRCH, "target %llu is not one of this PMC", handle);
}

/**
 * hwpmc_target_detach_all - stop following all targets
 * @pmc: a virtual PMC, in any state
 *
 * Writes no DETACH records. Context: may sleep; owner->lock held.
 */
void hwpmc_target_detach_all(struct hwpmc_pmc *pmc)
{
	struct hwpmc_target *target, *next;

	list_for_each_entry_safe(target, next, &pmc->targets, node) {
		hwpmc_target_remove(pmc, target);
		cond_resched();
	}
}

/* The target with the least handle above @handle, or NULL: as many steps as the tree is high. */
static const struct hwpmc_target *hwpmc_target_above(const struct hwpmc_pmc *pmc, u64 handle)
{
	const struct hwpmc_target *above = NULL;
	const struct rb_node *at = pmc->by_handle.rb_node;

	lockdep_assert_held(&pmc->owner->link_lock);
	while (at) {
		const struct hwpmc_target *target = rb_entry(at, struct hwpmc_target, by_handle);

		if (target->handle > handle)
			above = target;
		at = target->handle > handle ? at->rb_left : at->rb_right;
	}
	return above;
}

/**
 * hwpmc_target_newest - the largest handle of the targets of a PMC
 * @pmc: as for hwpmc_target_next()
 *
 * A walk ends there, as at hwpmc_registry_newest(). Context: as hwpmc_target_next(). Return: 0 if
 * it has no target.
 */
u64 hwpmc_target_newest(struct hwpmc_pmc *pmc)
{
	const struct rb_node *last;
	unsigned long flags;
	u64 handle = 0;

	raw_spin_lock_irqsave(&pmc->owner->link_lock, flags);
	last = rb_last(&pmc->by_handle);
	if (last)
		handle = rb_entry(last, struct hwpmc_target, by_handle)->handle;
	raw_spin_unlock_irqrestore(&pmc->owner->link_lock, flags);
	return handle;
}

/**
 * hwpmc_target_next - describe the target that was attached after another one
 * @pmc: a PMC, which is not freed meanwhile
 * @view: its handle is that of the other one, or 0 to begin; set, and the caller puts @view->pid
 *
 * Context: any but NMI; owner->lock is not needed. Return: false if there is none up to @view->end.
 */
bool hwpmc_target_next(struct hwpmc_pmc *pmc, struct hwpmc_target_view *view)
{
	const struct hwpmc_target *target;
	unsigned long flags;

	raw_spin_lock_irqsave(&pmc->owner->link_lock, flags);
	target = hwpmc_target_above(pmc, view->handle);
	if (target && target->handle > view->end)
		target = NULL;
	if (target) {
		view->handle = target->handle;
		view->pid = get_pid(target->pid);
		view->single = target->single;
	}
	raw_spin_unlock_irqrestore(&pmc->owner->link_lock, flags);
	return target;
}

/* As hwpmc_registry_generation(), of the targets of all PMCs. Context: any. May be 0. */
unsigned int hwpmc_target_generation(void)
{
	return (unsigned int)atomic_read(&hwpmc_target_changes);
}
