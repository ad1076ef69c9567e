// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of a PMC's samples on each CPU: recorded, lost, reported and throttled; and the records
 * that report them. Called by sample.c and throttle.c, maybe in an NMI, and by call/ in process
 * context.
 */
#include <linux/bitmap.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "../base/defer.h"
#include "../base/owner.h"
#include "../base/stat.h"
#include "../log/log.h"
#include "announce.h"
#include "link.h"
#include "pmc.h"
#include "sampler.h"
#include "trace.h"

static struct hwpmc_sampler_block *hwpmc_sampler_block_new(void)
{
	struct hwpmc_sampler_block *block;

	block = kzalloc(struct_size(block, used, BITS_TO_LONGS(nr_cpu_ids)), GFP_KERNEL_ACCOUNT);
	if (!block)
		return NULL;
	block->counts = alloc_percpu_gfp(struct hwpmc_sampler_cpu, GFP_KERNEL_ACCOUNT);
	if (block->counts)
		return block;
	kfree(block);
	return NULL;
}

static int hwpmc_sampler_alloc_system(struct hwpmc_pmc *pmc)
{
	struct list_head *blocks = &pmc->owner->sampler_blocks;
	struct hwpmc_sampler_block *block;

	list_for_each_entry(block, blocks, node)
		if (!test_bit(pmc->cpu, block->used))
			goto found;
	block = hwpmc_sampler_block_new();
	if (!block)
		return -ENOMEM;
	list_add_tail(&block->node, blocks);
found:
	__set_bit(pmc->cpu, block->used);
	pmc->sampled = block->counts;
	memset(per_cpu_ptr(pmc->sampled, pmc->cpu), 0, sizeof(struct hwpmc_sampler_cpu));
	return 0;
}

/**
 * hwpmc_sampler_alloc - allocate the counts of a PMC's samples
 * @pmc: a new sampling PMC
 *
 * A virtual PMC may sample on any CPU, in an NMI, where nothing can be allocated. A system-wide one
 * samples on its own CPU only: PMCs of different CPUs share one allocation, so that an event that
 * is sampled on all CPUs takes as much memory as one virtual PMC.
 *
 * Context: may sleep; owner->lock held. Return: 0 or -ENOMEM.
 */
int hwpmc_sampler_alloc(struct hwpmc_pmc *pmc)
{
	if (!hwpmc_mode_virtual(pmc->mode))
		return hwpmc_sampler_alloc_system(pmc);
	pmc->sampled = alloc_percpu_gfp(struct hwpmc_sampler_cpu, GFP_KERNEL_ACCOUNT);
	return pmc->sampled ? 0 : -ENOMEM;
}

/**
 * hwpmc_sampler_free - free the counts of a PMC's samples
 * @pmc: no CPU counts for it; it may be one that does not sample
 *
 * Context: process; owner->lock held.
 */
void hwpmc_sampler_free(struct hwpmc_pmc *pmc)
{
	struct hwpmc_sampler_block *block;

	if (pmc->mode != HWPMC_MODE_SS) {
		free_percpu(pmc->sampled);
		return;
	}
	list_for_each_entry(block, &pmc->owner->sampler_blocks, node) {
		if (block->counts != pmc->sampled)
			continue;
		__clear_bit(pmc->cpu, block->used);
		if (!bitmap_empty(block->used, nr_cpu_ids))
			return;
		list_del(&block->node);
		free_percpu(block->counts);
		kfree(block);
		return;
	}
}

/* Whether the counts of @cpu are those of @pmc. */
static bool hwpmc_sampler_has(const struct hwpmc_pmc *pmc, int cpu)
{
	return pmc->mode != HWPMC_MODE_SS || pmc->cpu == cpu;
}

/* Add the samples that were throttled since the last call to the loss. */
static void hwpmc_sampler_fold_throttled(struct hwpmc_sampler_cpu *sampler, u64 now)
{
	u64 count = sampler->throttled - sampler->folded;

	if (!count)
		return;
	hwpmc_record_throttled(&sampler->loss, sampler->throttled_since, now, count,
			       sampler->throttled_events - sampler->folded_events);
	sampler->folded = sampler->throttled;
	sampler->folded_events = sampler->throttled_events;
}

/**
 * hwpmc_sampler_drop_nmi - report a PMC's lost samples by a DROP record
 * @pmc: a sampling PMC
 * @buffer: the ring of @cpu
 * @cpu: the CPU on which they were lost: this one, or one that is offline
 * @now: CLOCK_MONOTONIC in ns
 *
 * Context: as hwpmc_sample_take_nmi(). Return: false if there was no room for the record; true if
 * it was written, or if no sample was lost.
 */
