// SPDX-License-Identifier: GPL-2.0-only
/*
 * A monitored thread comes on a CPU and leaves it: the preempt notifier.
 *
 * This is what a context switch costs. In the steady state no lock is taken
 * and no register is written: read the counters coming on, read them again
 * and add the differences leaving.
 */
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "../pmc/context.h"
#include "../pmc/period.h"
#include "task.h"

/*
 * Something changed since @th was on, or since its CPU was resynced: resync what both
 * count. Returns as hwpmc_sched_load() does.
 */
static noinline bool hwpmc_sched_refresh(struct hwpmc_cpu *pc, struct hwpmc_thread *th)
{
	hwpmc_context_enter(pc, &th->ctx);
	pc->loaded = th->ctx.config_serial;
	return READ_ONCE(th->ctx.gen);
}

/* The CPU's rows are somebody else's. */
static noinline void hwpmc_sched_program(struct hwpmc_cpu *pc, struct hwpmc_thread *th)
{
	hwpmc_context_program(pc, &th->ctx);
	pc->loaded = th->ctx.config_serial;
}

/*
 * Returns false when the record turned out to be dead: it was looked at, and its gen is 0,
 * so it has no links.
 *
 *	here					hwpmc_sync_cpus(), elsewhere
 *
 *	thread = th			(A)	links, PMCs, generation++	(C)
 *	smp_mb()				smp_mb()
 *	generation still ctx->gen?	(B)	any thread set?			(D)
 *
 * If (B) misses (C), then (D) sees (A) and calls this CPU, which waits till
 * interrupts are open: this is done by then.
 */
static __always_inline bool hwpmc_sched_load(struct hwpmc_cpu *pc, struct hwpmc_thread *th)
{
	struct hwpmc_context *ctx = &th->ctx;
	const struct hwpmc_batch *b;

	/* A */
	WRITE_ONCE(pc->thread, th);
	/* Between A and B; hwpmc_sync_cpus() has its own between C and D. */
	smp_mb();
	/* B. Others write nothing but 0 to gen; READ_ONCE() is an instruction more on x86. */
	if (unlikely(data_race(ctx->gen) != READ_ONCE(hwpmc_generation)))
		return hwpmc_sched_refresh(pc, th);
	if (unlikely(pc->loaded != ctx->config_serial)) {
		/* It looked on another CPU, and this one has not. */
		if (unlikely(!hwpmc_cpu_in_sync(pc, ctx)))
			return hwpmc_sched_refresh(pc, th);
		hwpmc_sched_program(pc, th);
	}
	for (b = ctx->batch; b->rows; b++)
		hwpmc_arch_in(b->in, b->slots, b->rows);
	if (unlikely(ctx->recorders))
		hwpmc_period_sched_in(ctx);
	return true;
}

static __always_inline bool hwpmc_sched_enter(struct hwpmc_thread *th)
{
	bool alive;

	hwpmc_defer_begin();
	alive = hwpmc_sched_load(this_cpu_ptr(&hwpmc_cpus), th);
	hwpmc_defer_end();
	return alive;
}

/**
 * hwpmc_sched_start - a thread is on this CPU from now on
 * @th: current's record, on current's list of notifiers
 *
 * Context: interrupts off.
 */
void hwpmc_sched_start(struct hwpmc_thread *th)
{
	hwpmc_sched_enter(th);
}

/*
 * Nobody follows the thread any more. The walk that called us goes on from
 * link.next, so that stays as it is, and the record lives until the walk is
 * over: it runs with preemption off, which is what call_rcu() waits for.
 */
static noinline void hwpmc_sched_retire(struct hwpmc_thread *th)
{
	raw_spin_lock(&hwpmc_link_lock);
	if (!list_empty(&th->ctx.links)) {
		raw_spin_unlock(&hwpmc_link_lock);
		return;
	}
	hwpmc_thread_remove(th);
	__hlist_del(&th->notifier.link);
	raw_spin_unlock(&hwpmc_link_lock);

	/* As in hwpmc_sched_out(). */
	smp_store_release(&this_cpu_ptr(&hwpmc_cpus)->thread, NULL);
	hwpmc_thread_free_later(th);
}

/* From finish_task_switch(), always with interrupts on. */
static void hwpmc_sched_in(struct preempt_notifier *notifier, int cpu)
{
	struct hwpmc_thread *th = container_of(notifier, struct hwpmc_thread, notifier);

	local_irq_disable();
	if (unlikely(!hwpmc_sched_enter(th)))
		hwpmc_sched_retire(th);
	local_irq_enable();
}

/* Under the runqueue's lock, interrupts off. */
static void hwpmc_sched_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct hwpmc_thread *th = container_of(notifier, struct hwpmc_thread, notifier);
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);

	/* Hooked while it was on its way out: it never came on. */
	if (unlikely(pc->thread != th))
		return;
	hwpmc_defer_begin();
	hwpmc_context_fold(&th->ctx);
	if (unlikely(th->ctx.recorders))
		hwpmc_period_sched_out(&th->ctx);
	/* Who sees the CPU without the thread sees its sums: see hwpmc_cpu_busy(). */
	smp_store_release(&pc->thread, NULL);
	hwpmc_defer_end();
}

struct preempt_ops hwpmc_sched_ops = {
	.sched_in	= hwpmc_sched_in,
	.sched_out	= hwpmc_sched_out,
};
