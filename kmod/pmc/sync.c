// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cross-call that resyncs contexts on other CPUs after links or PMCs changed. Called in
 * process context by state.c (START, STOP), evict.c (ADMIN) and task/target.c (detach).
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "context.h"

/* Called on each CPU concerned, interrupts off. */
static void hwpmc_sync_cpu(void *unused)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);

	if (!pc->thread) {
		if (hwpmc_context_is_stale(&pc->sys))
			hwpmc_context_update(pc, &pc->sys);
		return;
	}
	/* This resyncs the CPU's own context too, see hwpmc_context_resync(). */
	hwpmc_context_update(pc, &pc->thread->ctx);
	pc->loaded = pc->thread->ctx.config_serial;
}

/* Preemption is off, so RCU keeps the record of the thread. */
static bool hwpmc_sync_concerns(int cpu, void *unused)
{
	const struct hwpmc_cpu *pc = per_cpu_ptr(&hwpmc_cpus, cpu);
	/* Pairs with the release in hwpmc_sched_out(): the thread before it is out and folded. */
	const struct hwpmc_thread *th = smp_load_acquire(&pc->thread);

	return (th && hwpmc_context_is_stale(&th->ctx)) || hwpmc_context_is_stale(&pc->sys);
}

/**
 * hwpmc_sync_cpus_locked - hwpmc_sync_cpus(), where no CPU can go offline or online
 *
 * Context: process, cpus_read_lock() held; preemption may be off.
 */
void hwpmc_sync_cpus_locked(void)
{
	/* Orders stale before the reads of thread; pairs with hwpmc_sched_load(). */
	smp_mb();
	on_each_cpu_cond_mask(hwpmc_sync_concerns, hwpmc_sync_cpu, NULL, 1, cpu_online_mask);
}

/**
 * hwpmc_sync_cpus - resync the contexts that are on a CPU and stale
 *
 * On return, the contexts on all CPUs count for the correct links, and the events of links that
 * became inactive are folded into their sums. CPUs whose contexts are not stale are not called. A
 * CPU that is switching to a thread at this moment stores hwpmc_cpu.thread before it tests whether
 * the context is stale: either it is called, or it resyncs by itself. See the diagram above
 * hwpmc_sched_load() in task/sched.c.
 *
 * Context: process, may sleep; the contexts concerned were made stale before.
 */
void hwpmc_sync_cpus(void)
{
	cpus_read_lock();
	hwpmc_sync_cpus_locked();
	cpus_read_unlock();
}
