/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Throttling: limits how much of a CPU's time is spent on samples. Called by period.c for each
 * sample and by hotplug.c for each CPU, on the CPU with interrupts off.
 */
#ifndef HWPMC_THROTTLE_H
#define HWPMC_THROTTLE_H

#include <linux/types.h>

struct hwpmc_cpu;
struct hwpmc_link;

/**
 * struct hwpmc_window - samples in one time window of a CPU
 * @begin: CLOCK_MONOTONIC in ns at which it began; 0: there was no window yet
 * @samples: samples taken in it
 * @spent: estimate of the time spent on them, in ns
 * @full: @samples when the window became full, 0 before
 * @pmcs: number of PMCs that sampled in it
 * @before: @pmcs of the previous window
 *
 * Written on its CPU, with interrupts off and overflows deferred.
 */
struct hwpmc_window {
	u64 begin;
	unsigned int samples;
	u64 spent;
	unsigned int full;
	unsigned int pmcs;
	unsigned int before;
};

/* kmod/pmc/throttle.c */
unsigned int hwpmc_throttle_max_rate(void);
void hwpmc_throttle_sample(struct hwpmc_cpu *pc, struct hwpmc_link *link, u64 begun);
void hwpmc_throttle_relieve(struct hwpmc_link *link);
void hwpmc_throttle_cpu_init(struct hwpmc_cpu *pc);
void hwpmc_throttle_cpu_exit(struct hwpmc_cpu *pc);

#endif /* HWPMC_THROTTLE_H */
