/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: read a counter of this CPU, and add its events to a sum. Inline for the switch. */
#ifndef HWPMC_X86_COUNTER_READ_H
#define HWPMC_X86_COUNTER_READ_H

#include <linux/compiler.h>

#include <x86_regs.h>

#include "counter.h"

/**
 * x86_counter_read - read a counter
 * @kind: of the counter
 * @row: of the counter
 *
 * Context: preemption off.
 */
static __always_inline u64 x86_counter_read(enum x86_kind kind, unsigned long row)
{
	return x86_regs_rdpmc(kind == X86_FIXED ? X86_RDPMC_FIXED + row : row);
}

/**
 * x86_counter_add - add the events since the slot's start to its sum
 * @slot: brought up to date
 * @kind: of the counter
 * @now: value of the counter
 */
static __always_inline void x86_counter_add(struct hwpmc_slot *slot, enum x86_kind kind, u64 now)
{
	slot->sum += (now - slot->start) & x86_counter_map.regs[kind].mask;
	slot->start = now;
}

#endif /* HWPMC_X86_COUNTER_READ_H */
