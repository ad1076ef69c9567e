// SPDX-License-Identifier: GPL-2.0-only
/* Statistics: counted per CPU, summed when asked for. */
#include <linux/cpumask.h>
#include <linux/percpu.h>

#include "pmc/owner.h"
#include "stats.h"
#include "task/task.h"

DEFINE_PER_CPU(u64 [HWPMC_STAT_COUNT], hwpmc_stats);

u64 hwpmc_stat_sum(enum hwpmc_stat which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(hwpmc_stats, cpu)[which];
	return sum;
}

void hwpmc_stats_fill(struct hwpmc_owner *owner, struct hwpmc_stats *out)
{
	out->intr_processed = hwpmc_stat_sum(HWPMC_STAT_INTR_PROCESSED);
	out->intr_ignored = hwpmc_stat_sum(HWPMC_STAT_INTR_IGNORED);
	out->intr_ring_full = hwpmc_stat_sum(HWPMC_STAT_INTR_RING_FULL);
	out->buffer_requests = hwpmc_stat_sum(HWPMC_STAT_BUFFER_REQUESTS);
	out->buffer_failures = hwpmc_stat_sum(HWPMC_STAT_BUFFER_FAILURES);
	out->log_sweeps = hwpmc_stat_sum(HWPMC_STAT_LOG_SWEEPS);
	out->throttles = hwpmc_stat_sum(HWPMC_STAT_THROTTLES);
	out->calls = hwpmc_stat_sum(HWPMC_STAT_CALLS);
	out->calls_failed = hwpmc_stat_sum(HWPMC_STAT_CALLS_FAILED);
	out->fork_failures = hwpmc_stat_sum(HWPMC_STAT_FORK_FAILURES);
	out->threads = hwpmc_thread_count();
	out->arming = hwpmc_arm_pending();
	out->switch_probe = hwpmc_arm_probing();
	out->owners = hwpmc_stat_sum(HWPMC_STAT_OWNERS);
	out->pmcs = hwpmc_stat_sum(HWPMC_STAT_PMCS);
	out->owner_fork_failures = atomic64_read(&owner->fork_failures);
}
