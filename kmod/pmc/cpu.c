// SPDX-License-Identifier: GPL-2.0-only
/* What a CPU has of its own, and for how long it was offline. */
#include <linux/percpu.h>
#include <linux/spinlock.h>

#include "context.h"

DEFINE_PER_CPU(struct hwpmc_cpu, hwpmc_cpus);

/**
 * hwpmc_cpu_offline_ns - for how long a CPU has been offline since load
 * @cpu: the CPU; -1 gives 0
 * @now: ktime to count to; what enabled times are taken from, or the one would
 *	grow by a little more than the other
 */
u64 hwpmc_cpu_offline_ns(int cpu, u64 now)
{
	unsigned long flags;
	struct hwpmc_cpu *pc;
	u64 ns;

	if (cpu < 0)
		return 0;
	pc = per_cpu_ptr(&hwpmc_cpus, cpu);
	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	ns = pc->offline_ns;
	if (pc->offline_since && now > pc->offline_since)
		ns += now - pc->offline_since;
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
	return ns;
}
