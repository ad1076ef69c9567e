// SPDX-License-Identifier: GPL-2.0-only
/* The PMU's interrupt, and what it finds half done (context.h). */
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/seqlock.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/stat.h"
#include "../hwpmc.h"
#include "context.h"
#include "period.h"

/*
 * What counts together is folded together: a group's sums are of one instant. Where there
 * are none but the rows that overflowed, and all of them sample, they are aimed next.
 */
static __always_inline void hwpmc_overflow_fold(struct hwpmc_context *ctx,
						const struct hwpmc_batch *b, u64 rows)
{
	if (rows != ctx->sampling_only) {
		hwpmc_context_fold(ctx);
		return;
	}
	raw_write_seqcount_begin(&ctx->seq);
	b->class->wrapped(b->slots, rows);
	raw_write_seqcount_end(&ctx->seq);
}

/* Of @rows, those that @ctx counts on. */
static __always_inline u64 hwpmc_overflow_context(struct hwpmc_context *ctx,
						  const struct hwpmc_class *class, u64 rows,
						  struct pt_regs *regs)
{
	struct hwpmc_batch *b = ctx->batch;

	while (b->rows && b->class != class)
		b++;
	rows &= b->rows;
	if (!rows)
		return 0;
	hwpmc_overflow_fold(ctx, b, rows);
	if (ctx->recorders)
		hwpmc_period_overflow(ctx, class, rows, regs);
	return rows;
}

/**
 * hwpmc_overflow - rows of this CPU overflowed
 * @class: whose
 * @rows: which
 * @regs: what the interrupt interrupted
 *
 * Context: the PMU's interrupt, interrupts off.
 */
void hwpmc_overflow(const struct hwpmc_class *class, u64 rows, struct pt_regs *regs)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	u64 left = rows;

	if (unlikely(!rows)) {
		hwpmc_stat_inc(HWPMC_STAT_INTR_IGNORED);
		return;
	}
	hwpmc_stat_inc(HWPMC_STAT_INTR_PROCESSED);
	if (HWPMC_OVERFLOW_IS_NMI && this_cpu_read(hwpmc_defer.depth)) {
		/*
		 * hwpmc_defer_end() resyncs this CPU. The class is not asked to drop
		 * anything: what wrapped belongs to a slot, and only a fold into that
		 * can start the counter anew.
		 */
		this_cpu_write(hwpmc_defer.overflow_pending, true);
		return;
	}
	hwpmc_defer_begin();
	if (pc->thread)
		left &= ~hwpmc_overflow_context(&pc->thread->ctx, class, rows, regs);
	if (left)
		left &= ~hwpmc_overflow_context(&pc->sys, class, left, regs);
	if (left)
		class->ack(left);
	hwpmc_defer_end();
}

/* Instead of an overflow that was deferred: every row is folded, so that none is missed. */
void hwpmc_overflow_resync(void)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);

	if (pc->thread)
		hwpmc_context_flush(&pc->thread->ctx);
	hwpmc_context_flush(&pc->sys);
}