bool hwpmc_sampler_drop_nmi(struct hwpmc_pmc *pmc, struct hwpmc_buffer *buffer, int cpu, u64 now)
{
	struct hwpmc_sampler_cpu *sampler = per_cpu_ptr(pmc->sampled, cpu);
	u64 count;

	hwpmc_sampler_fold_throttled(sampler, now);
	count = sampler->loss.count;
	if (!count)
		return true;
	if (!hwpmc_record_drop_nmi(buffer, pmc->id, &sampler->loss, now))
		return false;
	sampler->reported += count;
	return true;
}

/**
 * hwpmc_sampler_throttle_nmi - write a THROTTLE record
 * @link: the link that is throttled, or was
 * @on: throttling begins; else it ends
 * @now: CLOCK_MONOTONIC in ns
 *
 * If throttling begins, it is also counted. A record that finds no room is counted as lost.
 * Context: as hwpmc_sample_take_nmi().
 */
void hwpmc_sampler_throttle_nmi(struct hwpmc_link *link, bool on, u64 now)
{
	struct hwpmc_pmc *pmc = link->pmc;
	struct hwpmc_sampler_cpu *sampler = this_cpu_ptr(pmc->sampled);
	struct hwpmc_buffer *buffer = pmc->owner->rings->buffers[smp_processor_id()];
	struct hwpmc_log_throttle record = {
		.h.length = sizeof(record),
		.h.flags = on ? HWPMC_THROTTLE_ON : 0,
		.period = link->period,
	};

	trace_hwpmc_throttle(pmc, on);
	if (on) {
		sampler->throttles++;
		hwpmc_stat_inc(HWPMC_STAT_THROTTLES);
		hwpmc_announce_samples_nmi(pmc);
	}
	/* The DROP record comes before any later record of the same PMC. */
	if (hwpmc_sampler_drop_nmi(pmc, buffer, smp_processor_id(), now))
		hwpmc_record_or_lose_nmi(buffer, &record, HWPMC_LOG_THROTTLE, pmc->id, now);
	else
		hwpmc_record_lose_nmi(buffer, now);
	if (on)
		sampler->throttled_since = now;
}

/**
 * hwpmc_sampler_sum - add up the counts of a PMC's samples
 * @pmc: a sampling PMC; it may be sampling meanwhile
 * @cpu: the CPU whose counts are wanted, or -1 for all CPUs
 * @sum: set: @recorded, @lost (with @throttled), @throttled, @reported, @throttles and @events
 *	(with @throttled_events); the rest is 0
 *
 * Context: process; @pmc cannot be freed.
 */
void hwpmc_sampler_sum(const struct hwpmc_pmc *pmc, int cpu, struct hwpmc_sampler_cpu *sum)
{
	int it;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(it) {
		const struct hwpmc_sampler_cpu *one = per_cpu_ptr(pmc->sampled, it);
		u64 throttled;

		if ((cpu >= 0 && it != cpu) || !hwpmc_sampler_has(pmc, it))
			continue;
		sum->recorded += READ_ONCE(one->recorded);
		throttled = READ_ONCE(one->throttled);
		sum->lost += READ_ONCE(one->lost) + throttled;
		sum->throttled += throttled;
		sum->reported += READ_ONCE(one->reported);
		sum->throttles += READ_ONCE(one->throttles);
		sum->events += READ_ONCE(one->events) + READ_ONCE(one->throttled_events);
	}
}

/* Argument of the functions that report losses. @pmc: NULL for all PMCs of @owner. */
struct hwpmc_sampler_flushing {
	struct hwpmc_owner *owner;
	struct hwpmc_pmc *pmc;
	int cpu;
};

/* Whether @pmc has lost samples on @cpu that no DROP record has reported. */
static bool hwpmc_sampler_lost(const struct hwpmc_pmc *pmc, int cpu)
{
	const struct hwpmc_sampler_cpu *sampler = per_cpu_ptr(pmc->sampled, cpu);

	return hwpmc_sampler_has(pmc, cpu) &&
	       (READ_ONCE(sampler->loss.count) ||
		READ_ONCE(sampler->throttled) != READ_ONCE(sampler->folded));
}

