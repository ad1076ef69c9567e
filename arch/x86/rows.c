// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: what is done to the rows of the CPU one is on, interrupts off.
 *
 * Counters run free and are read by RDPMC. A context's slot holds the
 * counter's value when it came on; going off adds the difference modulo
 * 2^width, which is right as long as the two readings are less than 2^width
 * events apart. To read the status register at each switch would cost more
 * than the switch. Instead:
 *
 *   Every counter starts with its top bit set, so it wraps within 2^(width-1)
 *   events. A counter without its top bit has wrapped. Whoever reads such a
 *   value - the interrupt, or any fold or start before it - brings the sum up
 *   to date and writes the counter anew, to the lowest value with the top bit
 *   that can be written (struct x86_counter_regs.floor), or to where a row is aimed.
 *
 * So two readings are at most 2^(width-1) events apart, plus what happens
 * between the wrap and whoever comes first, which the interrupt keeps to some
 * hundreds. The CPU needs no flag for it, which AMD's older ones do not have,
 * and the switch writes no register unless a counter wrapped.
 *
 * A start value (HWPMC_IOC_SET_COUNT) is only differences' beginning: what has
 * no top bit, or cannot be written, becomes the floor. One just below 2^width
 * is put in as it is and wraps soon, as one who asks for it wants to see.
 *
 * Counters without full-width writes take 32 bits, sign-extended (SDM volume
 * 3, "Full-Width Writes to Performance Counter Registers"): their floor is
 * 2^width - 2^31, and they interrupt every 2^31 events.
 *
 * A row runs when its selection has EN and the global control register has its
 * bit, which stays set from up to down: so an interrupt can stop and run all
 * counters in the middle of anything here. The control bits of all fixed
 * counters share a register, whose copy changes by compare-and-exchange for
 * the same reason.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "switch.h"
#include "nehalem_workaround.h"
#include "rows.h"
#include "event_select.h"

/**
 * struct x86_state - what was written into one CPU's registers
 * @places: that it has; 0 while the PMU is not ours, and if the global control
 *	register cannot be written
 * @running: what the global control register is to be after an interrupt
 * @select: by kind and row; 0 when it was never programmed, without EN when it
 *	is parked. A fixed counter's control bits with an EN that only we know
 * @fixed_ctl: IA32_FIXED_CTR_CTRL
 * @global_ctl: before up
 * @frozen: nothing counts: an interrupt is being served
 * @late: overflows that were dealt with since somebody asked
 * @when: jiffies of the last of them
 */
struct x86_state {
	u64 places;
	u64 running;
	u64 select[X86_KINDS][X86_MAX_PROGRAMMABLE];
	u64 fixed_ctl;
	u64 global_ctl;
	bool frozen;
	unsigned int late;
	unsigned long when;
};

static DEFINE_PER_CPU(struct x86_state, x86_states);
struct x86_msr_map x86_rows_map __read_mostly;
static atomic_long_t x86_refused;

void x86_rows_init(const struct x86_msr_map *layout)
{
	x86_rows_map = *layout;
}

unsigned long x86_rows_refused(void)
{
	return atomic_long_read(&x86_refused);
}

/* The row then stays stopped and counts nothing, or all of this CPU's do. */
static bool x86_try(u32 msr, u64 value)
{
	if (likely(!x86_regs_try_write(msr, value)))
		return true;
	if (!atomic_long_fetch_inc(&x86_refused))
		pr_warn("hwpmc: this CPU does not take %#llx in register %#x; what needs it counts nothing\n",
			value, msr);
	return false;
}

/* An interrupt may change another counter's bits between any two steps. */
static bool x86_fixed_change(struct x86_state *state, unsigned int row, u64 bits)
{
	u64 old, new;
	bool taken;

	do {
		old = READ_ONCE(state->fixed_ctl);
		new = (old & ~(0xfULL << 4 * row)) | bits << 4 * row;
	} while (cmpxchg_local(&state->fixed_ctl, old, new) != old);
	do {
		new = READ_ONCE(state->fixed_ctl);
		taken = x86_try(INTEL_MSR_FIXED_CTL, new);
	} while (taken && new != READ_ONCE(state->fixed_ctl));
	return taken;
}

