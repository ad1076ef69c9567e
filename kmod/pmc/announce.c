// SPDX-License-Identifier: GPL-2.0-only
/*
 * Posts notices about PMCs. Events that may occur thousands of times a second are not posted at
 * once, but by a work item, at most ten times a second: losses of samplers, throttling, and claims,
 * releases and refusals of the PMU (pmu.c). Losses and throttling are detected in an interrupt that
 * may be an NMI: it only marks the PMC, and the work item searches for marked PMCs.
 */
#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "../../arch/hwpmc_arch.h"
#include "announce.h"
#include "pmc.h"
#include "registry.h"
#include "row.h"
#include "sampler.h"

#define HWPMC_ANNOUNCE_MS	100

static void hwpmc_announce_work(struct work_struct *work);
static void hwpmc_announce_irq(struct irq_work *work);

static DECLARE_DELAYED_WORK(hwpmc_announce_later, hwpmc_announce_work);
static DEFINE_IRQ_WORK(hwpmc_announce_now, hwpmc_announce_irq);

/*
 * Guards the numbers that were reported for each PMC. Taken under owner->lock; locks of listeners
 * are taken under it.
 */
static DEFINE_MUTEX(hwpmc_announce_lock);

void hwpmc_announce_slow(const struct hwpmc_pmc *pmc, u32 what, struct pid *target, u64 count)
{
	struct hwpmc_notice notice = {
		.what = what,
		.serial = pmc->serial,
		.id = pmc->id,
		.class = pmc->class->id,
		.row = pmc->row,
		.mode = pmc->mode,
		.cpu = pmc->cpu,
		.flags = pmc->flags,
		.caps = pmc->caps,
		.event = pmc->event,
		.target = target,
		.count = count,
	};

	hwpmc_notice_post(pmc->owner, &notice);
}

/**
 * hwpmc_announce_evict - post a notice that a PMC was evicted, after that of its allocation
 * @pmc: the PMC
 *
 * Called after the notice of the allocation was posted, and when the PMC was evicted, which may be
 * earlier: ALLOCATE claims a row before it assigns an id. The second of these calls posts. Context:
 * any but NMI.
 */
void hwpmc_announce_evict(struct hwpmc_pmc *pmc)
{
	if (xchg(&pmc->announced, true))
		hwpmc_announce(pmc, HWPMC_NL_WHAT_EVICT, NULL, 1);
}

void hwpmc_announce_samples_slow_nmi(struct hwpmc_pmc *pmc)
{
	/* Orders the counts before the mark: pairs with the barrier in hwpmc_announce_flush(). */
	smp_mb();
	if (READ_ONCE(pmc->marked))
		return;
	WRITE_ONCE(pmc->marked, true);
	irq_work_queue(&hwpmc_announce_now);
}

/**
 * hwpmc_announce_soon - make the work item post pending reports
 *
 * Context: any but NMI.
 */
void hwpmc_announce_soon(void)
{
	schedule_delayed_work(&hwpmc_announce_later, msecs_to_jiffies(HWPMC_ANNOUNCE_MS));
}

/* A work item cannot be queued in an NMI. */
static void hwpmc_announce_irq(struct irq_work *work)
{
	hwpmc_announce_soon();
}

/* If the PMC was marked, posts how often it was throttled and lost samples since the last call. */
static void hwpmc_announce_flush(struct hwpmc_pmc *pmc)
{
	struct hwpmc_sampler_cpu sum;
	u64 dropped;

	lockdep_assert_held(&hwpmc_announce_lock);
	if (!pmc->marked)
		return;
	WRITE_ONCE(pmc->marked, false);
	/*
	 * If the sum does not include an event, that event marks the PMC again: pairs with
	 * hwpmc_announce_samples_slow_nmi().
	 */
	smp_mb();
	hwpmc_sampler_sum(pmc, -1, &sum);
	if (sum.throttles != pmc->reported_throttles)
		hwpmc_announce(pmc, HWPMC_NL_WHAT_THROTTLE, NULL,
			       sum.throttles - pmc->reported_throttles);
	/* Events that a throttled probe does not record are announced as throttling. */
	dropped = sum.lost - sum.throttled;
	if (dropped != pmc->reported_lost)
		hwpmc_announce(pmc, HWPMC_NL_WHAT_DROP, NULL, dropped - pmc->reported_lost);
	pmc->reported_throttles = sum.throttles;
	pmc->reported_lost = dropped;
}

/* Post the pending notices of a PMC. Context: may sleep; @pmc is not freed meanwhile. */
void hwpmc_announce_last(struct hwpmc_pmc *pmc)
{
	if (!pmc->marked)
		return;
	mutex_lock(&hwpmc_announce_lock);
	hwpmc_announce_flush(pmc);
	mutex_unlock(&hwpmc_announce_lock);
}

static bool hwpmc_announce_marked(const struct hwpmc_pmc *pmc, const void *arg)
{
	return READ_ONCE(pmc->marked);
}

static void hwpmc_announce_work(struct work_struct *work)
{
	unsigned long serial = 0, end = hwpmc_registry_newest();
	struct hwpmc_pmc *pmc;

	hwpmc_pmu_report();
	while (hwpmc_registry_next(&serial, end, hwpmc_announce_marked, NULL, &pmc)) {
		if (pmc) {
			hwpmc_announce_last(pmc);
			hwpmc_registry_unpin(pmc);
		}
		cond_resched();
	}
}

/* Called at module unload: no PMC exists. May sleep. */
void hwpmc_announce_exit(void)
{
	irq_work_sync(&hwpmc_announce_now);
	cancel_delayed_work_sync(&hwpmc_announce_later);
}
