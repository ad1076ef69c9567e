// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handling of the overflows that were deferred, see defer.h. Called by hwpmc_defer_end() with
 * interrupts off, or in an NMI; hwpmc_defer_init() is called at module load.
 */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "defer.h"

DEFINE_PER_CPU(struct hwpmc_defer, hwpmc_defer);
DEFINE_STATIC_KEY_FALSE(hwpmc_defer_on);

static void (*hwpmc_defer_resync)(void) __ro_after_init;

/* Runs in an interrupt, on the CPU on which hwpmc_defer_leave() queued it. */
static void hwpmc_defer_work(struct irq_work *work)
{
	hwpmc_defer_begin();
	hwpmc_defer_end();
}

/**
 * hwpmc_defer_init - set the handler of deferred overflows
 * @resync: folds every context on this CPU and takes the samples that are due. It is called
 *	with interrupts off, or in an NMI, while overflows are deferred again. With each of
 *	hwpmc_defer.rounds it lets the rows that overflowed do so later, so that hwpmc_defer_run()
 *	ends
 *
 * Context: module load, before any counter runs; may sleep.
 */
void __init hwpmc_defer_init(void (*resync)(void))
{
	int cpu;

	hwpmc_defer_resync = resync;
	if (HWPMC_OVERFLOW_IS_NMI)
		static_branch_enable(&hwpmc_defer_on);
	for_each_possible_cpu(cpu)
		init_irq_work(&per_cpu(hwpmc_defer, cpu).work, hwpmc_defer_work);
}

/** hwpmc_defer_exit - wait for the work of all CPUs; called at module unload; no probe exists */
void hwpmc_defer_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(hwpmc_defer, cpu).work);
}

static void hwpmc_defer_reset(void *unused)
{
	this_cpu_write(hwpmc_defer.depth, 0);
}

/**
 * hwpmc_defer_set_probes - maintain the depth for probes, or stop doing so
 * @on: probes may fire from now on; false: no probe fires any more
 *
 * Code between hwpmc_defer_begin() and hwpmc_defer_end() while the branches are patched changes the
 * depth by one too many or too few. Such code runs with interrupts off, so the interrupt of a
 * cross-call, which resets the depth, is taken outside of it; nothing reads the depth before. Does
 * nothing where the depth is always maintained.
 *
 * Context: may sleep; calls are serialised by the caller.
 */
void hwpmc_defer_set_probes(bool on)
{
	int cpu;

	if (HWPMC_OVERFLOW_IS_NMI)
		return;
	cpus_read_lock();
	if (on) {
		static_key_enable_cpuslocked(&hwpmc_defer_on.key);
		for_each_possible_cpu(cpu)
			if (!cpu_online(cpu))
				per_cpu(hwpmc_defer, cpu).depth = 0;
		on_each_cpu(hwpmc_defer_reset, NULL, 1);
	} else {
		static_key_disable_cpuslocked(&hwpmc_defer_on.key);
	}
	cpus_read_unlock();
}

/**
 * hwpmc_defer_run - handle an overflow that occurred while overflows were deferred
 *
 * Repeats if another one occurs meanwhile: a period may be shorter than the handling of its
 * overflow. Context: interrupts off, or NMI; called by the outermost hwpmc_defer_end().
 */
noinline void hwpmc_defer_run(void)
{
	struct hwpmc_defer *defer = this_cpu_ptr(&hwpmc_defer);

	for (;;) {
		defer->depth++;
		barrier();
		defer->overflow_pending = false;
		hwpmc_defer_resync();
		barrier();
		defer->depth--;
		barrier();
		if (likely(!READ_ONCE(defer->overflow_pending)))
			break;
		if (defer->rounds < HWPMC_DEFER_ROUNDS)
			defer->rounds++;
	}
	defer->rounds = 0;
}
