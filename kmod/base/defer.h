/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overflow interrupts that are deferred while this CPU's contexts, or a ring's losses, are
 * being changed. Only where they are NMIs: elsewhere interrupts are off meanwhile.
 */
#ifndef HWPMC_DEFER_H
#define HWPMC_DEFER_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"

/**
 * struct hwpmc_defer - whether a CPU defers its overflows
 * @depth: above 0 from hwpmc_defer_begin() to hwpmc_defer_end()
 * @overflow_pending: one came meanwhile
 *
 * Written on this CPU, interrupts off, or in its NMIs.
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
 * hwpmc_defer_begin - this CPU's contexts are not as an NMI should find them
 *
 * Up to hwpmc_defer_end() an overflow is put off; may nest. Where the
 * overflow interrupt respects closed interrupts there is nothing to do.
 * Context: interrupts off, or NMI.
 */
static __always_inline void hwpmc_defer_begin(void)
{
	if (HWPMC_OVERFLOW_IS_NMI) {
		this_cpu_inc(hwpmc_defer.depth);
		barrier();
	}
}

/** hwpmc_defer_end - they are consistent again; handles an overflow that was put off */
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
