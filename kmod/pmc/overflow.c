// SPDX-License-Identifier: GPL-2.0-only
/*
 * The overflow interrupt: folds the contexts on this CPU whose rows overflowed, and takes their
 * samples. Called by arch/ with interrupts off, in an NMI if HWPMC_OVERFLOW_IS_NMI. After an
 * interrupt that was deferred, hwpmc_defer_end() calls hwpmc_overflow_resync() instead.
 */
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/seqlock.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/stat.h"
#include "../hwpmc.h"
#include "context.h"
#include "direct.h"
#include "period_due.h"
#include "trace.h"

/*
 * Fold the whole context, so that the sums of a group are of one instant. Returns those of @rows
 * that it counts on; if there are none it is not folded.
 */
static noinline u64 hwpmc_overflow_fold(struct hwpmc_context *ctx, const struct hwpmc_class *class,
					u64 rows)
{
	rows &= hwpmc_context_rows(ctx, class);
	if (rows)
		hwpmc_context_fold(ctx);
	return rows;
}

/*
 * Handle the overflow of those of @rows that @ctx counts on, and return them. If the context counts
 * on no other rows, and all of them sample, the class's wrapped() is called, which costs less than
 * fold(). It is sufficient, since hwpmc_period_overflow() aims these rows afterwards.
 */
static __always_inline u64 hwpmc_overflow_context(struct hwpmc_cpu *pc, struct hwpmc_context *ctx,
						  const struct hwpmc_class *class, u64 rows,
						  struct pt_regs *regs)
{
	if (likely(rows == ctx->sampling_only && class == ctx->batch->class)) {
		raw_write_seqcount_begin(&ctx->seq);
		hwpmc_arch_wrapped(class->wrapped, ctx->batch->slots, rows);
		raw_write_seqcount_end(&ctx->seq);
	} else {
		rows = hwpmc_overflow_fold(ctx, class, rows);
		if (!rows)
			return 0;
	}
	if (ctx->recorders)
		hwpmc_period_overflow(pc, ctx, class, rows, regs);
	if (unlikely(ctx->user_reads))
		hwpmc_direct_refresh(ctx);
	return rows;
}

/**
 * hwpmc_overflow - handle the overflow of rows of this CPU
 * @class: class of @rows
 * @rows: rows of @class that overflowed; 0 if the interrupt found none
 * @regs: registers of the interrupted code
 *
 * Of hwpmc_overflow_ops: the machine calls it from its interrupt handler. Rows that no
 * context on this CPU counts on are acknowledged only.
 *
 * Context: the overflow interrupt, interrupts off; an NMI if HWPMC_OVERFLOW_IS_NMI.
 */
void hwpmc_overflow(const struct hwpmc_class *class, u64 rows, struct pt_regs *regs)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	struct hwpmc_context *ctx;
	u64 left = rows;

	if (unlikely(!rows)) {
		hwpmc_stat_inc(HWPMC_STAT_INTR_IGNORED);
		return;
	}
	hwpmc_stat_inc_irq(HWPMC_STAT_INTR_PROCESSED);
	if (HWPMC_OVERFLOW_IS_NMI && this_cpu_read(hwpmc_defer.depth)) {
		/*
		 * hwpmc_defer_end() calls hwpmc_overflow_resync(). Do not acknowledge the
		 * overflow here: the events belong to a slot, and only a fold into that slot may
		 * restart the counter.
		 */
		trace_hwpmc_overflow(class, rows, true);
		this_cpu_write(hwpmc_defer.overflow_pending, true);
		if (class->mask)
			class->mask(rows);
		return;
	}
	hwpmc_defer_begin();
	trace_hwpmc_overflow(class, rows, false);
	/* A loop, so that hwpmc_overflow_context() is inlined once. */
	ctx = pc->thread ? &pc->thread->ctx : &pc->sys;
	for (;;) {
		left &= ~hwpmc_overflow_context(pc, ctx, class, rows, regs);
		/* A row that is shared may be due in both contexts. */
		if (likely(ctx == &pc->sys || (!left && !class->shareable)))
			break;
		ctx = &pc->sys;
		if (!class->shareable)
			rows = left;
	}
	if (unlikely(left))
		class->ack(left);
	hwpmc_defer_end();
}

/* The functions that the machine's interrupt handler calls. */
const struct hwpmc_overflow_ops hwpmc_overflow_ops = {
	.overflow = hwpmc_overflow,
	.end = hwpmc_throttle_interrupt,
};

/**
 * hwpmc_overflow_resync - handle an overflow that was deferred
 *
 * Which rows overflowed was not stored, so every row of the contexts on this CPU is folded, and
 * the samples that are due are taken. Context: as hwpmc_defer_end().
 */
void hwpmc_overflow_resync(void)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);

	if (pc->thread)
		hwpmc_context_flush(&pc->thread->ctx);
	hwpmc_context_flush(&pc->sys);
}
