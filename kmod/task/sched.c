// SPDX-License-Identifier: GPL-2.0-only
/*
 * The context switch of a monitored thread: schedule in, schedule out (preempt notifier).
 *
 * Called by the scheduler on every switch to or from a hooked task, and by hook_cpu.c and
 * hook_target.c for a task that is running when it is hooked.
 *
 * A switch takes no lock unless links or PMCs changed. If the thread only counts, and this CPU's
 * rows are programmed for it, the switch reads the counters at schedule in, reads them again at
 * schedule out and adds the differences; it writes no register unless a counter wrapped. If the
 * thread samples, schedule in also sets the counter to overflow when the sample is due, and
 * schedule out takes a sample that is due already and keeps the rest of the period. If it may read
 * its counters in user mode, schedule in also writes them and allows the reads, and schedule out
 * forbids them.
 */
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include <hwpmc_arch_inline.h>

#include "../pmc/context.h"
#include "../pmc/off_cpu.h"
#include "../pmc/page.h"
#include "../pmc/period.h"
#include "task.h"

/*
 * Links or PMCs of @th or of this CPU changed: resync the thread's context, and the CPU's own if it
 * is stale. @was_off: the thread was off the CPU until now. Returns as hwpmc_sched_load() does.
 */
static noinline bool hwpmc_sched_refresh(struct hwpmc_cpu *pc, struct hwpmc_thread *th,
					 bool was_off)
{
	if (was_off)
		hwpmc_off_cpu_begin(&th->ctx);
	hwpmc_context_enter(pc, &th->ctx);
	if (was_off)
		hwpmc_off_cpu_end(&th->ctx);
	pc->loaded = th->ctx.config_serial;
	return READ_ONCE(th->ctx.stale) != HWPMC_EMPTY;
}

/* Called if the CPU's rows are programmed for another thread. */
static noinline void hwpmc_sched_program(struct hwpmc_cpu *pc, struct hwpmc_thread *th)
{
	hwpmc_context_program(pc, &th->ctx);
	pc->loaded = th->ctx.config_serial;
}

/* Called for a context whose @in_flags are not 0. */
static noinline void hwpmc_sched_in_extra(struct hwpmc_context *ctx)
{
	if (ctx->in_flags & HWPMC_IN_SUMS)
		hwpmc_context_add_off(ctx);
	if (ctx->recorders)
		hwpmc_period_sched_in(ctx);
	if (ctx->in_flags & HWPMC_IN_USER_READS)
		hwpmc_arch_user_reads(true);
	if (ctx->in_flags & HWPMC_IN_OFF_CPU)
		hwpmc_off_cpu_sched_in(ctx);
}

/*
 * Make @th this CPU's thread and start its context; resync the context if it is stale. @was_off:
 * as for hwpmc_sched_refresh(). Returns false if the thread record is unused: a resync makes a
 * context without links EMPTY.
 *
 *	this CPU				another CPU, in or before hwpmc_sync_cpus()
 *
 *	thread = th			(A)	links, PMCs, stale = STALE	(C)
 *	smp_mb()				smp_mb()
 *	stale?				(B)	a thread set that is STALE?	(D)
 *
 * If (B) does not see (C), then (D) sees (A) and calls this CPU. The call waits until this CPU
 * enables interrupts, so this function is done by then. The scheduler's own barriers are not
 * sufficient, since all of them are before (A).
 */
static __always_inline bool hwpmc_sched_load(struct hwpmc_cpu *pc, struct hwpmc_thread *th,
					     bool was_off)
{
	struct hwpmc_context *ctx = &th->ctx;
	const struct hwpmc_batch *b;

	/* A */
	WRITE_ONCE(pc->thread, th);
	/* Orders A before B; hwpmc_sync_cpus() has the barrier between C and D. */
	smp_mb();
	/* B. A plain load, since only whether it is HWPMC_FRESH (0) matters. */
	if (unlikely(data_race(ctx->stale)))
		return hwpmc_sched_refresh(pc, th, was_off);
	if (unlikely(pc->loaded != ctx->config_serial)) {
		/*
		 * The rows are programmed for another thread, or this one was resynced on another
		 * CPU. In the second case this CPU's own context may be stale. PMCs that one call
		 * starts start in both contexts at the same instant: see hwpmc_context_decide().
		 */
		if (unlikely(hwpmc_context_is_stale(&pc->sys)))
			return hwpmc_sched_refresh(pc, th, was_off);
		hwpmc_sched_program(pc, th);
	}
	for (b = ctx->batch; b->rows; b++)
		hwpmc_arch_in(b->in, b->slots, b->rows);
	if (unlikely(ctx->in_extra)) {
		if (unlikely(ctx->in_flags))
			hwpmc_sched_in_extra(ctx);
		else
			hwpmc_period_sched_in(ctx);
	}
	return true;
}

