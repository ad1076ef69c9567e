// SPDX-License-Identifier: GPL-2.0-only
/*
 * The states of PMCs, ALLOCATED -> RUNNING <-> STOPPED, set for many PMCs at once. Called by
 * call/run.c (START, STOP) and call/release.c, in process context with owner->lock held.
 */
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

/*
 * Resync every CPU that the PMCs concern. If there is no memory for a mask of the CPUs of
 * system-wide PMCs, call every CPU.
 */
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
 * A thread that exits logs its count when it is scheduled out for the last time. Its parent's
 * wait(2) may return earlier, and the parent may stop the PMC: in this case log the count here.
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
 * hwpmc_state_set - start or stop PMCs
 * @pmcs: of one owner, in any state
 * @count: number of @pmcs
 * @running: true: start; false: stop
 *
 * On return the change is in effect on every CPU; after a stop, all events are folded. Does not
 * fail: the caller has checked that the PMCs may start or stop.
 *
 * Context: may sleep; owner->lock held. Takes hwpmc_link_lock.
 */
void hwpmc_state_set(struct hwpmc_pmc *const *pmcs, unsigned int count, bool running)
{
	unsigned long flags;
	unsigned int i;
	u64 now;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	for (i = 0; i < count; i++)
		pmcs[i]->running = running && !pmcs[i]->evicted;
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
