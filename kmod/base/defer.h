/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deferral of overflow interrupts while code changes this CPU's contexts or a ring's loss
 * counters. Called by pmc/, task/ and hotplug.c with interrupts off, or in an NMI. It has an
 * effect only where the overflow interrupt is an NMI; elsewhere interrupts are off anyway.
 */
#ifndef HWPMC_DEFER_H
#define HWPMC_DEFER_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"

/**
 * struct hwpmc_defer - whether a CPU defers its overflow interrupts
 * @depth: nesting depth of hwpmc_defer_begin(); 0: overflows are handled at once
 * @overflow_pending: an overflow interrupt occurred while @depth was above 0
 *
 * Per CPU. Written by its own CPU only, with interrupts off or in an NMI.
 */
struct hwpmc_defer {
	int depth;
	bool overflow_pending;
};

DECLARE_PER_CPU(struct hwpmc_defer, hwpmc_defer);

/* kmod/base/defer.c */
void hwpmc_defer_init(void (*resync)(void));
void hwpmc_defer_run(void);

/**
 * hwpmc_defer_begin - defer this CPU's overflow NMIs
 *
 * Until the matching hwpmc_defer_end(), an overflow NMI only sets overflow_pending, because
 * it could find this CPU's contexts half changed. Calls nest. Does nothing where the overflow
 * interrupt is maskable. Context: interrupts off, or NMI.
 */
static __always_inline void hwpmc_defer_begin(void)
{
	if (HWPMC_OVERFLOW_IS_NMI) {
		this_cpu_inc(hwpmc_defer.depth);
		barrier();
	}
}

/**
 * hwpmc_defer_end - end hwpmc_defer_begin(), and handle an overflow that it deferred
 *
 * Context: as hwpmc_defer_begin(), on the same CPU.
 */
static __always_inline void hwpmc_defer_end(void)
{
	if (HWPMC_OVERFLOW_IS_NMI) {
		barrier();
		this_cpu_dec(hwpmc_defer.depth);
		if (unlikely(this_cpu_read(hwpmc_defer.overflow_pending)) &&
		    !this_cpu_read(hwpmc_defer.depth))
			hwpmc_defer_run();
	}
}

#endif /* HWPMC_DEFER_H */
