/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes the samples of periods that have elapsed: inline, since every overflow does. Used by
 * overflow.c and period.c, on the context's CPU with interrupts off, maybe in an NMI.
 */
#ifndef HWPMC_PERIOD_DUE_H
#define HWPMC_PERIOD_DUE_H

#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/types.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/now.h"
#include "context.h"
#include "link.h"
#include "period.h"
#include "pmc.h"
#include "sample.h"
#include "throttle.h"

/*
 * Take one sample for all the periods that have elapsed: the samples of a link stand for all events
 * between them. Then set when the next one is due.
 */
static __always_inline void hwpmc_period_take(struct hwpmc_cpu *pc, struct hwpmc_link *link,
					      struct pt_regs *regs, bool late)
{
	u64 over = link->slot->sum - link->due, now = hwpmc_now_nmi();
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
	hwpmc_throttle_sample(pc, link);
}

/*
 * Throttle a link that is scheduled in, or whose sample is due, if all the time for samples is
 * spent. Returns whether it is throttled now.
 */
static __always_inline bool hwpmc_period_throttle(struct hwpmc_cpu *pc, struct hwpmc_link *link)
{
	return unlikely(pc->window.over) && hwpmc_throttle_over(pc, link);
}

/* Whether the last fold reached the next sample. */
static __always_inline bool hwpmc_period_due(const struct hwpmc_link *link)
{
	return (s64)(link->slot->sum - link->due) >= 0;
}

/*
 * Whether the link's row has overflowed: its sum is where it was aimed, or it is one of @rows. The
 * former includes a row that overflowed after the interrupt read @rows and was folded together with
 * them. The fold cleared its overflow flag, so its own interrupt does not find it.
 */
static __always_inline bool hwpmc_period_overflowed(const struct hwpmc_link *link,
						    const struct hwpmc_class *class, u64 rows)
{
	if (likely((s64)(link->slot->sum - link->aimed) >= 0))
		return true;
	return link->pmc->class == class && (rows & BIT_ULL(link->pmc->class_row));
}

/**
 * hwpmc_period_overflow - take the samples of rows that overflowed, and aim the rows again
 * @pc: this CPU
 * @ctx: a context on it, folded since the overflow
 * @class: class of @rows
 * @rows: rows of @class that overflowed
 * @regs: registers of the interrupted code, or NULL
 *
 * Context: the overflow interrupt, which may be an NMI; interrupts off, overflows deferred.
 */
static __always_inline void hwpmc_period_overflow(struct hwpmc_cpu *pc, struct hwpmc_context *ctx,
						  const struct hwpmc_class *class, u64 rows,
						  struct pt_regs *regs)
{
	struct hwpmc_link *link;

	for (link = ctx->recorders; link; link = link->next_recorder) {
		if (!link->pmc->sampled || !hwpmc_period_overflowed(link, class, rows))
			continue;
		/* The sample of a throttled link is taken when it is flushed or scheduled out. */
		if (!link->throttled && hwpmc_period_due(link) &&
		    !hwpmc_period_throttle(pc, link))
			hwpmc_period_take(pc, link, regs, false);
		/*
		 * Always: the fold may have cleared an overflow before its interrupt arrived. If
		 * taking the sample took as long as the period, the next sample is due already. It
		 * is put off by a period, so that the interrupted code can continue.
		 */
		hwpmc_period_aim(link, link->period);
	}
}

#endif /* HWPMC_PERIOD_DUE_H */
