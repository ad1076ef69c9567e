// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of each CPU, and for how long it was offline. state.c and count.c call this for the
 * enabled times of system-wide PMCs, in process context.
 */
#include <linux/percpu.h>
#include <linux/spinlock.h>

#include "context.h"

DEFINE_PER_CPU(struct hwpmc_cpu, hwpmc_cpus);

/**
 * hwpmc_cpu_offline_ns - for how long a CPU has been offline since the module was loaded
 * @cpu: number of the CPU, or -1
 * @now: end of the time, as ktime_get_mono_fast_ns(). The caller computes enabled times from the
 *	same @now: otherwise the two would include different periods
 *
 * Context: any but NMI; the lock of the CPU's own context is not held. Return: ns; 0 for @cpu -1.
 */
u64 hwpmc_cpu_offline_ns(int cpu, u64 now)
{
	unsigned long flags;
	struct hwpmc_cpu *pc;
	u64 ns;

	if (cpu < 0)
		return 0;
	pc = per_cpu_ptr(&hwpmc_cpus, cpu);
	raw_spin_lock_irqsave(&pc->sys.lock, flags);
	ns = pc->offline_ns;
	if (pc->offline_since && now > pc->offline_since)
		ns += now - pc->offline_since;
	raw_spin_unlock_irqrestore(&pc->sys.lock, flags);
	return ns;
}
