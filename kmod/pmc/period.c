// SPDX-License-Identifier: GPL-2.0-only
/*
 * Periods of sampling rows: when the next sample is due. Called when a context is scheduled in or
 * out or flushed, and by the overflow interrupt, on the context's CPU with interrupts off.
 *
 * A sampling row counts into its slot like any other. Its link stores the slot's sum at which the
 * next sample is due, so the rest of a period is kept, exactly, when the thread is scheduled out,
 * migrates, or its PMC stops and starts. While the context is on a CPU, the row is aimed: it
 * overflows at that sum. While the context is scheduled out, the row is parked: it is stopped and
 * raises no interrupt for another context.
 *
 * The first fold after a sample is due takes the sample. Usually that is the fold of the overflow
 * interrupt; a switch, a stop or a reading may fold before the interrupt is delivered.
 */
#include <linux/build_bug.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seqlock.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/defer.h"
#include "../base/param.h"
#include "../compat/compat.h"
#include "../log/log.h"
#include "context.h"
#include "link.h"
#include "period.h"
#include "period_due.h"
#include "pmc.h"
#include "throttle.h"

static struct hwpmc_param mincount = { .value = 1000, .least = 1, .most = 1000000000 };
module_param_cb(mincount, &hwpmc_param_ops, &mincount, 0644);
MODULE_PARM_DESC(mincount, "smallest period of a sampling PMC, in events (default 1000, 1..1000000000)");

/*
 * Events between two overflows of a throttled row. It must overflow, but rarely: the interrupt
 * restarts the counter before it wraps.
 */
#define HWPMC_THROTTLED_AIM	BIT_ULL(30)
/*
 * In each round of hwpmc_defer_run() after the first, a row whose sample was due overflows after at
 * least 2^(HWPMC_ROUND_SHIFT + round) events. That is never more than HWPMC_THROTTLED_AIM, so no
 * counter wraps before.
 */
#define HWPMC_ROUND_SHIFT	10
static_assert(BIT_ULL(HWPMC_ROUND_SHIFT + HWPMC_DEFER_ROUNDS) <= HWPMC_THROTTLED_AIM);
/* The first period for a frequency, in events; factor by which the next one may differ. */
#define HWPMC_PERIOD_FIRST	10000
#define HWPMC_PERIOD_STEP	8
/*
 * The largest period for a frequency, in events: more than occur in a second, and HWPMC_PERIOD_STEP
 * times as many fit in a u64.
 */
#define HWPMC_PERIOD_MOST	BIT_ULL(56)

/** hwpmc_period_min - the smallest period, in events (parameter mincount); any context */
u64 hwpmc_period_min(void)
{
	return READ_ONCE(mincount.value);
}

/**
 * hwpmc_period_adapt - compute the next period of a PMC that samples at a frequency
 * @period: the last period, in events
 * @ns: time on a CPU since the sample before, in ns
 * @events: events that occurred in @ns
 * @frequency: requested samples a second
 *
 * The result is the mean of @period and of the period that would have been right for @ns. The
 * latter is limited to a factor of HWPMC_PERIOD_STEP from @period, and both to the smallest
 * period. If @period is at most HWPMC_PERIOD_MOST, so is the result.
 *
 * Context: any, NMI included. Return: the period, in events.
 */
u64 hwpmc_period_adapt(u64 period, u64 ns, u64 events, u32 frequency)
{
	u64 wanted = NSEC_PER_SEC / clamp_t(u32, frequency, 1, NSEC_PER_SEC);
	/* Divide 64 bits: x86's division of 128 bits faults if the quotient does not fit. */
	u64 right = div64_u64(min(events, U64_MAX / wanted) * wanted, max(ns, 1ULL));
	u64 least = max(period / HWPMC_PERIOD_STEP, hwpmc_period_min());

	right = clamp(right, least, min(max(period, least) * HWPMC_PERIOD_STEP, HWPMC_PERIOD_MOST));
	return max((period + right) / 2, hwpmc_period_min());
}

