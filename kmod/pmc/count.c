// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading and writing the values of PMCs. Called by ioctls in process context with owner->lock
 * held, and by task/ when a thread exits, with the owner's link_lock held.
 *
 * The value of a PMC is the value that was written, plus the events of targets that exited, plus
 * the count of each link. A reading visits one context after the other, so that the values of
 * several PMCs are of one instant in every thread: if the context folds on another CPU while its
 * sums are copied, they are copied again; after HWPMC_COUNT_TRIES, see hwpmc_count_lock(). A
 * reading holds the owner's link_lock, under which no link of the owner is added or removed; RCU
 * keeps the links of others. The lock is dropped between contexts, and contexts may be added and
 * removed meanwhile: see hwpmc_count_sum().
 */
#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/seqlock.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "../base/owner.h"
#include "../hwpmc.h"
#include "context.h"
#include "link.h"
#include "pid.h"
#include "pmc.h"
#include "row.h"
#include "walk.h"

/*
 * How often a reading copies the values of a context that folds meanwhile. Each attempt visits all
 * links of the context, those of other owners too, with interrupts off.
 */
#define HWPMC_COUNT_TRIES	2

/* Whether @rd reads the PMC of @link. RCU held. */
static bool hwpmc_count_is_read(const struct hwpmc_reading *rd, const struct hwpmc_link *link)
{
	return link->owner == rd->owner && link->pmc->call == rd->owner->call;
}

/* Writes a part of a value, if there is room. @target: the target of the part, or NULL. */
static void hwpmc_count_emit(struct hwpmc_reading *rd, const struct hwpmc_pmc *pmc, u32 flags,
			     const struct hwpmc_target *target, pid_t pid, pid_t tid, u64 value)
{
	if (rd->target_count < rd->room) {
		struct hwpmc_target_value *it = &rd->targets[rd->target_count];

		it->id = pmc->id;
		it->flags = flags;
		it->pid = pid;
		it->tid = tid;
		it->value = value;
		it->target = target ? target->handle : 0;
	}
	rd->target_count++;
}

/*
 * The reading's first visit of @target. From here on, the reading includes a thread that exits
 * only if hwpmc_count_exited() adds it to @seen.
 */
static void hwpmc_count_target(const struct hwpmc_reading *rd, struct hwpmc_target *target)
{
	if (target->visit == rd->visit)
		return;
	target->visit = rd->visit;
	target->seen = target->exited;
}

static void hwpmc_count_part(struct hwpmc_reading *rd, const struct hwpmc_link *link, u64 value)
{
	if (!link->thread) {
		hwpmc_count_emit(rd, link->pmc, 0, NULL, 0, 0, value);
	} else if (!link->living) {
		hwpmc_count_target(rd, link->target);
		link->target->seen += value;
	} else {
		hwpmc_count_emit(rd, link->pmc, 0, link->target,
				 hwpmc_pid_shown(task_tgid_vnr(link->thread->task)),
				 hwpmc_pid_shown(task_pid_vnr(link->thread->task)), value);
	}
}

/*
 * Copy the values of one instant, and count the links that are visited in *@steps, those of other
 * owners included. Returns false if the context folded meanwhile: then the values are not of one
 * instant.
 */
static bool hwpmc_count_copy(const struct hwpmc_reading *rd, struct hwpmc_context *ctx, int *steps)
{
	unsigned int seq = raw_read_seqcount_begin(&ctx->seq);
	struct hwpmc_link *link;

	list_for_each_entry_rcu(link, &ctx->links, in_ctx, lockdep_is_held(&rd->owner->link_lock)) {
		(*steps)++;
		if (hwpmc_count_is_read(rd, link))
			link->copy = hwpmc_link_value_here(link);
	}
	return !read_seqcount_retry(&ctx->seq, seq);
}

/*
 * The same for a context that folded during each try. Its lock keeps the links as they are, so that
 * only the sums of its slots must be of one instant: one for each row of the machine, however many
 * links there are. Copying takes less time than a fold, so the loop ends. Links of probes have
 * slots of their own, of which there may be thousands: their values are not of one instant.
 */