static __always_inline bool hwpmc_sched_enter(struct hwpmc_thread *th, bool was_off)
{
	bool alive;

	hwpmc_defer_begin();
	alive = hwpmc_sched_load(this_cpu_ptr(&hwpmc_cpus), th, was_off);
	hwpmc_defer_end();
	return alive;
}

/**
 * hwpmc_sched_start - begin to count a thread that is running when it is hooked
 * @th: record of current, whose notifier is on current's list
 *
 * A record that is unused by now is removed at the next schedule in, since that must be done in the
 * scheduler's walk of the list. Context: interrupts off.
 */
void hwpmc_sched_start(struct hwpmc_thread *th)
{
	lockdep_assert_irqs_disabled();
	hwpmc_sched_enter(th, false);
}

/*
 * Unlink the notifier of a thread that no PMC follows, unless one was attached meanwhile. The
 * caller's walk of the list continues from link.next, so that pointer is left intact, which
 * preempt_notifier_unregister() would not do, and the record must live until the walk ends. The
 * walk runs with preemption off, which call_rcu() waits for.
 */
static noinline void hwpmc_sched_retire(struct hwpmc_thread *th)
{
	raw_spin_lock(&th->ctx.lock);
	if (!list_empty(&th->ctx.links)) {
		raw_spin_unlock(&th->ctx.lock);
		return;
	}
	hwpmc_thread_remove(th);
	__hlist_del(&th->notifier.link);
	raw_spin_unlock(&th->ctx.lock);

	/* Pairs with the acquires of other CPUs, as in hwpmc_sched_out(). */
	smp_store_release(&this_cpu_ptr(&hwpmc_cpus)->thread, NULL);
	hwpmc_thread_free_later(th);
}

/* Called by finish_task_switch(), always with interrupts on and preemption off. */
static void hwpmc_sched_in(struct preempt_notifier *notifier, int cpu)
{
	struct hwpmc_thread *th = container_of(notifier, struct hwpmc_thread, notifier);

	local_irq_disable();
	if (unlikely(!hwpmc_sched_enter(th, true)))
		hwpmc_sched_retire(th);
	local_irq_enable();
}

/*
 * Called with the runqueue locked and interrupts off. Overflows that were deferred are taken at the
 * end, when this CPU has no thread and only its own context counts.
 */
static void hwpmc_sched_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct hwpmc_thread *th = container_of(notifier, struct hwpmc_thread, notifier);
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	u8 flags;

	/* The task was hooked while it was being scheduled out: sched_in was not called for it. */
	if (unlikely(pc->thread != th)) {
		WARN_ON_ONCE(pc->thread);
		return;
	}
	hwpmc_defer_begin();
	hwpmc_context_fold(&th->ctx);
	flags = th->ctx.out_flags;
	if (flags) {
		if (flags & HWPMC_OUT_USER_READS)
			hwpmc_arch_user_reads(false);
		if (unlikely(flags & HWPMC_OUT_WITHDRAWN)) {
			hwpmc_arch_user_reads(false);
			th->ctx.out_flags = flags & ~HWPMC_OUT_WITHDRAWN;
		}
		if (flags & HWPMC_OUT_RECORDS)
			hwpmc_period_sched_out(&th->ctx);
		hwpmc_page_publish(&th->ctx, true);
	}
	/* Release: a CPU that acquires NULL here also reads the sums above (pmc/count.c). */
	smp_store_release(&pc->thread, NULL);
	hwpmc_defer_end();
}

struct preempt_ops hwpmc_sched_ops = {
	.sched_in	= hwpmc_sched_in,
	.sched_out	= hwpmc_sched_out,
};
