// SPDX-License-Identifier: GPL-2.0-only
/* Walks along links that drop the lock between batches: see walk.h. Process context. */
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "../base/owner.h"
#include "context.h"
#include "link.h"
#include "walk.h"

/**
 * hwpmc_walk_begin - take an owner's link_lock and begin a walk
 * @walk: initialised here
 * @owner: the owner
 * @list: list of links, or of targets, of one owner
 *
 * Context: process; owner->lock held until hwpmc_walk_end().
 */
void hwpmc_walk_begin(struct hwpmc_walk *walk, struct hwpmc_owner *owner, struct list_head *list)
	__acquires(walk->lock)
{
	walk->lock = &owner->link_lock;
	raw_spin_lock_irqsave(walk->lock, walk->flags);
	walk->list = list;
	walk->next = list->next;
	walk->left = HWPMC_WALK_STEPS;
}

/* Drop the lock and keep the position, until hwpmc_walk_relock(). */
void hwpmc_walk_unlock(struct hwpmc_walk *walk)
	__releases(walk->lock)
{
	list_add_tail(&walk->place, walk->next);
	raw_spin_unlock_irqrestore(walk->lock, walk->flags);
}

void hwpmc_walk_relock(struct hwpmc_walk *walk)
	__acquires(walk->lock)
{
	raw_spin_lock_irqsave(walk->lock, walk->flags);
	walk->next = walk->place.next;
	list_del(&walk->place);
	walk->left = HWPMC_WALK_STEPS;
}

/**
 * hwpmc_walk_lock_context - take the lock of a link's context too
 * @walk: the walk
 * @link: the link that hwpmc_walk_next() returned last
 *
 * A context's lock is taken before the owner's link_lock. If another CPU holds it, the walk drops
 * link_lock; the link may be removed meanwhile, but RCU keeps it and its context, as interrupts
 * remain off.
 *
 * The caller checks @link->removed, and drops @link->ctx->lock before the walk continues.
 * Context: as hwpmc_walk_next(), but does not sleep.
 */
void hwpmc_walk_lock_context(struct hwpmc_walk *walk, struct hwpmc_link *link)
	__acquires(&link->ctx->lock)
{
	struct hwpmc_context *ctx = link->ctx;

	if (raw_spin_trylock(&ctx->lock))
		return;
	list_add_tail(&walk->place, walk->next);
	raw_spin_unlock(walk->lock);
	raw_spin_lock(&ctx->lock);
	raw_spin_lock(walk->lock);
	walk->next = walk->place.next;
	list_del(&walk->place);
}

/* Drop the lock and reschedule. Only hwpmc_walk_next() calls it. */
noinline void hwpmc_walk_pause(struct hwpmc_walk *walk)
{
	hwpmc_walk_unlock(walk);
	cond_resched();
	hwpmc_walk_relock(walk);
}

void hwpmc_walk_end(struct hwpmc_walk *walk)
	__releases(walk->lock)
{
	raw_spin_unlock_irqrestore(walk->lock, walk->flags);
}
