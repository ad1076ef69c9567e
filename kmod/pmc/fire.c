// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts and samples events of probes. A provider (kmod/probe/) calls hwpmc_fire() when one occurs,
 * in any context; it finds the links that count on this CPU now, and takes no lock.
 *
 * A PMC of class PROBE has links like any other, in contexts of threads and CPUs, but no row: each
 * of its links has a slot of its own, whose sum is incremented at every event. So start, stop,
 * inheritance, exit and reading are the same as for other PMCs. The links that count on this CPU
 * now are the active ones of the running thread's context and of the CPU's own. The links of
 * threads are in a table by context and probe, so a search takes no longer if a context has many
 * probes. The links of a CPU are in a list of the probe.
 *
 *	protection				against
 *
 *	interrupts off				a resync here, which makes links active or inactive
 *	hwpmc_defer_enter(), or skip		code that the event interrupted, or that called the
 *						probed function: its sums, losses or scratch memory
 *						may be half changed (base/defer.h)
 *	links of table and lists, by RCU	other CPUs, which add and remove links of others
 *	links that are active, and their PMCs	nothing: a PMC is freed after its links became
 *						inactive on this CPU
 *
 * An event in a function that this file calls finds the depth of hwpmc_defer_enter() and is
 * skipped, so probes do not recurse.
 *
 * Samples are limited to a part of the CPU's time (throttle_event.c); counting is not limited.
 */
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/defer.h"
#include "../base/stat.h"
#include "context.h"
#include "filter.h"
#include "fire.h"
#include "fire_plain.h"
#include "link.h"
#include "pmc.h"
#include "sampler.h"
#include "throttle.h"
#include "window.h"

/* Locks shared by all buckets: more than the CPUs that change the table at the same time. */
#define HWPMC_FIRE_LOCKS	64

struct hwpmc_fire_lock {
	raw_spinlock_t lock;
} ____cacheline_aligned_in_smp;

/* Allocated when the first probe is used, and kept until unload. */
struct hlist_head *hwpmc_fire_table;

static struct hwpmc_fire_lock hwpmc_fire_locks[HWPMC_FIRE_LOCKS] = {
	[0 ... HWPMC_FIRE_LOCKS - 1] = { __RAW_SPIN_LOCK_UNLOCKED(hwpmc_fire_locks) },
};

/* The class of probes: it has no rows, and therefore no operations on rows. */
const struct hwpmc_class hwpmc_fire_class = {
	.id		= HWPMC_CLASS_PROBE,
	.name		= "PROBE",
	.width		= 64,
	.caps		= HWPMC_CAP_INTERRUPT | HWPMC_CAP_USER | HWPMC_CAP_SYSTEM | HWPMC_CAP_READ,
	.period_min	= 1,
	.shareable	= true,
};

/**
 * hwpmc_fire_enable - prepare for events of probes
 *
 * Called before the first probe is registered. Context: may sleep; calls of this and
 * hwpmc_fire_disable() are serialised by the caller. Return: 0 or -ENOMEM.
 */
int hwpmc_fire_enable(void)
{
	if (!hwpmc_fire_table)
		hwpmc_fire_table = kvcalloc(BIT(HWPMC_FIRE_BITS), sizeof(*hwpmc_fire_table),
					    GFP_KERNEL);
	if (!hwpmc_fire_table)
		return -ENOMEM;
	hwpmc_defer_set_probes(true);
	return 0;
}

/** hwpmc_fire_disable - undo hwpmc_fire_enable(): no probe is registered; may sleep */
void hwpmc_fire_disable(void)
{
	hwpmc_defer_set_probes(false);
}

/** hwpmc_fire_exit - free the table; called at module unload: no link exists */
void hwpmc_fire_exit(void)
{
	kvfree(hwpmc_fire_table);
}

static raw_spinlock_t *hwpmc_fire_lock(unsigned int bucket)
{
	return &hwpmc_fire_locks[bucket % HWPMC_FIRE_LOCKS].lock;
}

/* Whether an event does more than to increment the link's sum: see hwpmc_fire_plain(). */
static bool hwpmc_fire_is_slow(const struct hwpmc_link *link)
{
	return link->filters || hwpmc_pmc_records(link->pmc);
}

/* Called while the link is inactive: the CPU on which it is active reads @slow at each event. */
static void hwpmc_fire_count_slow(const struct hwpmc_link *link, unsigned int *slow, int by)
{
	if (hwpmc_fire_is_slow(link))
		WRITE_ONCE(*slow, *slow + by);
}