/**
 * hwpmc_period_begin - set up the first period of a link
 * @link: active; does nothing if @link->period is set
 *
 * The period is 0 until the link first becomes active, and after HWPMC_IOC_SET_COUNT.
 * Context: the context's lock held, on its CPU.
 */
void hwpmc_period_begin(struct hwpmc_link *link)
{
	const struct hwpmc_pmc *pmc = link->pmc;

	if (link->period)
		return;
	link->period = pmc->count;
	if (pmc->flags & HWPMC_F_FREQUENCY)
		link->period = max_t(u64, hwpmc_period_min(), HWPMC_PERIOD_FIRST);
	link->due = link->slot->sum + link->period;
	link->since = ktime_get_mono_fast_ns();
	link->off_since = 0;
}

/* The context's slots of the link's class, as the class's operations expect them. */
static struct hwpmc_slot *hwpmc_period_slots(const struct hwpmc_link *link)
{
	return link->slot - link->pmc->class_row;
}

/* The sum at which the link's row overflows next: when the next sample is due, or rarely. */
static u64 hwpmc_period_target(const struct hwpmc_link *link)
{
	return link->throttled ? link->slot->sum + HWPMC_THROTTLED_AIM : link->due;
}

static __always_inline void hwpmc_period_aim_at(struct hwpmc_link *link, u64 target, u64 put_off)
{
	u64 left;

	raw_write_seqcount_begin(&link->ctx->seq);
	left = link->pmc->class->aim(hwpmc_period_slots(link), link->pmc->class_row, target,
				     put_off);
	link->aimed = link->slot->sum + left;
	raw_write_seqcount_end(&link->ctx->seq);
}

/**
 * hwpmc_period_aim - fold a link's row and run it until its next sample is due
 * @link: an active link of a context on this CPU; its PMC samples
 * @put_off: if a sample is due already: events until the row overflows; 0: it overflows at once
 *
 * Context: interrupts off, overflows deferred; may be an NMI.
 */
void hwpmc_period_aim(struct hwpmc_link *link, u64 put_off)
{
	hwpmc_period_aim_at(link, hwpmc_period_target(link), put_off);
}

/* Stop the link's row and fold it. */
static void hwpmc_period_park(struct hwpmc_link *link)
{
	u64 row = BIT_ULL(link->pmc->class_row);

	raw_write_seqcount_begin(&link->ctx->seq);
	link->pmc->class->park(row);
	link->pmc->class->fold(hwpmc_period_slots(link), row);
	raw_write_seqcount_end(&link->ctx->seq);
}

/*
 * Take a sample that is due but whose interrupt was not delivered. The row is parked first, so that
 * no sample becomes due after the check. Leaves the row parked. Returns whether a sample was due.
 */
static bool hwpmc_period_take_late(struct hwpmc_link *link)
{
	hwpmc_period_park(link);
	if (!hwpmc_period_due(link))
		return false;
	hwpmc_period_take(this_cpu_ptr(&hwpmc_cpus), link, NULL, true);
	return true;
}

/*
 * Run a row that has just been parked and folded. If a period is shorter than a round of
 * hwpmc_defer_run(), the row overflows again in each round. So each round lets a row whose sample
 * was due overflow later than the one before; the next sample stands for all periods that have
 * elapsed by then. The other rows overflow where they were aimed.
 */
static void hwpmc_period_unpark(struct hwpmc_link *link, bool was_due)
{
	unsigned int rounds = this_cpu_read(hwpmc_defer.rounds);
	u64 sum = link->slot->sum, target = hwpmc_period_target(link);

	if (unlikely(rounds)) {
		u64 later = was_due ? sum + BIT_ULL(HWPMC_ROUND_SHIFT + rounds) : link->aimed;

		if ((s64)(later - target) > 0)
			target = later;
	}
	hwpmc_period_aim_at(link, target, link->period);
}

/**
 * hwpmc_period_flush - take the samples of a context that are due
 * @ctx: a context on this CPU, just folded; it keeps running, or stops next
 *
 * Context: interrupts off, overflows deferred; may be an NMI.
 */