static void hwpmc_count_copy_locked(const struct hwpmc_reading *rd, struct hwpmc_context *ctx,
				    int *steps)
{
	u64 *sums = this_cpu_ptr(&hwpmc_cpus)->sums;
	struct hwpmc_link *link;
	unsigned int row, seq;

	lockdep_assert_held(&ctx->lock);
	do {
		seq = raw_read_seqcount_begin(&ctx->seq);
		for (row = 0; row < hwpmc_row_count; row++)
			sums[row] = READ_ONCE(ctx->slots[row].sum);
	} while (unlikely(read_seqcount_retry(&ctx->seq, seq)));
	list_for_each_entry(link, &ctx->links, in_ctx) {
		(*steps)++;
		if (!hwpmc_count_is_read(rd, link))
			continue;
		link->copy = link->sum;
		if (link->probe)
			link->copy = hwpmc_link_value_here(link);
		else if (link->active)
			link->copy += sums[link->slot - ctx->slots] - link->base;
	}
}

/*
 * The owner's link_lock may be dropped to take that of the context. If @link is removed meanwhile,
 * hwpmc_count_exited() adds it, since nothing of the context has been added up yet.
 */
static void hwpmc_count_lock(const struct hwpmc_reading *rd, struct hwpmc_walk *walk,
			     struct hwpmc_link *link, int *steps)
{
	hwpmc_walk_lock_context(walk, link);
	hwpmc_count_copy_locked(rd, link->ctx, steps);
	raw_spin_unlock(&link->ctx->lock);
}

/* Add up the context of @link, which the walk returned last. */
static void hwpmc_count_context(struct hwpmc_reading *rd, struct hwpmc_walk *walk,
				struct hwpmc_link *link)
{
	struct hwpmc_context *ctx = link->ctx;
	int steps = 0, tries = 0;

	while (!hwpmc_count_copy(rd, ctx, &steps)) {
		if (++tries == HWPMC_COUNT_TRIES) {
			hwpmc_count_lock(rd, walk, link, &steps);
			break;
		}
	}
	list_for_each_entry_rcu(link, &ctx->links, in_ctx, lockdep_is_held(&rd->owner->link_lock)) {
		if (!hwpmc_count_is_read(rd, link))
			continue;
		link->visit = rd->visit;
		rd->values[link->pmc->index] += link->copy;
		if (rd->targets)
			hwpmc_count_part(rd, link, link->copy);
	}
	hwpmc_walk_spend(walk, steps);
}

static void hwpmc_count_open(struct hwpmc_reading *rd)
{
	unsigned int i;

	rd->visit = ++rd->owner->readings;
	for (i = 0; i < rd->count; i++) {
		struct hwpmc_pmc *pmc = rd->pmcs[i];

		pmc->reading = rd;
		rd->values[i] = pmc->base + pmc->exited;
		if (rd->targets && pmc->base)
			hwpmc_count_emit(rd, pmc, HWPMC_TARGET_BASE, NULL, 0, 0, pmc->base);
	}
}

static void hwpmc_count_links(struct hwpmc_reading *rd, struct hwpmc_walk *walk)
{
	struct list_head *at;
	unsigned int i;

	for (i = 0; i < rd->count; i++) {
		hwpmc_walk_along(walk, &rd->pmcs[i]->links);
		while ((at = hwpmc_walk_next(walk))) {
			struct hwpmc_link *link = list_entry(at, struct hwpmc_link, in_pmc);

			if (link->visit != rd->visit)
				hwpmc_count_context(rd, walk, link);
		}
	}
}

/* Emit a part for the threads of each target that have exited. */
static void hwpmc_count_targets(struct hwpmc_reading *rd, struct hwpmc_walk *walk)
{
	struct list_head *at;
	unsigned int i;

	for (i = 0; rd->targets && i < rd->count; i++) {
		hwpmc_walk_along(walk, &rd->pmcs[i]->targets);
		while ((at = hwpmc_walk_next(walk))) {
			struct hwpmc_target *target = list_entry(at, struct hwpmc_target, node);
			pid_t nr = hwpmc_pid_shown(pid_vnr(target->pid));

			hwpmc_count_target(rd, target);
			if (target->seen)
				hwpmc_count_emit(rd, rd->pmcs[i], HWPMC_TARGET_GONE, target,
						 target->single ? HWPMC_PID_NONE : nr,
						 target->single ? nr : HWPMC_PID_NONE,
						 target->seen);
		}
	}
}

/*
 * The lock is dropped between batches. hwpmc_count_exited() adds a link that is removed before it
 * was visited; one that was visited is not added again when it is removed. A link that is added
 * meanwhile is in no sum and in no part, so the number of parts is bounded by the number of links
 * at the start, however fast threads are created.
 */
