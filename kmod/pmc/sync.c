// SPDX-License-Identifier: GPL-2.0-only
/* The cross-call that makes CPUs act on changed links and PMCs. */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "context.h"

static void hwpmc_sync_cpu(void *unused)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);

	if (!pc->thread) {
		hwpmc_context_update(pc, &pc->sys);
		return;
	}
	/* And the CPU's own with it. */
	hwpmc_context_update(pc, &pc->thread->ctx);
	pc->loaded = pc->thread->ctx.config_serial;
}

static bool hwpmc_sync_concerns(int cpu, void *also)
{
	return hwpmc_cpu_busy(cpu) ||
	       (also && cpumask_test_cpu(cpu, also));
}

/**
 * hwpmc_sync_cpus - make every CPU act on the state of links and PMCs as it is now
 * @also: CPUs whose own context is concerned, or NULL
 *
 * On return, every context that is on a CPU counts what it should, and what it
 * should not count any more is folded. CPUs that run no monitored thread are
 * left alone: one that is just switching to such a thread stored hwpmc_cpu.thread
 * before it reads the generation, with a full barrier between, as there is here.
 *
 * Context: process, interrupts on; hwpmc_generation was raised before.
 */
void hwpmc_sync_cpus(const struct cpumask *also)
{
	/* Pairs with the one of a thread that comes on (task/sched.c). */
	smp_mb();
	cpus_read_lock();
	on_each_cpu_cond_mask(hwpmc_sync_concerns, hwpmc_sync_cpu, (void *)also, 1,
			      cpu_online_mask);
	cpus_read_unlock();
}
