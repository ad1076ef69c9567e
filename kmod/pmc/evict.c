// SPDX-License-Identifier: GPL-2.0-only
/*
 * Eviction: an administrator takes a row from the PMCs that hold it. Called by row.c for ADMIN, in
 * process context with hwpmc_rows_lock held.
 *
 * The owners' locks are not taken: an owner could hold its lock for as long as it likes, in a page
 * fault of a call, and so keep the row. Instead a PMC loses what hwpmc_rows_lock guards, its row
 * and its reference to the PMU, and can never run again. All else stays until its owner releases
 * it.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include "../base/owner.h"
#include "context.h"
#include "pmc.h"
#include "row.h"

static bool hwpmc_evict_concerns(const struct hwpmc_pmc *pmc, int cpu)
{
	return hwpmc_mode_virtual(pmc->mode) || pmc->cpu == cpu;
}

/* From now on hwpmc_state_set() does not start @pmc. */
static void hwpmc_evict_stop(struct hwpmc_pmc *pmc)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	WRITE_ONCE(pmc->evicted, true);
	pmc->running = false;
	WRITE_ONCE(hwpmc_generation, hwpmc_generation + 1);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

/**
 * hwpmc_evict_holders - end the PMCs that hold a row on a CPU
 * @holders: holders of the row, by hwpmc_pmc.in_row
 * @cpu: the CPU; virtual PMCs hold the row on every CPU
 *
 * On return no CPU counts for them, and they do not hold the row any more. Their owners get
 * POLLERR, and -ECANCELED for their ids until they release them.
 *
 * Context: may sleep; hwpmc_rows_lock held. Takes hwpmc_link_lock.
 */
void hwpmc_evict_holders(struct list_head *holders, int cpu)
{
	struct hwpmc_pmc *pmc, *next;

	lockdep_assert_held(&hwpmc_rows_lock);
	list_for_each_entry(pmc, holders, in_row)
		if (hwpmc_evict_concerns(pmc, cpu))
			hwpmc_evict_stop(pmc);
	hwpmc_sync_cpus(cpumask_of(cpu));
	list_for_each_entry_safe(pmc, next, holders, in_row) {
		if (!hwpmc_evict_concerns(pmc, cpu))
			continue;
		hwpmc_row_release(pmc);
		hwpmc_pmu_put(pmc->class);
		WRITE_ONCE(pmc->owner->evicted, pmc->owner->evicted + 1);
		hwpmc_owner_notify(pmc->owner);
	}
}
