// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of the module, see stat.h. Summed for HWPMC_IOC_STATS, in process context.
 */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>

#include "stat.h"

DEFINE_PER_CPU(u64 [HWPMC_STAT_COUNT], hwpmc_stats);

/**
 * hwpmc_stat_sum - the value of a statistic over all CPUs
 * @which: the statistic
 *
 * Context: any. The sum is not of one instant. Return: the sum. A number of objects is correct even
 * if they are created and freed on different CPUs, since the sum wraps.
 */
u64 hwpmc_stat_sum(enum hwpmc_stat which)
{
	u64 sum = 0;
	int cpu;

	/* READ_ONCE(), since other CPUs count meanwhile. */
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(hwpmc_stats, cpu)[which]);
	return sum;
}
