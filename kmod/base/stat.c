// SPDX-License-Identifier: GPL-2.0-only
/* Statistics: counted per CPU, summed when asked for. */
#include <linux/cpumask.h>
#include <linux/percpu.h>

#include "stat.h"

DEFINE_PER_CPU(u64 [HWPMC_STAT_COUNT], hwpmc_stats);

u64 hwpmc_stat_sum(enum hwpmc_stat which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(hwpmc_stats, cpu)[which];
	return sum;
}
