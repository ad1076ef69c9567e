/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Links and targets. A link is one PMC in one context; a target is a process or thread that a user
 * attached, and owns the links of its threads. Used by task/, call/ and the rest of pmc/.
 */
#ifndef HWPMC_LINK_H
#define HWPMC_LINK_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/rbtree_types.h>
#include <linux/rcupdate.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "../base/owner.h"
#include "../base/rights.h"
#include "context.h"
#include "pmc.h"

struct pid;

/**
 * struct hwpmc_target - a process or thread that was attached to a PMC
 * @node: in pmc->targets; guarded by the owner's link_lock
 * @by_handle: in pmc->by_handle; likewise
 * @pid: the process, or the thread if @single; referenced
 * @single: only the thread @pid is followed
 * @rights: of the caller of ATTACH; constant while @links is not empty
 * @handle: as the owner names it; never 0, and no other target of the owner has had it
 * @exited: events of its threads and descendants that have exited; link_lock
 * @links: list of struct hwpmc_link; link_lock
 * @visit: the last reading that visited it, see hwpmc_reading.visit
 * @seen: @exited as that reading reports it, including threads that are exiting
 */
struct hwpmc_target {
	struct list_head node;
	struct rb_node by_handle;
	struct pid *pid;
	bool single;
	u64 handle;
	struct hwpmc_rights rights;
	u64 exited;
	struct list_head links;
	u64 visit;
	u64 seen;
};

/* Which new tasks inherit a link of their creator: none, threads of its process, all. */
enum hwpmc_inherit { HWPMC_INHERIT_NONE, HWPMC_INHERIT_THREADS, HWPMC_INHERIT_ALL };

/**
 * struct hwpmc_link - one PMC in one context
 * @in_pmc: in pmc->links
 * @in_ctx: in ctx->links
 * @in_target: in target->links, if it has one
 * @owner: the PMC's owner; RCU keeps it while the link can be found under RCU
 * @pmc: the PMC; freed after the link was removed, so not valid under RCU alone
 * @ctx: the context
 * @slot: slot of the PMC's row in @ctx; class PROBE: @own
 * @own: events that @probe counted for the link; see fire.c
 * @probe: of the PMC, or NULL
 * @filters: likewise; valid as long as @pmc
 * @in_probe: in the table of links by context and probe, if it has a @probe
 * @thread: the thread of @ctx, NULL if that is a CPU's
 * @target: the target that the link belongs to, NULL if @ctx is a CPU's
 * @inherit: enum hwpmc_inherit
 * @sum: events up to the last change of @active
 * @base: the slot's sum when @active became true
 * @active: whether the slot counts for this link
 * @awaits_exec: it counts nothing before its thread executes a program
 * @wanted: whether it is to count; between decision and end of a resync
 * @dead: the link is about to be removed; a resync makes it inactive
 * @lost: its thread executed a program that its PMC may not follow; set by the probe of exec, which
 *	then removes the link
 * @removed: it is in no list any more
 * @living: the thread counts as living, see hwpmc_hangup_count_threads()
 * @exit_pending: the thread exits while the PMC runs, and its VALUE record is not written yet
 * @visit: the last reading that included its value, see hwpmc_reading.visit
 * @copy: its value in that reading, in events
 * @next_recorder: next in ctx->recorders or ctx->off_cpu
 * @period: current period in events of a sampling PMC; 0 before it first ran
 * @due: the slot's sum at which the next sample is due; while not @active, less that sum
 * @aimed: the slot's sum at which the row overflows: @due; less if the row is too narrow; more
 *	if the row was put off, or is throttled. Of a sampler of off-CPU time: the slot's sum when
 *	the thread was last scheduled in
 * @since: time of the last sample in ns, plus the time that the link has not counted since
 * @off_since: time in ns at which the link stopped counting; 0 while it counts
 * @logged: the slot's sum up to which SWITCH records include it
 * @throttled: the window (hwpmc_window.begin) in which the link was throttled, or 0
 * @begun: off-CPU time before this is not counted: the time when the link was added, or when its
 *	thread executed a program while @awaits_exec was set, CLOCK_MONOTONIC in ns; U64_MAX while
 *	the thread is new and has not been scheduled in. Written under ctx->lock
 * @rcu: for freeing after a grace period: fork, exit and others walk ctx->links under RCU
 *
 * @in_pmc to @inherit, except @own, change only while the link is added and removed, under
 * ctx->lock and @owner->link_lock, in this order. @sum, @base and @active are changed on the CPU
 * the context is on, under ctx->lock and in a write section of ctx->seq; or under both locks.
 * @awaits_exec and @wanted are guarded by ctx->lock. @dead to @copy are guarded by
 * @owner->link_lock; @exit_pending is also cleared on the context's CPU while @active. All from
 * @next_recorder on is changed on the context's CPU with interrupts off; @period also under
 * @owner->link_lock while the PMC does not run.
 */
