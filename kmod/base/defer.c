// SPDX-License-Identifier: GPL-2.0-only
/* Handles overflows that came while they were deferred: see defer.h. */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/percpu.h>

#include "defer.h"

DEFINE_PER_CPU(struct hwpmc_defer, hwpmc_defer);

static void (*hwpmc_defer_resync)(void) __ro_after_init;

/**
 * hwpmc_defer_init - what handles an overflow that was put off
 * @resync: folds what is on this CPU, and takes the samples that are due; overflows are
 *	deferred meanwhile. Context: interrupts off, or NMI
 */
void __init hwpmc_defer_init(void (*resync)(void))
{
	hwpmc_defer_resync = resync;
}

/* An overflow hit what just ended. Interrupts off, or NMI. */
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
