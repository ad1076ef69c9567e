// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows that sample: when the next sample is due.
 *
 * A sampling row counts into its slot as any other does. Its link remembers the
 * sum at which the next sample is due, so that what is left of a period goes
 * with the thread over switches, migrations, stops and starts, and nothing is
 * rounded. While its context is on a CPU the row is aimed at that sum; while it
 * is off the row is parked, and costs nobody an interrupt.
 *
 * What is due is found by whoever folds the row first: the overflow interrupt,
 * mostly; or a switch, a stop or a reading that came before it.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seqlock.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/param.h"
#include "../compat/compat.h"
#include "../log/log.h"
#include "context.h"
#include "link.h"
#include "period.h"
#include "pmc.h"
#include "sampler.h"
#include "throttle.h"

static struct hwpmc_param mincount = { .value = 1000, .least = 1, .most = 1000000000 };
module_param_cb(mincount, &hwpmc_param_ops, &mincount, 0644);
MODULE_PARM_DESC(mincount, "smallest period of a sampling PMC, in events (default 1000, 1..1000000000)");

/* A throttled row overflows now and then all the same, for its counter's sake. */
#define HWPMC_THROTTLED_AIM	BIT_ULL(30)
/* A frequency's first period, and its largest change from one sample to the next. */
#define HWPMC_PERIOD_FIRST	10000
#define HWPMC_PERIOD_STEP	8
/* More than any event comes in a second: so nothing here overflows. */
#define HWPMC_PERIOD_MOST	BIT_ULL(56)

u64 hwpmc_period_min(void)
{
	return READ_ONCE(mincount.value);
}

/**
 * hwpmc_period_adapt - a better period
 * @period: that a frequency has led to so far
 * @ns: that the last sample took, on a CPU
 * @events: that it stood for
 * @frequency: samples a second that are wanted
 *
 * Half way to what would have been right, and by no more than a factor. Never more
 * than HWPMC_PERIOD_MOST if @period was not.
 */
u64 hwpmc_period_adapt(u64 period, u64 ns, u64 events, u32 frequency)
{
	u64 wanted = NSEC_PER_SEC / clamp_t(u32, frequency, 1, NSEC_PER_SEC);
	/* In 64 bits: x86's longer division faults where the quotient does not fit. */
	u64 right = div64_u64(min(events, U64_MAX / wanted) * wanted, max(ns, 1ULL));
	u64 least = max(period / HWPMC_PERIOD_STEP, hwpmc_period_min());

	right = clamp(right, least, min(max(period, least) * HWPMC_PERIOD_STEP, HWPMC_PERIOD_MOST));
	return max((period + right) / 2, hwpmc_period_min());
}

/* Sets @link->period and @due when it samples for the first time. */
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

static struct hwpmc_slot *hwpmc_period_slots(const struct hwpmc_link *link)
{
	return link->slot - link->pmc->class_row;
}

/* Folds the row. */
static void hwpmc_period_aim(struct hwpmc_link *link)
{
	u64 due = link->throttled ? link->slot->sum + HWPMC_THROTTLED_AIM : link->due;
	u64 left;

	raw_write_seqcount_begin(&link->ctx->seq);
	left = link->pmc->class->aim(hwpmc_period_slots(link), link->pmc->class_row, due);
	link->aimed = link->slot->sum + left;
	raw_write_seqcount_end(&link->ctx->seq);
}

static void hwpmc_period_park(struct hwpmc_link *link)
{
	u64 row = BIT_ULL(link->pmc->class_row);

	raw_write_seqcount_begin(&link->ctx->seq);
	link->pmc->class->park(row);
	link->pmc->class->fold(hwpmc_period_slots(link), row);
	raw_write_seqcount_end(&link->ctx->seq);
}

/*
 * A sample for what has come due, however many periods that is; samples of one
 * link always stand for all events between them.
 */
static __always_inline void hwpmc_period_take(struct hwpmc_link *link, struct pt_regs *regs,
					      bool late)
{
	u64 over = link->slot->sum - link->due, now = ktime_get_mono_fast_ns();
	u64 events = over < link->period ? link->period :
		     (div64_u64(over, link->period) + 1) * link->period;

	hwpmc_sample_take_nmi(link, events, regs, late, now);
	link->due += events - link->period;
	if (link->pmc->flags & HWPMC_F_FREQUENCY) {
		link->period = hwpmc_period_adapt(link->period, now - link->since, events,
						  link->pmc->count);
		link->since = now;
	}
	link->due += link->period;
	hwpmc_throttle_sample(this_cpu_ptr(&hwpmc_cpus), link, now);
}