struct hwpmc_link {
	struct list_head in_pmc;
	struct list_head in_ctx;
	struct list_head in_target;
	struct hwpmc_owner *owner;
	struct hwpmc_pmc *pmc;
	struct hwpmc_context *ctx;
	struct hwpmc_slot *slot;
	struct hwpmc_slot own;
	struct hwpmc_probe *probe;
	const struct hwpmc_filters *filters;
	struct hlist_node in_probe;
	struct hwpmc_thread *thread;
	struct hwpmc_target *target;
	enum hwpmc_inherit inherit;
	u64 sum;
	u64 base;
	bool active;
	bool awaits_exec;
	bool wanted;
	bool dead;
	bool lost;
	bool removed;
	bool living;
	bool exit_pending;
	u64 visit;
	u64 copy;
	struct hwpmc_link *next_recorder;
	u64 period;
	u64 due;
	u64 aimed;
	u64 since;
	u64 off_since;
	u64 logged;
	u64 throttled;
	u64 begun;
	struct rcu_head rcu;
};

/**
 * hwpmc_link_value_here - a link's count up to the last fold, where its context cannot change
 * @link: the link
 *
 * An active link whose PMC has stopped belongs to a context that has not been scheduled in
 * since, so its slot does not change and the difference is right.
 *
 * Context: on the CPU of the link's context with interrupts off; elsewhere as a part of
 * hwpmc_link_value(). Return: events.
 */
static inline u64 hwpmc_link_value_here(const struct hwpmc_link *link)
{
	u64 sum = READ_ONCE(link->sum);

	if (!READ_ONCE(link->active))
		return sum;
	return sum + READ_ONCE(link->slot->sum) - READ_ONCE(link->base);
}

/**
 * hwpmc_link_value - a link's count up to the last fold
 * @link: the link
 *
 * Context: any but NMI; interrupts off, the owner's link_lock held. Return: events.
 */
static inline u64 hwpmc_link_value(const struct hwpmc_link *link)
{
	unsigned int seq;
	u64 value;

	do {
		seq = raw_read_seqcount_begin(&link->ctx->seq);
		value = hwpmc_link_value_here(link);
	} while (unlikely(read_seqcount_retry(&link->ctx->seq, seq)));
	return value;
}

/* kmod/pmc/link.c */
void hwpmc_link_add(struct hwpmc_link *link, struct hwpmc_pmc *pmc, struct hwpmc_context *ctx);
void hwpmc_link_kill(struct hwpmc_link *link);
void hwpmc_link_remove(struct hwpmc_link *link);
struct hwpmc_link *hwpmc_link_alloc(gfp_t gfp);
void hwpmc_link_free(struct hwpmc_link *link);
void hwpmc_link_free_later(struct hwpmc_link *link);
int hwpmc_link_init(void);
void hwpmc_link_exit(void);

#endif /* HWPMC_LINK_H */
