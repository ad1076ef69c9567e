/* SPDX-License-Identifier: GPL-2.0-only */
/* One counter in one context, and the targets by which links are made. */
#ifndef HWPMC_LINK_H
#define HWPMC_LINK_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/types.h>

#include "context.h"
#include "pmc.h"

struct pid;

/**
 * struct hwpmc_target - what was attached to a PMC by name
 * @node: in pmc->targets; guarded by hwpmc_link_lock
 * @pid: the process, or the thread if @single; referenced
 * @single: this one thread only
 * @exited: events of its threads and descendants that have exited; same lock
 * @links: of struct hwpmc_link; same lock
 * @visit: the last reading that looked at it, see hwpmc_reading.visit
 * @seen: @exited in that reading, with those not reaped yet
 */
struct hwpmc_target {
	struct list_head node;
	struct pid *pid;
	bool single;
	u64 exited;
	struct list_head links;
	u64 visit;
	u64 seen;
};

/**
 * struct hwpmc_link - one PMC in one context
 * @in_pmc: in pmc->links
 * @in_ctx: in ctx->links
 * @in_target: in target->links, if it has one
 * @pmc: whose
 * @ctx: where
 * @slot: of the PMC's row there
 * @thread: the thread of @ctx, NULL if that is a CPU
 * @target: the attached target it came by, NULL if @ctx is a CPU
 * @sum: events up to the last change of @active
 * @base: ctx's slot when @active became true
 * @active: whether the slot counts for this link
 * @dead: left out when the context is resynced
 * @exit_pending: the thread exits while the PMC runs, and its VALUE record is yet to be written
 * @visit: the reading that has its value, see hwpmc_reading.visit
 * @next_recorder: next in ctx->recorders
 * @period: of a sampling PMC here; 0 before it first ran
 * @due: the slot's sum at which the next sample is due
 * @aimed: the slot's sum at which the row overflows, @due or before it
 * @since: ns of the last sample, moved by the times it did not count
 * @off_since: ns when the context went off, or the PMC stopped; 0 while it counts
 * @logged: the slot's sum up to which SWITCH records have it
 * @throttled: the window (hwpmc_window.begin) in which it sampled too fast, or 0
 *
 * Guarded by hwpmc_link_lock. @active and from @next_recorder on: changed on the
 * CPU the context is on, interrupts off. @exit_pending: there too, while @active.
 */
struct hwpmc_link {
	struct list_head in_pmc;
	struct list_head in_ctx;
	struct list_head in_target;
	struct hwpmc_pmc *pmc;
	struct hwpmc_context *ctx;
	struct hwpmc_slot *slot;
	struct hwpmc_thread *thread;
	struct hwpmc_target *target;
	u64 sum;
	u64 base;
	bool active;
	bool dead;
	bool exit_pending;
	u64 visit;
	struct hwpmc_link *next_recorder;
	u64 period;
	u64 due;
	u64 aimed;
	u64 since;
	u64 off_since;
	u64 logged;
	u64 throttled;
};

/**
 * hwpmc_link_value_at - what a link had counted when its slot stood somewhere
 * @link: the link; hwpmc_link_lock held
 * @slot: the slot's sum
 *
 * An active link whose PMC has stopped belongs to a context that was not on
 * since, so its slot stands still and the difference is right.
 */
static inline u64 hwpmc_link_value_at(const struct hwpmc_link *link, u64 slot)
{
	lockdep_assert_held(&hwpmc_link_lock);
	return link->active ? link->sum + slot - link->base : link->sum;
}

/* What a link has counted. */
static inline u64 hwpmc_link_value(const struct hwpmc_link *link)
{
	return hwpmc_link_value_at(link, READ_ONCE(link->slot->sum));
}

/* kmod/pmc/link.c */
void hwpmc_link_add(struct hwpmc_link *link, struct hwpmc_pmc *pmc, struct hwpmc_context *ctx);
void hwpmc_link_remove(struct hwpmc_link *link);
struct hwpmc_link *hwpmc_link_alloc(gfp_t gfp);
void hwpmc_link_free(struct hwpmc_link *link);
int hwpmc_link_init(void);
void hwpmc_link_exit(void);

#endif /* HWPMC_LINK_H */