static void hwpmc_count_sum(struct hwpmc_reading *rd)
{
	struct hwpmc_walk walk;
	unsigned int i;

	hwpmc_walk_begin(&walk, rd->owner, &rd->pmcs[0]->links);
	hwpmc_count_open(rd);
	hwpmc_count_links(rd, &walk);
	hwpmc_count_targets(rd, &walk);
	for (i = 0; i < rd->count; i++)
		rd->pmcs[i]->reading = NULL;
	hwpmc_walk_end(&walk);
}

/**
 * hwpmc_count_exited - add the count of a link that is about to be removed to its target
 * @link: the link
 * @value: its count, in events
 *
 * Context: any but NMI; the owner's link_lock held.
 */
void hwpmc_count_exited(struct hwpmc_link *link, u64 value)
{
	struct hwpmc_target *target = link->target;
	struct hwpmc_pmc *pmc = link->pmc;
	struct hwpmc_reading *rd = pmc->reading;

	lockdep_assert_held(&pmc->owner->link_lock);
	if (rd) {
		hwpmc_count_target(rd, target);
		if (link->visit != rd->visit) {
			rd->values[pmc->index] += value;
			target->seen += value;
		}
	}
	target->exited += value;
	pmc->exited += value;
}

/*
 * A link's count. Plain loads of the link: its context is this CPU's, interrupts are off and the
 * owner's link_lock is held, so nothing changes it. An overflow that is an NMI changes the slot.
 */
static __always_inline u64 hwpmc_count_own_link(const struct hwpmc_link *link)
{
	u64 sum = link->sum;

	return link->active ? sum - link->base + READ_ONCE(link->slot->sum) : sum;
}

/* Read PMCs whose only link is to @th, current's record; returns false if one has another. */
static __always_inline bool hwpmc_count_sum_own(struct hwpmc_thread *th,
						struct hwpmc_pmc *const *pmcs, unsigned int count,
						u64 *values)
{
	struct hwpmc_pmc *const *end = pmcs + count;

	if ((*pmcs)->only != th)
		return false;
	hwpmc_context_flush(&th->ctx);
	do {
		const struct hwpmc_pmc *pmc = *pmcs;

		if (pmc->only != th)
			return false;
		*values++ = pmc->base + pmc->exited +
			    hwpmc_count_own_link(list_first_entry(&pmc->links, struct hwpmc_link,
								  in_pmc));
	} while (++pmcs != end);
	return true;
}

/**
 * hwpmc_count_read_own - read PMCs that count the caller and nobody else
 * @owner: the caller
 * @pmcs: PMCs of @owner
 * @count: number of @pmcs, at least 1
 * @values: out: the value of each PMC, in events
 *
 * The caller's context is folded here, without a cross-call, and cannot change while interrupts are
 * off. Context: process, @owner->lock held, interrupts on. Return: whether the values were read; if
 * not, @values is undefined, and the caller uses hwpmc_count_read().
 */
bool hwpmc_count_read_own(struct hwpmc_owner *owner, struct hwpmc_pmc *const *pmcs,
			  unsigned int count, u64 *values)
{
	struct hwpmc_thread *th;
	bool own;

	raw_spin_lock_irq(&owner->link_lock);
	th = this_cpu_read(hwpmc_cpus.thread);
	own = th && hwpmc_count_sum_own(th, pmcs, count, values);
	raw_spin_unlock_irq(&owner->link_lock);
	return own;
}

static void hwpmc_count_fold_cpu(void *unused)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);

	if (pc->thread)
		hwpmc_context_flush(&pc->thread->ctx);
	hwpmc_context_flush(&pc->sys);
}

/* Whether @ctx counts for a PMC of @rd. */
static bool hwpmc_count_includes(const struct hwpmc_reading *rd, const struct hwpmc_context *ctx)
{
	const struct hwpmc_link *link;

	list_for_each_entry_rcu(link, &ctx->links, in_ctx)
		if (hwpmc_count_is_read(rd, link) && link->pmc->running)
			return true;
	return false;
}

/*
 * Whether @cpu counts for a PMC of @arg, the reading. Acquire: if the CPU does not run a thread of
 * the PMC, the sums of one that it ran before are visible. A thread that is scheduled in later was
 * folded when it was scheduled out. RCU keeps the record.
 */
