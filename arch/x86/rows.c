// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: operations on sets of counters of this CPU, and on the CPU's PMU as a whole. Called by
 * pmu.c for the core, and by pmi.c in the overflow NMI. Interrupts are off. See counter.c for
 * how counters run and wrap.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include <x86_regs.h>

#include "counter.h"
#include "counter_read.h"
#include "rows.h"
#include "switch.h"

void x86_rows_in_programmable(struct hwpmc_slot *slots, u64 rows)
{
	x86_switch_in(slots, X86_PROGRAMMABLE, rows);
}

void x86_rows_fold_programmable(struct hwpmc_slot *slots, u64 rows)
{
	x86_switch_fold(slots, X86_PROGRAMMABLE, rows);
}

void x86_rows_in_fixed(struct hwpmc_slot *slots, u64 rows)
{
	x86_switch_in(slots, X86_FIXED, rows);
}

void x86_rows_fold_fixed(struct hwpmc_slot *slots, u64 rows)
{
	x86_switch_fold(slots, X86_FIXED, rows);
}

void x86_rows_ack(enum x86_kind kind, u64 rows)
{
	for (; rows; rows &= rows - 1) {
		unsigned int row = __ffs64(rows);

		if (!(x86_counter_read(kind, row) & x86_counter_map.regs[kind].top_bit))
			x86_counter_restart_unused(kind, row);
	}
}

void x86_rows_stop(enum x86_kind kind, u64 rows)
{
	struct x86_counter_state *state = X86_REGS_THIS_CPU(x86_counter_states);

	for (; rows; rows &= rows - 1)
		x86_counter_stop(state, kind, __ffs64(rows));
}

void x86_rows_overflowed_programmable(struct hwpmc_slot *slots, u64 rows)
{
	x86_switch_fold_overflowed(slots, X86_PROGRAMMABLE, rows);
}

void x86_rows_overflowed_fixed(struct hwpmc_slot *slots, u64 rows)
{
	x86_switch_fold_overflowed(slots, X86_FIXED, rows);
}

u64 x86_rows_wrapped(void)
{
	struct x86_counter_state *state = X86_REGS_THIS_CPU(x86_counter_states);
	u64 wrapped = 0, left = state->present;

	for (; left; left &= left - 1) {
		unsigned int bit = __ffs64(left), row = bit % X86_FIXED_BIT;
		enum x86_kind kind = bit < X86_FIXED_BIT ? X86_PROGRAMMABLE : X86_FIXED;

		/* Programmed counters only, running or stopped. */
		if (READ_ONCE(state->select[kind][row]) &&
		    !(x86_counter_read(kind, row) & x86_counter_map.regs[kind].top_bit))
			wrapped |= BIT_ULL(bit);
	}
	return wrapped;
}

unsigned int x86_rows_latent_nmis(unsigned long *when)
{
	struct x86_counter_state *state = X86_REGS_THIS_CPU(x86_counter_states);
	unsigned int count = state->latent_nmis;

	*when = state->latent_time;
	state->latent_nmis = 0;
	return count;
}

/* Stop all counters; clear all overflow flags, and those of a freeze that was left behind. */
static void x86_rows_reset(struct x86_counter_state *state, u64 counters)
{
	u64 rows = counters & GENMASK_ULL(X86_FIXED_BIT - 1, 0);

	if (x86_counter_map.global_ctl)
		x86_counter_try_write(x86_counter_map.global_ctl, 0);
	for (; rows; rows &= rows - 1)
		x86_counter_try_write(x86_msr_map_select(x86_counter_map.regs, __ffs64(rows)), 0);
	if (counters >> X86_FIXED_BIT)
		x86_counter_try_write(INTEL_MSR_FIXED_CTL, 0);
	if (x86_counter_map.global_ack)
		x86_counter_try_write(x86_counter_map.global_ack,
				      counters | x86_counter_map.freeze_flags);
	memset(state->select, 0, sizeof(state->select));
	state->fixed_ctl = 0;
}

void x86_rows_up(u64 counters)
{
	struct x86_counter_state *state = X86_REGS_THIS_CPU(x86_counter_states);

	if (x86_counter_map.global_ctl)
		state->saved_global_ctl = x86_regs_read(x86_counter_map.global_ctl);
	x86_rows_reset(state, counters);
	state->latent_nmis = 0;
	/* A hypervisor may announce this register and not implement it. */
	if (x86_counter_map.global_ctl &&
	    !x86_counter_try_write(x86_counter_map.global_ctl, counters))
		counters = 0;
	state->global_ctl = counters;
	state->present = counters;
}

/*
 * Account the overflows whose NMIs arrive when the CPU is down. Their flags remain: until the
 * caller clears @enabled, an interrupt finds either the flags or the latent NMIs.
 */
static void x86_rows_abandon(struct x86_counter_state *state)
{
	u64 rows = state->present & GENMASK_ULL(X86_FIXED_BIT - 1, 0);

	if (x86_counter_map.global_status) {
		u64 flags = x86_regs_read(x86_counter_map.global_status);

		x86_counter_add_latent(state, hweight64(flags & state->present));
		return;
	}
	for (; rows; rows &= rows - 1)
		x86_counter_clear(X86_PROGRAMMABLE, __ffs64(rows));
}

void x86_rows_down(void)
{
	struct x86_counter_state *state = X86_REGS_THIS_CPU(x86_counter_states);
	u64 counters = state->present;

	/*
	 * First stop all counters, so that no interrupt restarts them. Until the overflows are
	 * accounted, an interrupt still handles them as before.
	 */
	WRITE_ONCE(state->global_ctl, 0);
	if (x86_counter_map.global_ctl)
		x86_counter_try_write(x86_counter_map.global_ctl, 0);
	x86_rows_abandon(state);
	/* From here on the register is as it was before x86_rows_up(), and must not change. */
	WRITE_ONCE(state->enabled, false);
	WRITE_ONCE(state->present, 0);
	x86_rows_reset(state, counters);
	if (x86_counter_map.global_ctl)
		x86_counter_try_write(x86_counter_map.global_ctl, state->saved_global_ctl);
}
