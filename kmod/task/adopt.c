// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adoption: lets an attach end although its target creates tasks faster than the attach links them.
 *
 * attach.c begins an adoption, in process context, after some passes found new tasks each time, and
 * ends it with the attach; the probe of fork (life.c) checks for adoptions. Meanwhile the probe
 * links the new tasks of the target and its descendants, whether the task that creates them has
 * been linked or not. So the attach links only tasks that existed before, whose number does not
 * grow.
 *
 *	attach					fork
 *
 *	add to hwpmc_adoptions		(A)	set start_time			(D)
 *	smp_mb()				add the child to its lists	(E)
 *	since = now			(B)	smp_mb()
 *	walk the lists			(C)	search hwpmc_adoptions		(F)
 *
 * If (F) does not see (A), then (C) sees (E), and (D) was before (B): the walk links the child.
 * The kernel adds tasks at the end of their lists. So a child behind a task that started after (B)
 * was added after (B), its (F) saw (A), and the walk need not reach it. A thread other than the
 * leader that executes a program takes the leader's place in the list, and its start_time.
 */
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "adopt.h"
#include "descent.h"

LIST_HEAD(hwpmc_adoptions);
/* Taken in process context only; no lock is taken under it. */
static DEFINE_SPINLOCK(hwpmc_adopt_lock);

/**
 * hwpmc_adopt_begin - let the probe of fork link new tasks
 * @it: all fields except @node and @since are set; of @it->link the owner, PMC, target and
 *	awaits_exec
 *
 * Context: process; owner->lock of @it->link held until hwpmc_adopt_end().
 */
void hwpmc_adopt_begin(struct hwpmc_adoption *it)
{
	spin_lock(&hwpmc_adopt_lock);
	list_add_tail_rcu(&it->node, &hwpmc_adoptions);
	spin_unlock(&hwpmc_adopt_lock);
	/* Orders A before B and C. */
	smp_mb();
	it->since = ktime_get_ns();
}

/* End an adoption, and wait until no probe uses @it. Context: may sleep. */
void hwpmc_adopt_end(struct hwpmc_adoption *it)
{
	spin_lock(&hwpmc_adopt_lock);
	list_del_rcu(&it->node);
	spin_unlock(&hwpmc_adopt_lock);
	synchronize_rcu();
}

/**
 * hwpmc_adopt_includes - whether a task that current creates is of the target or a descendant of it
 * @it: an adoption in the list
 * @child: the new task
 *
 * Context: the probe of fork, RCU held.
 */
bool hwpmc_adopt_includes(const struct hwpmc_adoption *it, struct task_struct *child)
{
	if (child->signal == it->process)
		return true;
	return it->descent && (current->signal == it->process ||
			       hwpmc_descent_includes(it->descent, current));
}

/* Whether the probe of fork has linked @task, and the tasks behind it in its list. Any context. */
bool hwpmc_adopt_is_newer(const struct hwpmc_adoption *it, const struct task_struct *task)
{
	return task->start_time > it->since;
}
