/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics of the module: counted per CPU in any context, NMI included, and summed when
 * HWPMC_IOC_STATS reads them.
 */
#ifndef HWPMC_STAT_H
#define HWPMC_STAT_H

#include <linux/percpu.h>
#include <linux/types.h>

#include <hwpmc_arch_inline.h>

/**
 * enum hwpmc_stat - the statistics; most are fields of struct hwpmc_stats of the uapi
 * @HWPMC_STAT_INTR_PROCESSED: how often overflows of rows of one class were handled
 * @HWPMC_STAT_INTR_IGNORED: overflow interrupts that found none
 * @HWPMC_STAT_INTR_RING_FULL: samples lost because a ring was full
 * @HWPMC_STAT_BUFFER_REQUESTS: requests to create an owner's rings
 * @HWPMC_STAT_BUFFER_FAILURES: of these, the ones that failed
 * @HWPMC_STAT_LOG_SWEEPS: passes of the log writer over the rings
 * @HWPMC_STAT_THROTTLES: times a PMC was throttled
 * @HWPMC_STAT_CALLS: ioctls
 * @HWPMC_STAT_CALLS_FAILED: ioctls that failed
 * @HWPMC_STAT_FORK_FAILURES: children that could not inherit their parent's PMCs
 * @HWPMC_STAT_OWNERS: owners that exist
 * @HWPMC_STAT_PMCS: PMCs that exist
 * @HWPMC_STAT_PROBES: probes that are in the kernel
 * @HWPMC_STAT_PROBE_SKIPPED: events of probes that were skipped
 * @HWPMC_STAT_PMU_CLAIMS: times the PMU was claimed
 * @HWPMC_STAT_PMU_REFUSALS: times that failed because perf or another driver holds it
 * @HWPMC_STAT_COUNT: number of statistics
 */
enum hwpmc_stat {
	HWPMC_STAT_INTR_PROCESSED,
	HWPMC_STAT_INTR_IGNORED,
	HWPMC_STAT_INTR_RING_FULL,
	HWPMC_STAT_BUFFER_REQUESTS,
	HWPMC_STAT_BUFFER_FAILURES,
	HWPMC_STAT_LOG_SWEEPS,
	HWPMC_STAT_THROTTLES,
	HWPMC_STAT_CALLS,
	HWPMC_STAT_CALLS_FAILED,
	HWPMC_STAT_FORK_FAILURES,
	HWPMC_STAT_OWNERS,
	HWPMC_STAT_PMCS,
	HWPMC_STAT_PROBES,
	HWPMC_STAT_PROBE_SKIPPED,
	HWPMC_STAT_PMU_CLAIMS,
	HWPMC_STAT_PMU_REFUSALS,
	HWPMC_STAT_COUNT
};

/* kmod/base/stat.c */
DECLARE_PER_CPU(u64 [HWPMC_STAT_COUNT], hwpmc_stats);
/* Context: any, NMI included. */
#define hwpmc_stat_add(which, n)	this_cpu_add(hwpmc_stats[which], (n))
#define hwpmc_stat_inc(which)		hwpmc_stat_add(which, 1)
/* Cheaper: interrupts are off. An overflow that is an NMI may still occur. */
#define hwpmc_stat_inc_irq(which)	do {				\
	if (HWPMC_OVERFLOW_IS_NMI)					\
		hwpmc_stat_inc(which);					\
	else								\
		__this_cpu_inc(hwpmc_stats[which]);			\
} while (0)
u64 hwpmc_stat_sum(enum hwpmc_stat which);

#endif /* HWPMC_STAT_H */