static bool hwpmc_count_concerns(int cpu, void *arg)
{
	const struct hwpmc_cpu *pc = per_cpu_ptr(&hwpmc_cpus, cpu);
	const struct hwpmc_reading *rd = arg;
	const struct hwpmc_thread *th;
	bool concerns;

	rcu_read_lock();
	/* Pairs with the release in hwpmc_sched_out(). */
	th = smp_load_acquire(&pc->thread);
	concerns = (th && hwpmc_count_includes(rd, &th->ctx)) ||
		   hwpmc_count_includes(rd, &pc->sys);
	rcu_read_unlock();
	return concerns;
}

/* Fold the contexts on every CPU that @rd concerns. Interrupts on. */
static void hwpmc_count_fold_all(struct hwpmc_reading *rd)
{
	cpus_read_lock();
	on_each_cpu_cond_mask(hwpmc_count_concerns, hwpmc_count_fold_cpu, rd, 1, cpu_online_mask);
	cpus_read_unlock();
}

/**
 * hwpmc_count_read - read the values of several PMCs, and their parts
 * @rd: the PMCs and the destination; @target_count is set to the number of parts
 * @fresh: fold the contexts that are on a CPU first, by cross-call
 *
 * Context: may sleep; owner->lock held. The call and index of every PMC are set.
 */
void hwpmc_count_read(struct hwpmc_reading *rd, bool fresh)
{
	rd->target_count = 0;
	if (fresh && !rd->targets &&
	    hwpmc_count_read_own(rd->owner, rd->pmcs, rd->count, rd->values))
		return;
	if (fresh)
		hwpmc_count_fold_all(rd);
	hwpmc_count_sum(rd);
}

/*
 * Clears links before targets: if a link is removed while the lock is dropped, its count is added
 * to its target, which is cleared afterwards.
 */
static void hwpmc_count_clear(struct hwpmc_pmc *pmc, struct hwpmc_walk *walk)
{
	struct list_head *at;

	while ((at = hwpmc_walk_next(walk))) {
		struct hwpmc_link *link = list_entry(at, struct hwpmc_link, in_pmc);

		hwpmc_walk_lock_context(walk, link);
		link->sum = 0;
		/*
		 * READ_ONCE(), since other PMCs may count on the row of an inactive link. Then the
		 * value is not used: @base is set again when the link becomes active.
		 */
		link->base = READ_ONCE(link->slot->sum);
		raw_spin_unlock(&link->ctx->lock);
	}
	hwpmc_walk_along(walk, &pmc->targets);
	while ((at = hwpmc_walk_next(walk)))
		list_entry(at, struct hwpmc_target, node)->exited = 0;
	pmc->exited = 0;
}

/**
 * hwpmc_count_write - set a PMC's value and clear the counts of its links and targets
 * @pmc: not running
 * @value: in events
 *
 * Context: may sleep; owner->lock held.
 */
void hwpmc_count_write(struct hwpmc_pmc *pmc, u64 value)
{
	struct hwpmc_walk walk;

	hwpmc_walk_begin(&walk, pmc->owner, &pmc->links);
	hwpmc_count_clear(pmc, &walk);
	pmc->base = value;
	if (!pmc->sampled)
		hwpmc_pmc_preset(pmc, value);
	hwpmc_walk_end(&walk);
}

/**
 * hwpmc_count_times - for how long a PMC has been enabled, and for how long it has counted
 * @pmc: the PMC
 * @times: set, in ns; the two differ by the time that the PMC's CPU was offline
 *
 * Context: process, owner->lock held.
 */
void hwpmc_count_times(const struct hwpmc_pmc *pmc, struct hwpmc_times *times)
{
	u64 now = ktime_get_mono_fast_ns(), offline = pmc->offline;

	times->enabled = pmc->enabled;
	if (pmc->state == HWPMC_RUNNING) {
		times->enabled += now - pmc->started;
		offline += hwpmc_cpu_offline_ns(pmc->cpu, now) - pmc->offline_at_start;
	}
	/* If the CPU came online after @now, @offline includes time after @now: limit it. */
	times->running = times->enabled - min(offline, times->enabled);
}

/**
 * hwpmc_count_room - the number of parts that PMCs have at present
 * @pmcs: PMCs of one owner
 * @count: number of PMCs
 *
 * Context: owner->lock held. Return: entries; a fork may make it too few at any time.
 */
unsigned int hwpmc_count_room(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	const struct hwpmc_target *target;
	unsigned int i, room = 0;

	for (i = 0; i < count; i++) {
		room += READ_ONCE(pmcs[i]->link_count) + 1;
		list_for_each_entry(target, &pmcs[i]->targets, node)
			room++;
	}
	return room;
}
