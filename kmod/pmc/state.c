// SPDX-License-Identifier: GPL-2.0-only
/* The states of PMCs: ALLOCATED -> RUNNING <-> STOPPED, many of them at once. */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../base/owner.h"
#include "../hwpmc.h"
#include "context.h"
#include "link.h"
#include "period.h"
#include "pmc.h"
#include "walk.h"

/* Make it so on every CPU; without memory for a mask, by asking all of them. */
static void hwpmc_state_sync(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	const struct cpumask *also = NULL;
	bool system = false;
	cpumask_var_t cpus;
	unsigned int i;

	for (i = 0; i < count; i++)
		system |= pmcs[i]->cpu >= 0;
	if (!system || !zalloc_cpumask_var(&cpus, GFP_KERNEL)) {
		hwpmc_sync_cpus(system ? cpu_possible_mask : NULL);
		return;
	}
	for (i = 0; i < count; i++)
		if (pmcs[i]->cpu >= 0)
			cpumask_set_cpu(pmcs[i]->cpu, cpus);
	also = cpus;
	hwpmc_sync_cpus(also);
	free_cpumask_var(cpus);
}

/*
 * Threads that exit log their counts when they are off the CPU for the last time. By then
 * their parents may have waited for them, and stopped the PMC: then that is done here.
 */
static void hwpmc_state_log_exits(struct hwpmc_pmc *pmc)
{
	struct hwpmc_walk walk;
	struct list_head *at;

	if (!(pmc->flags & HWPMC_F_LOG_PROCEXIT))
		return;
	hwpmc_walk_begin(&walk, &pmc->links);
	while ((at = hwpmc_walk_next(&walk)))
		hwpmc_period_log_exit(list_entry(at, struct hwpmc_link, in_pmc));
	hwpmc_walk_end(&walk);
}

/**
 * hwpmc_state_set - PMCs run, or stop, on every CPU when this returns
 * @pmcs: of one owner, whose lock is held
 * @count: how many
 * @running: which of the two
 *
 * Context: may sleep.
 */
void hwpmc_state_set(struct hwpmc_pmc *const *pmcs, unsigned int count, bool running)
{
	unsigned long flags;
	unsigned int i;
	u64 now;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	for (i = 0; i < count; i++)
		pmcs[i]->running = running;
	WRITE_ONCE(hwpmc_generation, hwpmc_generation + 1);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
	hwpmc_state_sync(pmcs, count);
	now = ktime_get_mono_fast_ns();
	for (i = 0; i < count; i++) {
		struct hwpmc_pmc *pmc = pmcs[i];

		if (running && pmc->state != HWPMC_RUNNING) {
			pmc->started = now;
			pmc->offline_at_start = hwpmc_cpu_offline_ns(pmc->cpu, now);
		} else if (!running && pmc->state == HWPMC_RUNNING) {
			hwpmc_state_log_exits(pmc);
			pmc->enabled += now - pmc->started;
			pmc->offline += hwpmc_cpu_offline_ns(pmc->cpu, now) -
					pmc->offline_at_start;
		}
		pmc->state = running ? HWPMC_RUNNING : HWPMC_STOPPED;
	}
}
