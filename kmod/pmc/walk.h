/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks along links. There may be tens of thousands, and who needs hwpmc_link_lock
 * at a switch spins meanwhile with interrupts off: so a walk lets go of it, and of
 * interrupts, every so many steps, and goes on from the same place.
 */
#ifndef HWPMC_WALK_H
#define HWPMC_WALK_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/spinlock.h>

#include "context.h"

/* Links that are gone by before others have the lock. */
#define HWPMC_WALK_STEPS	64

/**
 * struct hwpmc_walk - along a list of links
 * @list: its head
 * @next: what comes next; may be @list
 * @place: stands before @next in the list while the lock is let go
 * @left: steps until then
 * @flags: interrupts, as before the walk
 *
 * Links come (at the list's end, so that the walk comes to them) and go meanwhile
 * by fork, exec and exit, which look at no neighbours of theirs. Whoever walks holds
 * the lock of the links' owner: so nobody else does, and finds @place.
 */
struct hwpmc_walk {
	struct list_head *list;
	struct list_head *next;
	struct list_head place;
	int left;
	unsigned long flags;
};

/* kmod/pmc/walk.c */
void hwpmc_walk_begin(struct hwpmc_walk *walk, struct list_head *list) __acquires(&hwpmc_link_lock);
void hwpmc_walk_unlock(struct hwpmc_walk *walk) __releases(&hwpmc_link_lock);
void hwpmc_walk_relock(struct hwpmc_walk *walk) __acquires(&hwpmc_link_lock);
void hwpmc_walk_pause(struct hwpmc_walk *walk);
void hwpmc_walk_end(struct hwpmc_walk *walk) __releases(&hwpmc_link_lock);

/* The walk goes on along another list of that owner, from its beginning. */
static inline void hwpmc_walk_along(struct hwpmc_walk *walk, struct list_head *list)
{
	walk->list = list;
	walk->next = list->next;
}

/**
 * hwpmc_walk_next - the next link of a walk
 * @walk: under way
 *
 * The lock may be let go before, so the one that was returned last may be gone; the
 * caller, too, may take it out of the list, but no other one.
 *
 * Context: process, owner->lock and hwpmc_link_lock, interrupts off; may sleep.
 * Return: its entry in the list, or NULL.
 */
static inline struct list_head *hwpmc_walk_next(struct hwpmc_walk *walk)
{
	struct list_head *at;

	lockdep_assert_held(&hwpmc_link_lock);
	if (unlikely(walk->left-- <= 0))
		hwpmc_walk_pause(walk);
	at = walk->next;
	if (at == walk->list)
		return NULL;
	walk->next = at->next;
	return at;
}

/* That was more than one step. */
static inline void hwpmc_walk_spend(struct hwpmc_walk *walk, int steps)
{
	walk->left -= steps;
}

#endif /* HWPMC_WALK_H */