/* A selection with EN runs, one without stands. */
static void x86_put_select(struct x86_state *state, enum x86_kind kind, unsigned int row,
			   u64 select)
{
	bool taken;

	WRITE_ONCE(state->select[kind][row], select);
	if (kind == X86_FIXED)
		taken = x86_fixed_change(state, row, select & X86_SEL_EN ? select & 0xf : 0);
	else
		taken = x86_try(x86_msr_map_select(x86_rows_map.span, row), select);
	if (unlikely(!taken))
		state->select[kind][row] = 0;
}

/* Keeps the selection. The flag of an overflow stays up for its interrupt to find. */
static void x86_stop(struct x86_state *state, enum x86_kind kind, unsigned int row)
{
	u64 select = state->select[kind][row];

	if (select & X86_SEL_EN)
		x86_put_select(state, kind, row, select & ~X86_SEL_EN);
}

/* For its counter to be written. What is frozen stands, and needs no other registers. */
static void x86_hold(struct x86_state *state, enum x86_kind kind, unsigned int row)
{
	if (!state->frozen)
		x86_stop(state, kind, row);
}

static void x86_run(struct x86_state *state, enum x86_kind kind, unsigned int row)
{
	u64 select = state->select[kind][row];

	/* What the CPU refused to select counts nothing. */
	if (select && !(select & X86_SEL_EN))
		x86_put_select(state, kind, row, select | X86_SEL_EN);
}

static bool x86_put_counter(enum x86_kind kind, unsigned int row, u64 value)
{
	return x86_try(x86_msr_map_counter(&x86_rows_map.span[kind], row), value);
}

static void x86_late(struct x86_state *state, unsigned int late)
{
	state->late += late;
	state->when = x86_regs_jiffies();
}

/* Without flags the interrupt of this overflow will find nothing, if it is yet to come. */
static void x86_dealt_with(struct x86_state *state, enum x86_kind kind, u64 counter)
{
	if (!x86_rows_map.global_status && !(counter & x86_rows_map.span[kind].top))
		x86_late(state, 1);
}

static void x86_sum(struct hwpmc_slot *slot, enum x86_kind kind, u64 now)
{
	slot->sum += (now - slot->start) & x86_rows_map.span[kind].mask;
	slot->start = now;
}

/* The counter stands; so nothing is lost until it is written. */
static void x86_settle(struct x86_state *state, struct hwpmc_slot *slot, enum x86_kind kind,
		       unsigned int row)
{
	u64 now = x86_get_counter(kind, row);

	x86_dealt_with(state, kind, now);
	x86_sum(slot, kind, now);
}

/* It wrapped: from the floor again, with @slot right. */
static noinline void x86_restart(struct hwpmc_slot *slot, enum x86_kind kind, unsigned int row)
{
	struct x86_state *state = X86_REGS_THIS_CPU(x86_states);
	bool runs = state->select[kind][row] & X86_SEL_EN;

	x86_hold(state, kind, row);
	x86_settle(state, slot, kind, row);
	slot->start = x86_rows_map.span[kind].floor;
	x86_put_counter(kind, row, slot->start);
	if (runs)
		x86_run(state, kind, row);
}

/* It wrapped before this context came on, or while nobody was: a start, and no sum. */
static noinline u64 x86_restart_unused(enum x86_kind kind, unsigned int row)
{
	struct hwpmc_slot nobody = {};

	x86_restart(&nobody, kind, row);
	return nobody.start;
}

noinline void x86_rows_in_wrapped(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows)
{
	for (; rows; rows &= rows - 1) {
		unsigned int row = __ffs64(rows);

		if (!(slots[row].start & x86_rows_map.span[kind].top))
			slots[row].start = x86_restart_unused(kind, row);
	}
}

noinline void x86_rows_fold_wrapped(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows)
{
	for (; rows; rows &= rows - 1) {
		unsigned int row = __ffs64(rows);

		if (!(slots[row].start & x86_rows_map.span[kind].top))
			x86_restart(&slots[row], kind, row);
	}
}

void x86_programmable_in(struct hwpmc_slot *slots, u64 rows)
{
	x86_switch_in(slots, X86_PROGRAMMABLE, rows);
}

void x86_programmable_fold(struct hwpmc_slot *slots, u64 rows)
{
	x86_switch_fold(slots, X86_PROGRAMMABLE, rows);
}

void x86_fixed_in(struct hwpmc_slot *slots, u64 rows)
{
	x86_switch_in(slots, X86_FIXED, rows);
}

