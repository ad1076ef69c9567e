/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics: counted per CPU, summed when asked for. */
#ifndef HWPMC_STAT_H
#define HWPMC_STAT_H

#include <linux/percpu.h>
#include <linux/types.h>

/* kmod/base/stat.c */
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
	HWPMC_STAT_COUNT
};

DECLARE_PER_CPU(u64 [HWPMC_STAT_COUNT], hwpmc_stats);
#define hwpmc_stat_add(which, n)	this_cpu_add(hwpmc_stats[which], (n))
#define hwpmc_stat_inc(which)		hwpmc_stat_add(which, 1)
u64 hwpmc_stat_sum(enum hwpmc_stat which);

#endif /* HWPMC_STAT_H */
