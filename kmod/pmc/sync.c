// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cross-call that resyncs contexts on other CPUs after links or PMCs changed. Called in
 * process context by state.c (START, STOP) and by task/target.c (detach).
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "context.h"

/* On each CPU concerned, interrupts off. */
static void hwpmc_sync_cpu(void *unused)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);

	if (!pc->thread) {
		hwpmc_context_update(pc, &pc->sys);
		return;
	}
	/* This resyncs the CPU's own context too, see hwpmc_context_resync(). */
	hwpmc_context_update(pc, &pc->thread->ctx);
	pc->loaded = pc->thread->ctx.config_serial;
}

static bool hwpmc_sync_concerns(int cpu, void *also)
{
	return hwpmc_cpu_busy(cpu) ||
	       (also && cpumask_test_cpu(cpu, also));
}

/**
 * hwpmc_sync_cpus - resync the contexts that are on a CPU with the present links and PMCs
 * @also: CPUs to call even if they run no monitored thread, because the CPU's own context
 *	changed; or NULL
 *
 * On return, the contexts on all CPUs count for active links, and the events of links that
 * became inactive are folded into their sums. CPUs that run no monitored thread and are not in
 * @also are not called. A CPU that is switching to a monitored thread at this moment stores
 * hwpmc_cpu.thread before it reads the generation: either it is called, or it resyncs by itself.
 * See the diagram above hwpmc_sched_load() in task/sched.c.
 *
 * Context: process, may sleep; hwpmc_generation was incremented before.
 */
void hwpmc_sync_cpus(const struct cpumask *also)
{
	/* Orders the new generation before the reads of thread; pairs with hwpmc_sched_load(). */
	smp_mb();
	cpus_read_lock();
	on_each_cpu_cond_mask(hwpmc_sync_concerns, hwpmc_sync_cpu, (void *)also, 1,
			      cpu_online_mask);
	cpus_read_unlock();
}
