// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: one counter of this CPU: select, start, stop, set its period, restart it after a
 * wrap. Called by rows.c and, for the operations of one row, by pmu.c. Interrupts are off;
 * most functions may also run in the overflow NMI.
 *
 * Counters run free and are read by RDPMC. At schedule in, the context's slot stores the
 * counter's value; at schedule out, the difference modulo 2^width is added to its sum. That is
 * correct while two readings are less than 2^width events apart. Reading the status register
 * at each switch to detect a wrap would cost more than the switch. Instead:
 *
 *   Every counter starts with its top bit set, so it wraps within 2^(width-1) events. A counter
 *   without its top bit has wrapped. Whatever reads such a value first (the interrupt, a fold
 *   or a schedule in) brings the sum up to date and restarts the counter from the lowest
 *   writable value with the top bit (struct x86_counter_regs.min_start), or from the value that
 *   the sampling period requires.
 *
 * So two readings are at most 2^(width-1) events apart, plus the events between the wrap and
 * its detection. The interrupt limits these to some hundreds. This needs no overflow flag, which
 * older AMD CPUs lack, and a switch writes no register unless a counter wrapped.
 *
 * A start value set by the user (HWPMC_IOC_SET_COUNT) is only the first value of the counter, which
 * the next fold subtracts. One that has no top bit or cannot be written is replaced by min_start.
 * One just below 2^width is written as it is and wraps soon, as a test of overflows requires.
 *
 * Counters without full-width writes take 32 bits, sign-extended (SDM volume 3, "Full-Width
 * Writes to Performance Counter Registers"): their min_start is 2^width - 2^31, and they
 * interrupt every 2^31 events.
 *
 * A counter runs when its event select has X86_SEL_EN and the global control register has its
 * bit. The latter stays set from up to down, so an interrupt can stop and start all counters
 * between any two steps here. The control bits of all fixed counters share one register; its
 * copy in memory changes by compare-and-exchange for the same reason.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/printk.h>

#include <x86_regs.h>

#include "counter.h"
#include "counter_read.h"
#include "event_select.h"
#include "nehalem_workaround.h"

DEFINE_PER_CPU(struct x86_counter_state, x86_counter_states);
struct x86_msr_map x86_counter_map __read_mostly;
static atomic_long_t x86_counter_refusals;

void x86_counter_init(const struct x86_msr_map *map)
{
	x86_counter_map = *map;
}

unsigned long x86_counter_refused(void)
{
	return atomic_long_read(&x86_counter_refusals);
}

bool x86_counter_try_write(u32 msr, u64 value)
{
	if (likely(!x86_regs_try_write(msr, value)))
		return true;
	if (!atomic_long_fetch_inc(&x86_counter_refusals))
		pr_warn("hwpmc: the CPU refused to write %#llx to MSR %#x: counters that need it count nothing; further refusals are not logged\n",
			value, msr);
	return false;
}

/* An interrupt may change another fixed counter's bits between any two steps. */
static bool x86_counter_control_fixed(struct x86_counter_state *state, unsigned int row, u64 bits)
{
	u64 old, new;
	bool accepted;

	do {
		old = READ_ONCE(state->fixed_ctl);
		new = (old & ~(0xfULL << 4 * row)) | bits << 4 * row;
	} while (cmpxchg_local(&state->fixed_ctl, old, new) != old);
	do {
		new = READ_ONCE(state->fixed_ctl);
		accepted = x86_counter_try_write(INTEL_MSR_FIXED_CTL, new);
	} while (accepted && new != READ_ONCE(state->fixed_ctl));
	return accepted;
}

/* X86_SEL_EN in @select starts the counter, its absence stops it. */
static void x86_counter_write_select(struct x86_counter_state *state, enum x86_kind kind,
				     unsigned int row, u64 select)
{
	bool accepted;

	WRITE_ONCE(state->select[kind][row], select);
	if (kind == X86_FIXED)
		accepted = x86_counter_control_fixed(state, row,
						     select & X86_SEL_EN ? select & 0xf : 0);
	else
		accepted = x86_counter_try_write(x86_msr_map_select(x86_counter_map.regs, row),
						 select);
	if (unlikely(!accepted))
		state->select[kind][row] = 0;
}

void x86_counter_stop(struct x86_counter_state *state, enum x86_kind kind, unsigned int row)
{
	u64 select = state->select[kind][row];

	if (select & X86_SEL_EN)
		x86_counter_write_select(state, kind, row, select & ~X86_SEL_EN);
}

/* Before the counter is written. While all are frozen it need not be stopped by itself. */
static void x86_counter_hold(struct x86_counter_state *state, enum x86_kind kind,
			     unsigned int row)
{
	if (!state->frozen)
		x86_counter_stop(state, kind, row);
}

static void x86_counter_start(struct x86_counter_state *state, enum x86_kind kind,
			      unsigned int row)
{
	u64 select = state->select[kind][row];

	/* A selection that the CPU refused is 0 and stays stopped. */
	if (select && !(select & X86_SEL_EN))
		x86_counter_write_select(state, kind, row, select | X86_SEL_EN);
}

static bool x86_counter_write(enum x86_kind kind, unsigned int row, u64 value)
{
	return x86_counter_try_write(x86_msr_map_counter(&x86_counter_map.regs[kind], row), value);
}

void x86_counter_add_latent(struct x86_counter_state *state, unsigned int count)
{
	state->latent_nmis += count;
	state->latent_time = x86_regs_jiffies();
}

/* Without overflow flags, the NMI of an overflow that is handled here finds nothing. */
static void x86_counter_account_overflow(struct x86_counter_state *state, enum x86_kind kind,
					 u64 counter)
{
	if (!x86_counter_map.global_status && !(counter & x86_counter_map.regs[kind].top_bit))
		x86_counter_add_latent(state, 1);
}

/* The counter is stopped, so it loses no event until it is written. */
static void x86_counter_fold_stopped(struct x86_counter_state *state, struct hwpmc_slot *slot,
				     enum x86_kind kind, unsigned int row)
{
	u64 now = x86_counter_read(kind, row);

	x86_counter_account_overflow(state, kind, now);
	x86_counter_add(slot, kind, now);
}

static noinline void x86_counter_restart(struct hwpmc_slot *slot, enum x86_kind kind,
					 unsigned int row)
{
	struct x86_counter_state *state = X86_REGS_THIS_CPU(x86_counter_states);
	bool running = state->select[kind][row] & X86_SEL_EN;

	x86_counter_hold(state, kind, row);
	x86_counter_fold_stopped(state, slot, kind, row);
	slot->start = x86_counter_map.regs[kind].min_start;
	x86_counter_write(kind, row, slot->start);
	if (running)
		x86_counter_start(state, kind, row);
}

noinline u64 x86_counter_restart_unused(enum x86_kind kind, unsigned int row)
{
	struct hwpmc_slot unused = {};

	x86_counter_restart(&unused, kind, row);
	return unused.start;
}

noinline void x86_counter_restart_in(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows)
{
	for (; rows; rows &= rows - 1) {
		unsigned int row = __ffs64(rows);

		/* It wrapped for another context, or for none. */
		if (!(slots[row].start & x86_counter_map.regs[kind].top_bit))
			slots[row].start = x86_counter_restart_unused(kind, row);
	}
}

noinline void x86_counter_restart_fold(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows)
{
	for (; rows; rows &= rows - 1) {
		unsigned int row = __ffs64(rows);

		if (!(slots[row].start & x86_counter_map.regs[kind].top_bit))
			x86_counter_restart(&slots[row], kind, row);
	}
}

void x86_counter_clear(enum x86_kind kind, unsigned int row)
{
	struct x86_counter_state *state = X86_REGS_THIS_CPU(x86_counter_states);
	u64 select = state->select[kind][row];

	if (!select || x86_counter_map.global_status) {
		x86_counter_write_select(state, kind, row, 0);
		return;
	}
	/*
	 * Without overflow flags x86_rows_wrapped() examines programmed counters only, so the
	 * selection is kept until a last overflow is accounted.
	 */
	WRITE_ONCE(state->select[kind][row], select & ~X86_SEL_EN);
	x86_counter_try_write(x86_msr_map_select(x86_counter_map.regs, row), 0);
	x86_counter_account_overflow(state, kind, x86_counter_read(kind, row));
	WRITE_ONCE(state->select[kind][row], 0);
}

static void x86_counter_write_setting(struct x86_counter_state *state, enum x86_kind kind,
				      unsigned int row, const struct x86_counter_setting *set,
				      u64 value)
{
	u64 select = set->select | X86_SEL_EN | (kind == X86_PROGRAMMABLE ? X86_SEL_INT : 0);

	if (set->extra_msr && !x86_counter_try_write(set->extra_msr, set->extra))
		return;
	if (x86_counter_write(kind, row, x86_msr_map_clip(&x86_counter_map.regs[kind], value)))
		x86_counter_write_select(state, kind, row, select);
}

void x86_counter_program(enum x86_kind kind, unsigned int row,
			 const struct x86_counter_setting *set, u64 value)
{
	struct x86_counter_state *state = X86_REGS_THIS_CPU(x86_counter_states);
	bool workaround = x86_counter_map.nehalem_workaround && kind == X86_PROGRAMMABLE;

	x86_counter_clear(kind, row);
	/* The CPU goes offline, or has no usable counters: the PMC counts nothing here. */
	if (!state->present)
		return;
	if (workaround) {
		/* No interrupt may start a counter before the new selection is complete. */
		WRITE_ONCE(state->global_ctl, 0);
		x86_regs_write(x86_counter_map.global_ctl, 0);
		x86_nehalem_workaround_apply(state->select[X86_PROGRAMMABLE]);
	}
	x86_counter_write_setting(state, kind, row, set, value);
	if (workaround) {
		WRITE_ONCE(state->global_ctl, state->present);
		x86_regs_write(x86_counter_map.global_ctl, state->present);
	}
}

u64 x86_counter_set_period(enum x86_kind kind, struct hwpmc_slot *slots, unsigned int row,
			   u64 due, u64 put_off)
{
	struct x86_counter_state *state = X86_REGS_THIS_CPU(x86_counter_states);
	struct hwpmc_slot *slot = &slots[row];
	u64 left;

	x86_counter_hold(state, kind, row);
	x86_counter_fold_stopped(state, slot, kind, row);
	left = x86_msr_map_limit_period(&x86_counter_map, kind, state->select[kind][row],
					hwpmc_aim_left(slot->sum, due, put_off));
	slot->start = x86_counter_map.regs[kind].mask - left + 1;
	if (x86_counter_write(kind, row, slot->start))
		x86_counter_start(state, kind, row);
	else
		x86_counter_stop(state, kind, row);
	return left;
}
