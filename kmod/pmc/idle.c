// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deep idle: a CPU enters or leaves a state in which its PMU loses its registers. Called by the
 * CPU_PM notifier in hotplug.c, on the CPU concerned with interrupts off, while the PMU is claimed.
 *
 * An idle CPU does this thousands of times a second, so it must cost nothing on CPUs where nothing
 * counts: their PMU is only marked as lost, and the next context that counts there sets it up.
 * Where contexts count, their rows of the PMU are folded and stopped, and run again afterwards.
 * No lock is taken. If links or PMCs change in between, the cross-call wakes this CPU, and
 * resyncs it after the notifier.
 */
#include <linux/compiler.h>
#include <linux/percpu.h>

#include "../../arch/hwpmc_arch.h"
#include "context.h"
#include "direct.h"
#include "period.h"
#include "row.h"

/* Whether @ctx counts on a row that loses its state. */
static bool hwpmc_idle_uses_pmu(const struct hwpmc_context *ctx)
{
	const struct hwpmc_batch *b;

	for (b = ctx->batch; b->rows; b++)
		if (b->class->needs_pmu)
			return true;
	return false;
}

/* The idle task has no context; suspend runs in a thread, which may have one. */
static bool hwpmc_idle_cpu_uses_pmu(const struct hwpmc_cpu *pc)
{
	return hwpmc_idle_uses_pmu(&pc->sys) ||
	       (pc->thread && hwpmc_idle_uses_pmu(&pc->thread->ctx));
}

/* Stop and fold the rows of the PMU, and take the samples that are due. */
static void hwpmc_idle_stop(struct hwpmc_context *ctx)
{
	const struct hwpmc_batch *b;

	if (!hwpmc_idle_uses_pmu(ctx))
		return;
	for (b = ctx->batch; b->rows; b++)
		if (b->class->needs_pmu)
			b->class->park(b->rows);
	hwpmc_context_fold(ctx);
	hwpmc_period_sched_out(ctx);
}

/* Program the rows of the PMU, and count from the present values of their counters. */
static void hwpmc_idle_start(struct hwpmc_cpu *pc, struct hwpmc_context *ctx)
{
	const struct hwpmc_batch *b;

	if (!hwpmc_idle_uses_pmu(ctx))
		return;
	hwpmc_context_program(pc, ctx);
	for (b = ctx->batch; b->rows; b++)
		if (b->class->needs_pmu)
			b->class->in(b->slots, b->rows);
	if (unlikely(ctx->user_reads))
		hwpmc_direct_begin(ctx);
	hwpmc_period_sched_in(ctx);
}

/**
 * hwpmc_idle_enter - prepare a CPU for the loss of its PMU's registers
 * @pc: this CPU; the PMU is claimed
 *
 * Context: interrupts off; from here to hwpmc_idle_exit() nothing is scheduled on this CPU.
 */
void hwpmc_idle_enter(struct hwpmc_cpu *pc)
{
	if (!hwpmc_idle_cpu_uses_pmu(pc))
		return;
	hwpmc_defer_begin();
	hwpmc_idle_stop(&pc->sys);
	if (pc->thread)
		hwpmc_idle_stop(&pc->thread->ctx);
	hwpmc_defer_end();
}

/**
 * hwpmc_idle_exit - continue to count after hwpmc_idle_enter()
 * @pc: this CPU; the PMU is claimed
 * @lost: the PMU may have lost its registers; false: the state was not entered
 *
 * Context: interrupts off.
 */
void hwpmc_idle_exit(struct hwpmc_cpu *pc, bool lost)
{
	if (!hwpmc_idle_cpu_uses_pmu(pc)) {
		if (lost)
			hwpmc_pmu_lose(pc);
		return;
	}
	hwpmc_defer_begin();
	hwpmc_pmu_resume(pc);
	hwpmc_idle_start(pc, &pc->sys);
	if (pc->thread) {
		hwpmc_idle_start(pc, &pc->thread->ctx);
		pc->loaded = pc->thread->ctx.config_serial;
	}
	hwpmc_defer_end();
}