/* Whether a loss on @cpu was not reported: of @pmc, or if it is NULL, any loss of the owner. */
static bool hwpmc_sampler_concerns(const struct hwpmc_sampler_flushing *it, int cpu)
{
	unsigned int i;

	if (it->pmc)
		return hwpmc_sampler_lost(it->pmc, cpu);
	if (READ_ONCE(it->owner->rings->buffers[cpu]->loss.count))
		return true;
	for (i = 0; i < it->owner->room; i++) {
		const struct hwpmc_pmc *pmc = it->owner->pmcs[i];

		if (pmc && pmc->sampled && hwpmc_sampler_lost(pmc, cpu))
			return true;
	}
	return false;
}

/*
 * Call @func for each ring with a loss to report, on its CPU, with interrupts off. For an offline
 * CPU @func is called here: its ring has no other writer.
 */
static void hwpmc_sampler_on_each_cpu(struct hwpmc_sampler_flushing *it, smp_call_func_t func)
{
	unsigned long flags;

	cpus_read_lock();
	for_each_possible_cpu(it->cpu) {
		if (!hwpmc_sampler_concerns(it, it->cpu))
			continue;
		if (cpu_online(it->cpu)) {
			smp_call_function_single(it->cpu, func, it, 1);
			continue;
		}
		local_irq_save(flags);
		func(it);
		local_irq_restore(flags);
	}
	cpus_read_unlock();
}

static void hwpmc_sampler_flush_cpu(void *arg)
{
	const struct hwpmc_sampler_flushing *it = arg;
	struct hwpmc_buffer *buffer = it->owner->rings->buffers[it->cpu];
	unsigned int i;
	u64 now;

	hwpmc_defer_begin();
	now = ktime_get_mono_fast_ns();
	hwpmc_record_drop_nmi(buffer, 0, &buffer->loss, now);
	for (i = 0; i < it->owner->room; i++) {
		struct hwpmc_pmc *pmc = it->owner->pmcs[i];

		if (pmc && pmc->sampled && hwpmc_sampler_has(pmc, it->cpu))
			hwpmc_sampler_drop_nmi(pmc, buffer, it->cpu, now);
	}
	hwpmc_defer_end();
}

/**
 * hwpmc_sampler_flush - report all losses of an owner by DROP records, as far as there is room
 * @owner: has rings
 *
 * Context: may sleep; owner->lock held.
 */
void hwpmc_sampler_flush(struct hwpmc_owner *owner)
{
	struct hwpmc_sampler_flushing it = { .owner = owner };

	hwpmc_sampler_on_each_cpu(&it, hwpmc_sampler_flush_cpu);
}

static void hwpmc_sampler_merge_loss(struct hwpmc_loss *to, const struct hwpmc_loss *loss)
{
	to->first = to->count ? min(to->first, loss->first) : loss->first;
	to->last = max(to->last, loss->last);
	to->count += loss->count;
	to->events += loss->events;
	to->throttled += loss->throttled;
}

/* Report the PMC's loss on this CPU; if the ring has no room, add it to hwpmc_buffer.loss. */
static void hwpmc_sampler_flush_pmc_cpu(void *arg)
{
	const struct hwpmc_sampler_flushing *it = arg;
	struct hwpmc_buffer *buffer = it->owner->rings->buffers[it->cpu];
	struct hwpmc_loss *loss = &per_cpu_ptr(it->pmc->sampled, it->cpu)->loss;

	hwpmc_defer_begin();
	hwpmc_sampler_drop_nmi(it->pmc, buffer, it->cpu, ktime_get_mono_fast_ns());
	if (loss->count)
		hwpmc_sampler_merge_loss(&buffer->loss, loss);
	hwpmc_defer_end();
}

/**
 * hwpmc_sampler_flush_pmc - report the losses of a PMC that is being released
 * @pmc: a sampling PMC that no CPU counts for any more
 *
 * On a CPU whose ring has no room now, the loss is added to hwpmc_buffer.loss, which belongs to no
 * PMC and is reported later. Context: may sleep; owner->lock held.
 */
void hwpmc_sampler_flush_pmc(struct hwpmc_pmc *pmc)
{
	struct hwpmc_sampler_flushing it = { .owner = pmc->owner, .pmc = pmc };
	struct hwpmc_sampler_cpu sum;

	hwpmc_sampler_sum(pmc, -1, &sum);
	if (sum.lost != sum.reported)
		hwpmc_sampler_on_each_cpu(&it, hwpmc_sampler_flush_pmc_cpu);
}