void x86_fixed_fold(struct hwpmc_slot *slots, u64 rows)
{
	x86_switch_fold(slots, X86_FIXED, rows);
}

void x86_rows_ack(enum x86_kind kind, u64 rows)
{
	for (; rows; rows &= rows - 1) {
		unsigned int row = __ffs64(rows);

		if (!(x86_get_counter(kind, row) & x86_rows_map.span[kind].top))
			x86_restart_unused(kind, row);
	}
}

void x86_rows_clear(enum x86_kind kind, unsigned int row)
{
	struct x86_state *state = X86_REGS_THIS_CPU(x86_states);
	u64 select = state->select[kind][row];

	if (!select || x86_rows_map.global_status) {
		x86_put_select(state, kind, row, 0);
		return;
	}
	/* Without flags an interrupt knows it by its selection until it was looked at. */
	WRITE_ONCE(state->select[kind][row], select & ~X86_SEL_EN);
	x86_try(x86_msr_map_select(x86_rows_map.span, row), 0);
	x86_dealt_with(state, kind, x86_get_counter(kind, row));
	WRITE_ONCE(state->select[kind][row], 0);
}

/* All counters stand from now on, whatever interrupts come. */
static void x86_settle_new(struct x86_state *state)
{
	WRITE_ONCE(state->running, 0);
	x86_regs_write(x86_rows_map.global_ctl, 0);
	x86_nehalem_workaround_apply(state->select[X86_PROGRAMMABLE]);
}

static void x86_settled(struct x86_state *state)
{
	WRITE_ONCE(state->running, state->places);
	x86_regs_write(x86_rows_map.global_ctl, state->places);
}

static void x86_put_setting(struct x86_state *state, enum x86_kind kind, unsigned int row,
			    const struct x86_counter_setting *set, u64 value)
{
	u64 select = set->select | X86_SEL_EN | (kind == X86_PROGRAMMABLE ? X86_SEL_INT : 0);

	if (set->extra_msr && !x86_try(set->extra_msr, set->extra))
		return;
	if (x86_put_counter(kind, row, x86_msr_map_clip(&x86_rows_map.span[kind], value)))
		x86_put_select(state, kind, row, select);
}

void x86_rows_program(enum x86_kind kind, unsigned int row, const struct x86_counter_setting *set,
		      u64 value)
{
	struct x86_state *state = X86_REGS_THIS_CPU(x86_states);
	bool settle = x86_rows_map.settle && kind == X86_PROGRAMMABLE;

	x86_rows_clear(kind, row);
	/* The CPU goes offline, or has no places: what is still on it counts nothing. */
	if (!state->places)
		return;
	if (settle)
		x86_settle_new(state);
	x86_put_setting(state, kind, row, set, value);
	if (settle)
		x86_settled(state);
}

void x86_rows_park(enum x86_kind kind, u64 rows)
{
	struct x86_state *state = X86_REGS_THIS_CPU(x86_states);

	for (; rows; rows &= rows - 1)
		x86_stop(state, kind, __ffs64(rows));
}

/* What wrapped stays so until x86_rows_aim(), which writes its counter once. */
void x86_rows_sum(enum x86_kind kind, struct hwpmc_slot *slots, u64 rows)
{
	for (; rows; rows &= rows - 1) {
		unsigned int row = __ffs64(rows);

		x86_sum(&slots[row], kind, x86_get_counter(kind, row));
	}
}

u64 x86_rows_aim(enum x86_kind kind, struct hwpmc_slot *slots, unsigned int row, u64 due)
{
	struct x86_state *state = X86_REGS_THIS_CPU(x86_states);
	struct hwpmc_slot *slot = &slots[row];
	u64 left;

	x86_hold(state, kind, row);
	x86_settle(state, slot, kind, row);
	left = x86_msr_map_limit_period(&x86_rows_map, kind, state->select[kind][row],
				   due - slot->sum);
	slot->start = x86_rows_map.span[kind].mask - left + 1;
	if (x86_put_counter(kind, row, slot->start))
		x86_run(state, kind, row);
	else
		x86_stop(state, kind, row);
	return left;
}

bool x86_rows_freeze(void)
{
	struct x86_state *state = X86_REGS_THIS_CPU(x86_states);

	/* Down already, and the register is as it was before us; or it takes nothing. */
	if (!x86_rows_map.global_ctl || !READ_ONCE(state->places))
		return false;
	x86_regs_write(x86_rows_map.global_ctl, 0);
	state->frozen = true;
	return true;
}