static void hwpmc_fire_add_to_thread(struct hwpmc_link *link)
{
	unsigned int bucket = hwpmc_fire_bucket(link->ctx, link->probe);

	hwpmc_fire_count_slow(link, &link->ctx->slow_probes, 1);
	raw_spin_lock(hwpmc_fire_lock(bucket));
	hlist_add_head_rcu(&link->in_probe, &hwpmc_fire_table[bucket]);
	raw_spin_unlock(hwpmc_fire_lock(bucket));
}

static struct hwpmc_probe_cpu *hwpmc_fire_cpu(const struct hwpmc_link *link)
{
	return per_cpu_ptr(link->probe->cpu, link->pmc->cpu);
}

static void hwpmc_fire_add_to_cpu(struct hwpmc_link *link)
{
	struct hwpmc_probe_cpu *it = hwpmc_fire_cpu(link);

	hwpmc_fire_count_slow(link, &it->slow, 1);
	hlist_add_head_rcu(&link->in_probe, &it->links);
}

/* Add a link to those that events of its probe find. Context: as hwpmc_link_add(). */
void hwpmc_fire_add(struct hwpmc_link *link)
{
	/* No sample is ever due, unless hwpmc_period_begin() sets this. */
	link->due = S64_MAX;
	if (link->thread)
		hwpmc_fire_add_to_thread(link);
	else
		hwpmc_fire_add_to_cpu(link);
}

static void hwpmc_fire_remove_from_thread(struct hwpmc_link *link)
{
	unsigned int bucket = hwpmc_fire_bucket(link->ctx, link->probe);

	raw_spin_lock(hwpmc_fire_lock(bucket));
	hlist_del_rcu(&link->in_probe);
	raw_spin_unlock(hwpmc_fire_lock(bucket));
	hwpmc_fire_count_slow(link, &link->ctx->slow_probes, -1);
}

static void hwpmc_fire_remove_from_cpu(struct hwpmc_link *link)
{
	struct hwpmc_probe_cpu *it = hwpmc_fire_cpu(link);

	hlist_del_rcu(&link->in_probe);
	hwpmc_fire_count_slow(link, &it->slow, -1);
}

/* Remove an inactive link from those that events find. Context: as hwpmc_link_remove(). */
void hwpmc_fire_remove(struct hwpmc_link *link)
{
	if (link->thread)
		hwpmc_fire_remove_from_thread(link);
	else
		hwpmc_fire_remove_from_cpu(link);
}

/* Whether a sample of @link is due; never if the PMC does not sample, see hwpmc_fire_add(). */
static __always_inline bool hwpmc_fire_due(const struct hwpmc_link *link)
{
	return (s64)(link->own.sum - link->due) >= 0;
}

/*
 * Takes the samples that are due in a context. If all links are throttled, the time is not charged:
 * it is short for each event, but charged for frequent events it would leave no time for samples.
 */
static noinline void hwpmc_fire_sample(struct hwpmc_context *ctx, const struct hwpmc_probe *probe,
				       const struct hlist_head *links,
				       const struct hwpmc_fired *fired)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	u64 begun = hwpmc_throttle_event_begin(pc), now = ktime_get_mono_fast_ns();
	struct hwpmc_link *link;
	bool taken = false;

	hlist_for_each_entry_rcu_notrace(link, links, in_probe) {
		if (!hwpmc_fire_counts(link, ctx, probe) || !hwpmc_fire_due(link))
			continue;
		if (!link->pmc->sampled) {
			/* The PMC only logs its counts: see hwpmc_period_begin(). */
			link->due = link->own.sum + S64_MAX;
			continue;
		}
		link->due += link->period;
		if (hwpmc_throttle_event_throttled(pc, link, now)) {
			hwpmc_sampler_count_throttled(this_cpu_ptr(link->pmc->sampled),
						      link->period);
			continue;
		}
		hwpmc_sample_probe(link, fired, now);
		hwpmc_throttle_event_sample(pc, link, now);
		taken = true;
	}
	if (taken)
		hwpmc_throttle_event_end(pc, begun);
}

/*
 * Whether to take a sample that is due. If the link is throttled in this window the sample is only
 * counted, in few instructions, because there may be many. @clock: hwpmc_arch_clock(), or 0 if it
 * has not been read.
 */
