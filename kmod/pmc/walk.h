/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks along links, for ioctls in process context. A list may have tens of thousands of links,
 * and fork, exec and exit of the threads spin for the owner's link_lock with interrupts off. So a
 * walk drops the lock and enables interrupts every HWPMC_WALK_STEPS steps, and continues at the
 * same position.
 */
#ifndef HWPMC_WALK_H
#define HWPMC_WALK_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "link.h"

struct hwpmc_owner;

/* Steps between two points where the lock is dropped. */
#define HWPMC_WALK_STEPS	64

/**
 * struct hwpmc_walk - along a list of links
 * @lock: link_lock of the owner
 * @list: head of the list
 * @next: next entry to return; may be @list
 * @place: entry that keeps the position before @next while the lock is dropped
 * @left: steps until the lock is dropped
 * @flags: interrupt state before the walk
 *
 * While the lock is dropped, fork adds links at the list's end (the walk reaches them), and exec
 * and exit remove links; none of them dereferences the neighbours of a link. The walker holds the
 * owner->lock of the links' owner, so no other walk can find @place.
 */
struct hwpmc_walk {
	raw_spinlock_t *lock;
	struct list_head *list;
	struct list_head *next;
	struct list_head place;
	int left;
	unsigned long flags;
};

/* kmod/pmc/walk.c */
void hwpmc_walk_begin(struct hwpmc_walk *walk, struct hwpmc_owner *owner, struct list_head *list)
	__acquires(walk->lock);
void hwpmc_walk_unlock(struct hwpmc_walk *walk) __releases(walk->lock);
void hwpmc_walk_relock(struct hwpmc_walk *walk) __acquires(walk->lock);
void hwpmc_walk_lock_context(struct hwpmc_walk *walk, struct hwpmc_link *link)
	__acquires(&link->ctx->lock);
void hwpmc_walk_pause(struct hwpmc_walk *walk);
void hwpmc_walk_end(struct hwpmc_walk *walk) __releases(walk->lock);

/* Continue the walk at the beginning of another list of the same owner. */
static inline void hwpmc_walk_along(struct hwpmc_walk *walk, struct list_head *list)
{
	walk->list = list;
	walk->next = list->next;
}

/**
 * hwpmc_walk_next - the next link of a walk
 * @walk: the walk
 *
 * May drop and retake the lock first, so the entry that was returned last may have been freed.
 * The caller may remove that entry from the list, but no other one.
 *
 * Context: process, owner->lock and the owner's link_lock held, interrupts off; may sleep.
 * Return: the list entry of the link, or NULL at the end.
 */
static inline struct list_head *hwpmc_walk_next(struct hwpmc_walk *walk)
{
	struct list_head *at;

	lockdep_assert_held(walk->lock);
	if (unlikely(walk->left-- <= 0))
		hwpmc_walk_pause(walk);
	at = walk->next;
	if (at == walk->list)
		return NULL;
	walk->next = at->next;
	return at;
}

/* Account for work of @steps further steps. */
static inline void hwpmc_walk_spend(struct hwpmc_walk *walk, int steps)
{
	walk->left -= steps;
}

#endif /* HWPMC_WALK_H */
