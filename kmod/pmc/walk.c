// SPDX-License-Identifier: GPL-2.0-only
/* Walks along links that drop the lock between batches: see walk.h. Process context. */
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "context.h"
#include "walk.h"

/**
 * hwpmc_walk_begin - take hwpmc_link_lock and begin a walk
 * @walk: initialised here
 * @list: list of links, or of targets, of one owner
 *
 * Context: process; owner->lock held until hwpmc_walk_end().
 */
void hwpmc_walk_begin(struct hwpmc_walk *walk, struct list_head *list)
	__acquires(&hwpmc_link_lock)
{
	raw_spin_lock_irqsave(&hwpmc_link_lock, walk->flags);
	walk->list = list;
	walk->next = list->next;
	walk->left = HWPMC_WALK_STEPS;
}

/* Drop the lock and keep the position, until hwpmc_walk_relock(). */
void hwpmc_walk_unlock(struct hwpmc_walk *walk)
	__releases(&hwpmc_link_lock)
{
	list_add_tail(&walk->place, walk->next);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, walk->flags);
}

void hwpmc_walk_relock(struct hwpmc_walk *walk)
	__acquires(&hwpmc_link_lock)
{
	raw_spin_lock_irqsave(&hwpmc_link_lock, walk->flags);
	walk->next = walk->place.next;
	list_del(&walk->place);
	walk->left = HWPMC_WALK_STEPS;
}

/* Drop the lock and reschedule. Only hwpmc_walk_next() calls it. */
noinline void hwpmc_walk_pause(struct hwpmc_walk *walk)
{
	hwpmc_walk_unlock(walk);
	cond_resched();
	hwpmc_walk_relock(walk);
}

void hwpmc_walk_end(struct hwpmc_walk *walk)
	__releases(&hwpmc_link_lock)
{
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, walk->flags);
}