void hwpmc_period_flush(struct hwpmc_context *ctx)
{
	u64 begun = hwpmc_arch_clock();
	struct hwpmc_link *link;

	for (link = ctx->recorders; link; link = link->next_recorder) {
		if (!link->pmc->sampled)
			continue;
		hwpmc_period_unpark(link, hwpmc_period_take_late(link));
	}
	hwpmc_throttle_charge(begun);
}

/**
 * hwpmc_period_sched_in - aim the sampling rows of a context
 * @ctx: the context, which is scheduled in, has resynced, or is in a new throttling window;
 *	its rows are programmed
 *
 * Excludes the time for which a link did not count from its period. Ends throttling of links whose
 * window is over. Context: on the context's CPU, interrupts off, overflows deferred.
 */
void hwpmc_period_sched_in(struct hwpmc_context *ctx)
{
	struct hwpmc_link *link;

	for (link = ctx->recorders; link; link = link->next_recorder) {
		if (!link->pmc->sampled)
			continue;
		if (link->off_since) {
			link->since += ktime_get_mono_fast_ns() - link->off_since;
			link->off_since = 0;
		}
		if (unlikely(link->throttled))
			hwpmc_throttle_unthrottle(link);
		else
			hwpmc_period_throttle(this_cpu_ptr(&hwpmc_cpus), link);
		hwpmc_period_aim(link, 0);
	}
}

/**
 * hwpmc_period_log_switch - write a SWITCH record: what a link counted since the last one
 * @link: active until now; its context is folded
 *
 * Does nothing without HWPMC_F_LOG_PROCCSW, or if the link counted nothing.
 * Context: on the context's CPU, interrupts off; may hold the runqueue's lock.
 */
void hwpmc_period_log_switch(struct hwpmc_link *link)
{
	u64 sum = link->slot->sum;

	if (!(link->pmc->flags & HWPMC_F_LOG_PROCCSW) || sum == link->logged)
		return;
	hwpmc_emit_value(link, sum - link->logged, HWPMC_LOG_SWITCH);
	link->logged = sum;
}

/**
 * hwpmc_period_log_exit - write a VALUE record: the final count of a thread that exits
 * @link: it counts on no CPU now
 *
 * Does nothing unless exit_pending is set; clears it, so that there is one record at most.
 * Context: interrupts off, the owner's link_lock held.
 */
void hwpmc_period_log_exit(struct hwpmc_link *link)
{
	if (!link->exit_pending)
		return;
	link->exit_pending = false;
	hwpmc_emit_value(link, hwpmc_link_value(link), HWPMC_LOG_VALUE);
}

/*
 * Writes the link's SWITCH record and, when its thread is scheduled out for the last time, its
 * VALUE record, as its flags request.
 */
static void hwpmc_period_log_counts(struct hwpmc_link *link)
{
	hwpmc_period_log_switch(link);
	if (!link->exit_pending || !hwpmc_task_is_dead(current))
		return;
	link->exit_pending = false;
	hwpmc_emit_value(link, link->sum + link->slot->sum - link->base, HWPMC_LOG_VALUE);
}

/**
 * hwpmc_period_sched_out - take due samples, park the rows and log the counts of a context
 * @ctx: a folded context that is scheduled out of this CPU, or whose CPU goes offline
 *
 * Context: interrupts off, overflows deferred; may hold the runqueue's lock.
 */
void hwpmc_period_sched_out(struct hwpmc_context *ctx)
{
	u64 begun = hwpmc_arch_clock();
	struct hwpmc_link *link;

	for (link = ctx->recorders; link; link = link->next_recorder) {
		if (!link->pmc->sampled) {
			hwpmc_period_log_counts(link);
			continue;
		}
		hwpmc_period_take_late(link);
		if (link->pmc->flags & HWPMC_F_FREQUENCY)
			link->off_since = ktime_get_mono_fast_ns();
		hwpmc_period_log_counts(link);
	}
	hwpmc_throttle_charge(begun);
}
