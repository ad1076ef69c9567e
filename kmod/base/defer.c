// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handling of the overflows that were deferred, see defer.h. Called by hwpmc_defer_end() with
 * interrupts off, or in an NMI; hwpmc_defer_init() is called at module load.
 */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/percpu.h>

#include "defer.h"

DEFINE_PER_CPU(struct hwpmc_defer, hwpmc_defer);

static void (*hwpmc_defer_resync)(void) __ro_after_init;

/**
 * hwpmc_defer_init - set the handler of deferred overflows
 * @resync: folds every context on this CPU and takes the samples that are due. It is called
 *	with interrupts off, or in an NMI, while overflows are deferred again
 *
 * Context: module load, before any counter runs.
 */
void __init hwpmc_defer_init(void (*resync)(void))
{
	hwpmc_defer_resync = resync;
}

/**
 * hwpmc_defer_run - handle an overflow that occurred while overflows were deferred
 *
 * Repeats if another one occurs meanwhile. Context: interrupts off, or NMI; called by the
 * outermost hwpmc_defer_end().
 */
noinline void hwpmc_defer_run(void)
{
	struct hwpmc_defer *defer = this_cpu_ptr(&hwpmc_defer);

	do {
		defer->depth++;
		barrier();
		defer->overflow_pending = false;
		hwpmc_defer_resync();
		barrier();
		defer->depth--;
		barrier();
	} while (READ_ONCE(defer->overflow_pending));
}
