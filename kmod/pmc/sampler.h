/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples: how one is taken (sample.c), and the counts of a PMC's samples (sampler.c). Used by
 * period.c and throttle.c, maybe in an NMI, and by call/ to report and flush.
 */
#ifndef HWPMC_SAMPLER_H
#define HWPMC_SAMPLER_H

#include <linux/list.h>
#include <linux/types.h>

#include "../log/log.h"

struct hwpmc_fired;
struct hwpmc_link;
struct hwpmc_owner;
struct hwpmc_pmc;
struct pt_regs;

/**
 * struct hwpmc_sampler_cpu - counts of a PMC's samples on one CPU
 * @recorded: samples written to the ring
 * @lost: samples that found no room in the ring
 * @throttled: class PROBE: samples that were not taken because the link was throttled
 * @throttled_events: events that these would stand for
 * @folded: those of @throttled that are in @loss, or in a DROP record
 * @folded_events: those of @throttled_events, likewise
 * @throttled_since: time when the throttling of those not in @loss began, in ns
 * @reported: those of @lost and @throttled that DROP records report
 * @throttles: times that one of the PMC's links was throttled
 * @events: events that all samples except the throttled ones stand for
 * @loss: samples lost since the last DROP record
 * @window: the last window in which the PMC sampled (hwpmc_window.begin)
 * @taken: samples of the PMC in @window
 * @plain: the ring of the CPU, if the PMC took a sample there already, and its samples have neither
 *	a tail nor a pid in another PID namespace than the initial one; else NULL
 *
 * Written on its CPU with interrupts off and overflows deferred, so that writers do not nest; see
 * hwpmc_defer_begin().
 */
struct hwpmc_sampler_cpu {
	u64 recorded;
	u64 lost;
	u64 throttled;
	u64 throttled_events;
	u64 folded;
	u64 folded_events;
	u64 throttled_since;
	u64 reported;
	u64 throttles;
	u64 events;
	struct hwpmc_loss loss;
	u64 window;
	unsigned int taken;
	struct hwpmc_buffer *plain;
};

/**
 * hwpmc_sampler_count_throttled - count a sample that is not taken, since its link is throttled
 * @sampler: counts of the PMC on this CPU
 * @events: events that it would stand for
 *
 * Short, since a throttled PMC calls it for each event; hwpmc_sampler_drop_nmi() does the rest.
 * Context: interrupts off, overflows deferred; may be an NMI.
 */
static __always_inline void hwpmc_sampler_count_throttled(struct hwpmc_sampler_cpu *sampler,
							  u64 events)
{
	sampler->throttled++;
	sampler->throttled_events += events;
}

/**
 * struct hwpmc_sampler_block - per-CPU memory for the counts of several system-wide PMCs
 * @node: in owner->sampler_blocks; owner->lock
 * @counts: the memory; PMCs of different CPUs use one allocation, each on its own CPU
 * @used: set of the CPUs whose part is in use
 */
struct hwpmc_sampler_block {
	struct list_head node;
	struct hwpmc_sampler_cpu __percpu *counts;
	unsigned long used[];
};

/* kmod/pmc/sample.c */
int hwpmc_sample_init(void);
void hwpmc_sample_exit(void);
void hwpmc_sample_probe(struct hwpmc_link *link, const struct hwpmc_fired *fired, u64 now);
void hwpmc_sample_off_cpu(struct hwpmc_link *link, u64 events, u64 now);

/* kmod/pmc/sampler.c */
void hwpmc_sampler_throttle_nmi(struct hwpmc_link *link, bool on, u64 now);
bool hwpmc_sampler_drop_nmi(struct hwpmc_pmc *pmc, struct hwpmc_buffer *buffer, int cpu, u64 now);
void hwpmc_sampler_sum(const struct hwpmc_pmc *pmc, int cpu, struct hwpmc_sampler_cpu *sum);
void hwpmc_sampler_flush(struct hwpmc_owner *owner);
void hwpmc_sampler_flush_pmc(struct hwpmc_pmc *pmc);
int hwpmc_sampler_alloc(struct hwpmc_pmc *pmc);
void hwpmc_sampler_free(struct hwpmc_pmc *pmc);

#endif /* HWPMC_SAMPLER_H */