void x86_rows_thaw(void)
{
	struct x86_state *state = X86_REGS_THIS_CPU(x86_states);

	state->frozen = false;
	x86_regs_write(x86_rows_map.global_ctl, READ_ONCE(state->running));
}

/* Rows that are programmed, whether they run or are parked. */
u64 x86_rows_wrapped(void)
{
	struct x86_state *state = X86_REGS_THIS_CPU(x86_states);
	u64 wrapped = 0, places = state->places;

	for (; places; places &= places - 1) {
		unsigned int place = __ffs64(places), row = place % X86_FIXED_BIT;
		enum x86_kind kind = place < X86_FIXED_BIT ? X86_PROGRAMMABLE : X86_FIXED;

		if (READ_ONCE(state->select[kind][row]) &&
		    !(x86_get_counter(kind, row) & x86_rows_map.span[kind].top))
			wrapped |= BIT_ULL(place);
	}
	return wrapped;
}

u64 x86_rows_overflowed(void)
{
	struct x86_state *state = X86_REGS_THIS_CPU(x86_states);
	u64 flags;

	if (!x86_rows_map.global_status)
		return x86_rows_wrapped();
	flags = x86_regs_read(x86_rows_map.global_status);
	/* Whoever had the counters freeze on interrupt: ours count on behind it. */
	flags &= state->places | x86_rows_map.still;
	if (flags)
		x86_regs_write(x86_rows_map.global_ack, flags);
	return flags & state->places;
}

unsigned int x86_rows_late(unsigned long *when)
{
	struct x86_state *state = X86_REGS_THIS_CPU(x86_states);
	unsigned int late = state->late;

	*when = state->when;
	state->late = 0;
	return late;
}

/* All counters stopped, no flag up; none of a freeze that somebody left behind either. */
static void x86_rows_reset(struct x86_state *state, u64 places)
{
	u64 rows = places & GENMASK_ULL(X86_FIXED_BIT - 1, 0);

	if (x86_rows_map.global_ctl)
		x86_try(x86_rows_map.global_ctl, 0);
	for (; rows; rows &= rows - 1)
		x86_try(x86_msr_map_select(x86_rows_map.span, __ffs64(rows)), 0);
	if (places >> X86_FIXED_BIT)
		x86_try(INTEL_MSR_FIXED_CTL, 0);
	if (x86_rows_map.global_ack)
		x86_try(x86_rows_map.global_ack, places | x86_rows_map.frozen);
	memset(state->select, 0, sizeof(state->select));
	state->fixed_ctl = 0;
}

void x86_rows_up(u64 places)
{
	struct x86_state *state = X86_REGS_THIS_CPU(x86_states);

	if (x86_rows_map.global_ctl)
		state->global_ctl = x86_regs_read(x86_rows_map.global_ctl);
	x86_rows_reset(state, places);
	state->late = 0;
	/* A hypervisor may show it and not have it: then there is no place to count at. */
	if (x86_rows_map.global_ctl && !x86_try(x86_rows_map.global_ctl, places))
		places = 0;
	state->running = places;
	state->places = places;
}

/* The interrupts of what overflowed are to find nothing. */
static void x86_rows_abandon(struct x86_state *state)
{
	u64 rows = state->places & GENMASK_ULL(X86_FIXED_BIT - 1, 0);

	if (x86_rows_map.global_status) {
		x86_late(state, hweight64(x86_rows_overflowed()));
		return;
	}
	for (; rows; rows &= rows - 1)
		x86_rows_clear(X86_PROGRAMMABLE, __ffs64(rows));
}

void x86_rows_down(void)
{
	struct x86_state *state = X86_REGS_THIS_CPU(x86_states);
	u64 places = state->places;

	/*
	 * First of all nothing counts any more, and no interrupt changes that; until
	 * what overflowed is known, interrupts find it as ever.
	 */
	WRITE_ONCE(state->running, 0);
	if (x86_rows_map.global_ctl)
		x86_try(x86_rows_map.global_ctl, 0);
	x86_rows_abandon(state);
	WRITE_ONCE(state->places, 0);
	x86_rows_reset(state, places);
	if (x86_rows_map.global_ctl)
		x86_try(x86_rows_map.global_ctl, state->global_ctl);
}