static __always_inline bool hwpmc_fire_wants(const struct hwpmc_cpu *pc, struct hwpmc_link *link,
					     u64 *clock)
{
	if (likely(!link->throttled))
		return true;
	if (!*clock)
		*clock = hwpmc_arch_clock();
	if (link->throttled != pc->window.begin || hwpmc_window_passed(&pc->window, *clock))
		return true;
	link->due += link->period;
	hwpmc_sampler_count_throttled(this_cpu_ptr(link->pmc->sampled), link->period);
	return false;
}

/* Counts an event for those of @links that are of a context on this CPU, and samples it. */
static __always_inline void hwpmc_fire_context(const struct hwpmc_cpu *pc,
					       struct hwpmc_context *ctx,
					       const struct hlist_head *links,
					       const struct hwpmc_probe *probe,
					       const struct hwpmc_fired *fired)
{
	struct hwpmc_link *link;
	bool due = false;
	u64 clock = 0;

	if (hlist_empty(links))
		return;
	/* A reading that overlaps with this copies the sums again: see hwpmc_count_copy(). */
	raw_write_seqcount_begin(&ctx->seq);
	hlist_for_each_entry_rcu_notrace(link, links, in_probe) {
		if (!hwpmc_fire_counts(link, ctx, probe))
			continue;
		if (unlikely(link->filters) && !hwpmc_filter_passes(link, fired))
			continue;
		WRITE_ONCE(link->own.sum, link->own.sum + 1);
		if (unlikely(hwpmc_fire_due(link)))
			due |= hwpmc_fire_wants(pc, link, &clock);
	}
	raw_write_seqcount_end(&ctx->seq);
	if (unlikely(due))
		hwpmc_fire_sample(ctx, probe, links, fired);
}

/**
 * hwpmc_fire_skip - count events of a probe on this CPU as skipped
 * @probe: the probe
 * @events: how many
 *
 * Context: any, NMI included; preemption off.
 */
noinline void hwpmc_fire_skip(struct hwpmc_probe *probe, u64 events)
{
	this_cpu_add(probe->cpu->skipped, events);
	hwpmc_stat_add(HWPMC_STAT_PROBE_SKIPPED, events);
}

static __always_inline void hwpmc_fire_here(struct hwpmc_probe *probe,
					    const struct hwpmc_fired *fired)
{
	struct hwpmc_context *ctx;
	struct hwpmc_cpu *pc;

	if (!hwpmc_defer_enter()) {
		hwpmc_fire_skip(probe, 1);
		return;
	}
	pc = this_cpu_ptr(&hwpmc_cpus);
	if (unlikely(pc->offline_since)) {
		/* A CPU that goes offline has folded its contexts for the last time. */
		hwpmc_fire_skip(probe, 1);
	} else {
		if (pc->thread) {
			ctx = &pc->thread->ctx;
			hwpmc_fire_context(pc, ctx, hwpmc_fire_links(ctx, probe), probe, fired);
		}
		hwpmc_fire_context(pc, &pc->sys, &this_cpu_ptr(probe->cpu)->links, probe, fired);
	}
	hwpmc_defer_leave();
}

/**
 * hwpmc_fire_irqs_off - hwpmc_fire() with interrupts off
 * @probe: the probe
 * @fired: the event
 *
 * Context: as hwpmc_fire(), between hwpmc_fire_begin() and hwpmc_fire_end().
 */
void hwpmc_fire_irqs_off(struct hwpmc_probe *probe, const struct hwpmc_fired *fired)
{
	hwpmc_fire_here(probe, fired);
}

/**
 * hwpmc_fire - count and sample an event of a probe
 * @probe: the probe
 * @fired: the event
 *
 * Counts it for each PMC that counts the probe on this CPU now, or as skipped. Context: any in
 * which RCU is watching, since RCU keeps the links; NMI included.
 */
void hwpmc_fire(struct hwpmc_probe *probe, const struct hwpmc_fired *fired)
{
	struct hwpmc_fire_irqs irqs = hwpmc_fire_begin();

	hwpmc_fire_here(probe, fired);
	hwpmc_fire_end(irqs);
}

/**
 * hwpmc_fire_skipped - how many events of a probe were skipped
 * @probe: the probe
 * @cpu: on which CPU; -1: on all, and those that the kernel did not report
 *
 * Context: any. Return: number of events since the probe was registered.
 */
u64 hwpmc_fire_skipped(const struct hwpmc_probe *probe, int cpu)
{
	u64 sum = 0;
	int it;

	for_each_possible_cpu(it)
		if (cpu < 0 || it == cpu)
			sum += READ_ONCE(per_cpu_ptr(probe->cpu, it)->skipped);
	if (cpu < 0 && probe->missed)
		sum += probe->missed(probe);
	return sum;
}
