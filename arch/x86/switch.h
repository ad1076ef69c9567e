/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: the operations in and fold of a set of counters, inline for the context switch and the
 * overflow interrupt. One RDPMC a counter, and one test of all top bits: see counter.c.
 */
#ifndef HWPMC_X86_SWITCH_H
#define HWPMC_X86_SWITCH_H

#include <linux/bitops.h>
#include <linux/compiler.h>

#include "counter.h"
#include "counter_read.h"

/**
 * x86_switch_in - read the starts of a context that is scheduled in
 * @slots: of the context
 * @kind: of the counters
 * @rows: set of the counters; never 0
 *
 * Context: interrupts off.
 */
static __always_inline void x86_switch_in(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows)
{
	u64 left = rows, tops = x86_counter_map.regs[kind].top_bit;

	do {
		unsigned long row = __ffs64(left);

		slots[row].start = x86_counter_read(kind, row);
		tops &= slots[row].start;
		left &= left - 1;
	} while (left);
	if (unlikely(!tops))
		x86_counter_restart_in(slots, kind, rows);
}

/**
 * x86_switch_fold - bring the sums of a context up to date
 * @slots: of the context on this CPU
 * @kind: of the counters
 * @rows: set of the counters; never 0
 *
 * Context: interrupts off, or NMI.
 */
static __always_inline void x86_switch_fold(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows)
{
	u64 left = rows, tops = x86_counter_map.regs[kind].top_bit;

	do {
		unsigned long row = __ffs64(left);
		u64 now = x86_counter_read(kind, row);

		x86_counter_add(&slots[row], kind, now);
		tops &= now;
		left &= left - 1;
	} while (left);
	if (unlikely(!tops))
		x86_counter_restart_fold(slots, kind, rows);
}

/**
 * x86_switch_fold_overflowed - fold counters that overflowed, without restarting them
 * @slots: of the context on this CPU
 * @kind: of the counters
 * @rows: set of the counters; never 0
 *
 * For the overflow interrupt, in which x86_counter_set_period() restarts them. Context: interrupts
 * off, or NMI.
 */
static __always_inline void x86_switch_fold_overflowed(struct hwpmc_slot *slots,
						       enum x86_kind kind, u64 rows)
{
	do {
		unsigned long row = __ffs64(rows);

		x86_counter_add(&slots[row], kind, x86_counter_read(kind, row));
		rows &= rows - 1;
	} while (unlikely(rows));
}

#endif /* HWPMC_X86_SWITCH_H */
