/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: what every overflow NMI does with the counters of its CPU: stop all of them, find those that
 * overflowed, and let them run again. Inline for pmi.c; rows.c has the rest.
 */
#ifndef HWPMC_X86_OVERFLOW_H
#define HWPMC_X86_OVERFLOW_H

#include <linux/compiler.h>

#include <x86_regs.h>

#include "counter.h"
#include "rows.h"

/**
 * x86_overflow_freeze - stop all counters by the global control register
 * @state: of this CPU; @enabled is set, and there is such a register
 *
 * Context: NMI.
 */
static __always_inline void x86_overflow_freeze(struct x86_counter_state *state)
{
	x86_regs_write(x86_counter_map.global_ctl, 0);
	state->frozen = true;
}

/** x86_overflow_unfreeze - undo x86_overflow_freeze(). Context: NMI */
static __always_inline void x86_overflow_unfreeze(struct x86_counter_state *state)
{
	state->frozen = false;
	x86_regs_write(x86_counter_map.global_ctl, READ_ONCE(state->global_ctl));
}

/**
 * x86_overflow_flagged - find the counters that overflowed, by their overflow flags
 * @state: of this CPU, which has such flags: every CPU with a global control register has
 *
 * Clears the flags, and that of a freeze on interrupt. Context: interrupts off, or NMI. Return: a
 * global set.
 */
static __always_inline u64 x86_overflow_flagged(struct x86_counter_state *state)
{
	u64 flags = x86_regs_read(x86_counter_map.global_status), present = state->present;

	/* If freeze on interrupt is enabled, its flag keeps the counters stopped. */
	flags &= present | x86_counter_map.counters_frozen;
	if (likely(flags))
		x86_regs_write(x86_counter_map.global_ack, flags);
	return flags & present;
}

/**
 * x86_overflow_find - find the counters that overflowed
 * @state: of this CPU
 *
 * Without overflow flags a counter is reported until it is restarted. Context and return: as
 * x86_overflow_flagged().
 */
static inline u64 x86_overflow_find(struct x86_counter_state *state)
{
	return x86_counter_map.global_status ? x86_overflow_flagged(state) : x86_rows_wrapped();
}

#endif /* HWPMC_X86_OVERFLOW_H */
