// SPDX-License-Identifier: GPL-2.0-only
/*
 * What became of a PMC's samples, CPU by CPU: how many were recorded, lost and reported,
 * and how often it was throttled.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "../base/defer.h"
#include "../base/owner.h"
#include "../base/stat.h"
#include "../log/log.h"
#include "link.h"
#include "pmc.h"
#include "sampler.h"

/**
 * hwpmc_sampler_drop_nmi - tell of a PMC's lost samples
 * @pmc: whose
 * @buffer: this CPU's ring
 * @cpu: where they were lost: this one, or one that is offline
 * @now: CLOCK_MONOTONIC, in ns
 *
 * Return: false if there was no room. Context: as hwpmc_sample_take_nmi().
 */
bool hwpmc_sampler_drop_nmi(struct hwpmc_pmc *pmc, struct hwpmc_buffer *buffer, int cpu, u64 now)
{
	struct hwpmc_sampler_cpu *sampler = per_cpu_ptr(pmc->sampled, cpu);
	u64 count = sampler->loss.count;

	if (!count)
		return true;
	if (!hwpmc_record_drop_nmi(buffer, pmc->id, &sampler->loss, now))
		return false;
	sampler->reported += count;
	return true;
}

/* Throttling begins or ends. Counted here, and logged, or counted among the lost records. */
void hwpmc_sampler_throttle_nmi(struct hwpmc_link *link, bool on)
{
	struct hwpmc_pmc *pmc = link->pmc;
	struct hwpmc_sampler_cpu *sampler = this_cpu_ptr(pmc->sampled);
	struct hwpmc_buffer *buffer = pmc->owner->rings->buffers[smp_processor_id()];
	struct hwpmc_log_throttle record = {
		.h.length = sizeof(record),
		.h.flags = on ? HWPMC_THROTTLE_ON : 0,
		.period = link->period,
	};
	u64 now = ktime_get_mono_fast_ns();

	if (on) {
		sampler->throttles++;
		hwpmc_stat_inc(HWPMC_STAT_THROTTLES);
	}
	/* A PMC's losses are logged before anything else of it. */
	if (hwpmc_sampler_drop_nmi(pmc, buffer, smp_processor_id(), now))
		hwpmc_record_or_lose_nmi(buffer, &record, HWPMC_LOG_THROTTLE, pmc->id, now);
	else
		hwpmc_record_lose_nmi(buffer, now);
}

/* What became of a PMC's samples, on one CPU or, with -1, all. */
void hwpmc_sampler_sum(const struct hwpmc_pmc *pmc, int cpu, struct hwpmc_sampler_cpu *sum)
{
	int it;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(it) {
		const struct hwpmc_sampler_cpu *one = per_cpu_ptr(pmc->sampled, it);

		if (cpu >= 0 && it != cpu)
			continue;
		sum->recorded += READ_ONCE(one->recorded);
		sum->lost += READ_ONCE(one->lost);
		sum->reported += READ_ONCE(one->reported);
		sum->throttles += READ_ONCE(one->throttles);
		sum->events += READ_ONCE(one->events);
	}
}

/* Whose losses are logged, and the CPU they were on. */
struct hwpmc_sampler_flushing {
	struct hwpmc_owner *owner;
	struct hwpmc_pmc *pmc;
	int cpu;
};

/* On each ring's CPU; for those that are offline, where nobody writes, from here. */
static void hwpmc_sampler_on_each_cpu(struct hwpmc_sampler_flushing *it, smp_call_func_t tell)
{
	unsigned long flags;

	cpus_read_lock();
	for_each_possible_cpu(it->cpu) {
		if (cpu_online(it->cpu)) {
			smp_call_function_single(it->cpu, tell, it, 1);
			continue;
		}
		local_irq_save(flags);
		tell(it);
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

		if (pmc && pmc->sampled)
			hwpmc_sampler_drop_nmi(pmc, buffer, it->cpu, now);
	}
	hwpmc_defer_end();
}

/**
 * hwpmc_sampler_flush - log all losses, as far as there is room
 * @owner: which has rings; owner->lock
 *
 * Context: may sleep.
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
}

static void hwpmc_sampler_forget_cpu(void *arg)
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
 * hwpmc_sampler_forget - log the losses of a PMC that is being released
 * @pmc: samples, and is off every CPU; owner->lock
 *
 * Where there is no room now they become losses of no PMC. Context: may sleep.
 */
void hwpmc_sampler_forget(struct hwpmc_pmc *pmc)
{
	struct hwpmc_sampler_flushing it = { .owner = pmc->owner, .pmc = pmc };
	struct hwpmc_sampler_cpu sum;

	hwpmc_sampler_sum(pmc, -1, &sum);
	if (sum.lost != sum.reported)
		hwpmc_sampler_on_each_cpu(&it, hwpmc_sampler_forget_cpu);
}