static bool hwpmc_period_due(const struct hwpmc_link *link)
{
	return (s64)(link->slot->sum - link->due) >= 0;
}

/*
 * Whether a row has overflowed: it is one of those, or it did so since they were looked
 * at and was folded with them, so that its own interrupt finds nothing any more.
 */
static bool hwpmc_period_overflowed(const struct hwpmc_link *link, const struct hwpmc_class *class,
				    u64 rows)
{
	if (link->pmc->class == class && (rows & BIT_ULL(link->pmc->class_row)))
		return true;
	return (s64)(link->slot->sum - link->aimed) >= 0;
}

/**
 * hwpmc_period_overflow - rows of a context on this CPU overflowed, and were folded
 * @ctx: the context
 * @class: whose rows
 * @rows: which
 * @regs: what was interrupted, or NULL
 *
 * Context: the overflow interrupt, overflows deferred; maybe NMI.
 */
void hwpmc_period_overflow(struct hwpmc_context *ctx, const struct hwpmc_class *class, u64 rows,
			   struct pt_regs *regs)
{
	struct hwpmc_link *link;

	for (link = ctx->recorders; link; link = link->next_recorder) {
		if (!link->pmc->sampled || !hwpmc_period_overflowed(link, class, rows))
			continue;
		/* A throttled one gets its sample at the latest when it stops or leaves. */
		if (!link->throttled && hwpmc_period_due(link))
			hwpmc_period_take(link, regs, false);
		/* Always: who folded it may have dropped the flag that was to come. */
		hwpmc_period_aim(link);
	}
}

/* Before the overflow's interrupt: parked, so that nothing becomes due after the check. */
static void hwpmc_period_take_late(struct hwpmc_link *link)
{
	hwpmc_period_park(link);
	if (hwpmc_period_due(link))
		hwpmc_period_take(link, NULL, true);
}

/**
 * hwpmc_period_flush - a context on this CPU was folded, and may be about to stop
 * @ctx: the context
 *
 * Context: interrupts off, overflows deferred; maybe NMI.
 */
void hwpmc_period_flush(struct hwpmc_context *ctx)
{
	struct hwpmc_link *link;

	for (link = ctx->recorders; link; link = link->next_recorder) {
		if (!link->pmc->sampled)
			continue;
		hwpmc_period_take_late(link);
		hwpmc_period_aim(link);
	}
}

/**
 * hwpmc_period_sched_in - a context with recorders is scheduled in here, or is on this CPU
 * @ctx: the context; its rows run
 *
 * Context: interrupts off, overflows deferred.
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
			hwpmc_throttle_relieve(link);
		hwpmc_period_aim(link);
	}
}

/**
 * hwpmc_period_log_switch - log what a PMC counted since a thread was scheduled in, if asked for
 * @link: active until now; its context folded
 *
 * Context: on the context's CPU, interrupts off.
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
 * hwpmc_period_log_exit - log the final count of a thread that exits, if that is still to do
 * @link: not active on any CPU; nothing is logged twice
 *
 * Context: hwpmc_link_lock.
 */
void hwpmc_period_log_exit(struct hwpmc_link *link)
{
	if (!link->exit_pending)
		return;
	link->exit_pending = false;
	hwpmc_emit_value(link, hwpmc_link_value(link), HWPMC_LOG_VALUE);
}

/* SWITCH, and at the thread's last switch VALUE, for those who asked. */
static void hwpmc_period_log_counts(struct hwpmc_link *link)
{
	hwpmc_period_log_switch(link);
	if (!link->exit_pending || !hwpmc_task_is_dead(current))
		return;
	link->exit_pending = false;
	hwpmc_emit_value(link, link->sum + link->slot->sum - link->base, HWPMC_LOG_VALUE);
}

/**
 * hwpmc_period_sched_out - a context with recorders is scheduled out of this CPU
 * @ctx: the context; folded
 *
 * Context: interrupts off, maybe under the runqueue's lock; overflows deferred.
 */
void hwpmc_period_sched_out(struct hwpmc_context *ctx)
{
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
}
