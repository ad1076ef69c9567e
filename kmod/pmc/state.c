// SPDX-License-Identifier: GPL-2.0-only
/*
 * The states of PMCs, ALLOCATED -> RUNNING <-> STOPPED, set for many PMCs at once. Called by
 * call/run.c (START, STOP) and call/release.c, in process context with owner->lock held.
 */
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "../base/owner.h"
#include "../hwpmc.h"
#include "announce.h"
#include "context.h"
#include "link.h"
#include "page.h"
#include "period.h"
#include "pmc.h"
#include "trace.h"
#include "walk.h"

static void hwpmc_state_mark_contexts(struct hwpmc_pmc *pmc)
{
	struct hwpmc_walk walk;
	struct list_head *at;

	hwpmc_walk_begin(&walk, pmc->owner, &pmc->links);
	while ((at = hwpmc_walk_next(&walk)))
		hwpmc_context_set_stale(list_entry(at, struct hwpmc_link, in_pmc)->ctx);
	hwpmc_walk_end(&walk);
}

/**
 * hwpmc_state_announce - make the threads stale that a START or STOP concerns
 * @pmcs: of one owner, in any state
 * @count: number of @pmcs
 * @running: true: start; false: stop
 *
 * Sets @changing of each PMC that is not in that state yet. A thread's context that resyncs before
 * the flip keeps the old state, and remains stale: see hwpmc_context_decide().
 *
 * Context: may sleep; owner->lock held. Return: false if no PMC is to change.
 */
bool hwpmc_state_announce(struct hwpmc_pmc *const *pmcs, unsigned int count, bool running)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < count; i++) {
		WRITE_ONCE(pmcs[i]->changing, pmcs[i]->running != running);
		any |= pmcs[i]->changing;
	}
	if (!any)
		return false;
	/* Orders changing before stale. */
	smp_mb();
	for (i = 0; i < count; i++)
		if (pmcs[i]->changing && pmcs[i]->cpu < 0)
			hwpmc_state_mark_contexts(pmcs[i]);
	return true;
}

/**
 * hwpmc_state_flip - change the state of the PMCs that were announced, all at once
 * @pmcs: as for hwpmc_state_announce()
 * @count: likewise
 *
 * A context that resyncs sees all PMCs in the old state, or all in the new one.
 *
 * Context: owner->lock held.
 */
void hwpmc_state_flip(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	unsigned long flags;
	unsigned int i;
	u64 now;

	local_irq_save(flags);
	now = ktime_get_mono_fast_ns();
	for (i = 0; i < count; i++)
		if (pmcs[i]->changing)
			WRITE_ONCE(pmcs[i]->changes, pmcs[i]->changes + 1);
	/* Orders the odd numbers before stale: a resync that clears stale waits for the end. */
	smp_mb();
	for (i = 0; i < count; i++)
		if (pmcs[i]->changing && pmcs[i]->cpu >= 0)
			hwpmc_context_set_stale(&per_cpu(hwpmc_cpus, pmcs[i]->cpu).sys);
	for (i = 0; i < count; i++) {
		if (!pmcs[i]->changing)
			continue;
		if (!pmcs[i]->running)
			WRITE_ONCE(pmcs[i]->begun, now);
		WRITE_ONCE(pmcs[i]->running, !pmcs[i]->running);
		WRITE_ONCE(pmcs[i]->changing, false);
	}
	/* Orders the states before the even numbers: pairs with hwpmc_pmc_begin_read(). */
	smp_wmb();
	for (i = 0; i < count; i++)
		if (pmcs[i]->changes & 1)
			WRITE_ONCE(pmcs[i]->changes, pmcs[i]->changes + 1);
	local_irq_restore(flags);
}

/*
 * Flips the states, and makes the cross-call at once. A thread that runs between the two, and is
 * scheduled out before the call, does not resync until it is scheduled in again. How long it ran
 * after the flip is not known then, and all the time since is counted as off-CPU time (off_cpu.c).
 * So this function waits for a CPU that goes offline or online before the flip, and disables
 * preemption between the flip and the call: only interrupts here can delay the call. The wait is
 * also before the announcement, since contexts that are announced resync at each schedule in.
 */
static void hwpmc_state_change(struct hwpmc_pmc *const *pmcs, unsigned int count, bool running)
{
	cpus_read_lock();
	if (hwpmc_state_announce(pmcs, count, running)) {
		preempt_disable();
		hwpmc_state_flip(pmcs, count);
		hwpmc_sync_cpus_locked();
		preempt_enable();
	}
	cpus_read_unlock();
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
	hwpmc_walk_begin(&walk, pmc->owner, &pmc->links);
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
 * On return the change is in effect on every CPU; after a stop, all events are folded. Nothing is
 * done for PMCs that are in that state already. Does not fail: the caller has checked that the PMCs
 * may start or stop.
 *
 * Context: may sleep; owner->lock held. Takes link_lock.
 */
void hwpmc_state_set(struct hwpmc_pmc *const *pmcs, unsigned int count, bool running)
{
	struct hwpmc_pmc *first = NULL;
	unsigned int i, changed = 0;
	u64 now;

	hwpmc_state_change(pmcs, count, running);
	now = ktime_get_mono_fast_ns();
	for (i = 0; i < count; i++) {
		struct hwpmc_pmc *pmc = pmcs[i];
		bool runs = pmc->state == HWPMC_RUNNING;

		if (running && !runs) {
			pmc->started = now;
			pmc->offline_at_start = hwpmc_cpu_offline_ns(pmc->cpu, now);
		} else if (!running && runs) {
			hwpmc_state_log_exits(pmc);
			pmc->enabled += now - pmc->started;
			pmc->offline += hwpmc_cpu_offline_ns(pmc->cpu, now) -
					pmc->offline_at_start;
		}
		if (runs != running && !changed++)
			first = pmc;
		if (runs != running && running)
			trace_hwpmc_start(pmc);
		else if (runs != running)
			trace_hwpmc_stop(pmc);
		pmc->state = running ? HWPMC_RUNNING : HWPMC_STOPPED;
		if (pmc->page)
			hwpmc_page_update_state(pmc);
	}
	if (changed)
		hwpmc_announce(first, running ? HWPMC_NL_WHAT_START : HWPMC_NL_WHAT_STOP, NULL,
			       changed);
}
