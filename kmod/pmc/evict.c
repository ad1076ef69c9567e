// SPDX-License-Identifier: GPL-2.0-only
/*
 * Eviction: an administrator takes away a row from the PMCs that hold it, or another driver claims
 * the PMU. Called by row.c, in process context with hwpmc_rows_lock held.
 *
 * The owners' locks are not taken: an owner could hold its lock for any time, in a page fault of a
 * call, and so keep the row. Instead a PMC loses what hwpmc_rows_lock guards, its row and its
 * reference to the PMU, and contexts no longer count for it, whatever its state is. Everything else
 * remains until its owner releases it. START and STOP may change its state without effect.
 */
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>

#include "../base/owner.h"
#include "announce.h"
#include "context.h"
#include "direct.h"
#include "link.h"
#include "page.h"
#include "pmc.h"
#include "row.h"

static bool hwpmc_evict_concerns(const struct hwpmc_pmc *pmc, int cpu)
{
	return hwpmc_mode_virtual(pmc->mode) || pmc->cpu == cpu;
}

/*
 * Makes @ctx stale if it counts for a PMC that was evicted. The lock keeps the PMCs of the links. A
 * resync decides which links are active with the lock held. So if it did not see @evicted, it is
 * done, and this function sees the links that it made active.
 */
static void hwpmc_evict_from(struct hwpmc_context *ctx)
{
	const struct hwpmc_link *link;
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	list_for_each_entry(link, &ctx->links, in_ctx) {
		if ((link->active || link->pmc->page) && READ_ONCE(link->pmc->evicted)) {
			hwpmc_context_set_stale(ctx);
			break;
		}
	}
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

static void hwpmc_evict_from_thread(struct hwpmc_thread *th)
{
	hwpmc_evict_from(&th->ctx);
}

/**
 * hwpmc_evict_holders - end the PMCs that hold a row on a CPU
 * @holders: holders of the row, by hwpmc_pmc.in_row
 * @cpu: the CPU; virtual PMCs hold the row on every CPU
 * @each_thread: hwpmc_thread_visit_all(): the threads of a PMC are found in the table of all
 *	threads, since a walk of its links needs its owner->lock
 *
 * On return no CPU counts for them, and they do not hold the row any more. Their owners get
 * POLLERR, and -ECANCELED for their ids until they release them.
 *
 * Context: may sleep; hwpmc_rows_lock held, which keeps the PMCs. Takes locks of contexts.
 */
void hwpmc_evict_holders(struct list_head *holders, int cpu,
			 void (*each_thread)(void (*fn)(struct hwpmc_thread *th)))
{
	struct hwpmc_pmc *pmc, *next;
	unsigned int direct = 0;
	bool virtual = false;

	lockdep_assert_held(&hwpmc_rows_lock);
	list_for_each_entry(pmc, holders, in_row) {
		if (!hwpmc_evict_concerns(pmc, cpu))
			continue;
		WRITE_ONCE(pmc->evicted, true);
		/* The release of its page waits for hwpmc_rows_lock. */
		if (READ_ONCE(pmc->page))
			direct += hwpmc_direct_forbid(pmc->page);
		virtual |= hwpmc_mode_virtual(pmc->mode);
	}
	/* Orders evicted before stale, see hwpmc_context_decide(). */
	smp_mb();
	hwpmc_evict_from(&per_cpu(hwpmc_cpus, cpu).sys);
	if (virtual)
		each_thread(hwpmc_evict_from_thread);
	hwpmc_sync_cpus();
	hwpmc_direct_put(direct);
	list_for_each_entry_safe(pmc, next, holders, in_row) {
		if (!hwpmc_evict_concerns(pmc, cpu))
			continue;
		hwpmc_page_update_state(pmc);
		hwpmc_row_release(pmc);
		hwpmc_pmu_put(pmc->class);
		WRITE_ONCE(pmc->owner->evicted, pmc->owner->evicted + 1);
		hwpmc_owner_notify(pmc->owner);
		hwpmc_announce_evict(pmc);
	}
}
