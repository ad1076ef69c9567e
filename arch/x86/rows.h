/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: what is done to the rows of the CPU one is on, interrupts off. */
#ifndef HWPMC_X86_ROWS_H
#define HWPMC_X86_ROWS_H

#include "../hwpmc_arch.h"
#include "msr_map.h"

/** x86_rows_init - how the counters of this machine are driven */
void x86_rows_init(const struct x86_msr_map *layout);

/**
 * struct x86_counter_setting - what program() is to put into a row
 * @select: the selection without enable and interrupt bits; of a fixed counter
 *	its four control bits
 * @extra_msr: a register that @select needs besides, or 0
 * @extra: its value
 */
struct x86_counter_setting {
	u64 select;
	u32 extra_msr;
	u64 extra;
};

/*
 * struct hwpmc_machine's cpu_up and cpu_down, for a CPU with these places. The
 * first remembers the global control register, the second gives it back.
 */
void x86_rows_up(u64 places);
void x86_rows_down(void);

/* struct hwpmc_class's operations of the same names, sum its wrapped; class rows of @kind */
void x86_rows_program(enum x86_kind kind, unsigned int row, const struct x86_counter_setting *set,
		      u64 value);
void x86_rows_sum(enum x86_kind kind, struct hwpmc_slot *slots, u64 rows);
u64 x86_rows_aim(enum x86_kind kind, struct hwpmc_slot *slots, unsigned int row, u64 due);
void x86_rows_park(enum x86_kind kind, u64 rows);
void x86_rows_clear(enum x86_kind kind, unsigned int row);
void x86_rows_ack(enum x86_kind kind, u64 rows);

/* The same, a function each for what is done on every switch (switch.h). */
void x86_programmable_in(struct hwpmc_slot *slots, u64 rows);
void x86_programmable_fold(struct hwpmc_slot *slots, u64 rows);
void x86_fixed_in(struct hwpmc_slot *slots, u64 rows);
void x86_fixed_fold(struct hwpmc_slot *slots, u64 rows);

/* For pmi.c */

/** x86_rows_freeze - stop all counters at once, where that can be done; whether it could */
bool x86_rows_freeze(void);

/** x86_rows_thaw - undo it */
void x86_rows_thaw(void);

/**
 * x86_rows_overflowed - places that overflowed
 *
 * Where the CPU keeps flags of it, these are down afterwards, and so is that of
 * counters that it froze. Where it keeps none, a place is reported until its row
 * was folded.
 */
u64 x86_rows_overflowed(void);

/** x86_rows_wrapped - places that overflowed and were not folded since, flag or not */
u64 x86_rows_wrapped(void);

/**
 * x86_rows_late - overflows whose interrupt finds nothing, if it is yet to come
 * @when: out: jiffies of the last of them
 *
 * Where the CPU keeps no flags, that is every one that was dealt with, inside its
 * interrupt or outside. Starts from 0 again.
 */
unsigned int x86_rows_late(unsigned long *when);

/** x86_rows_refused - writes that this CPU refused, since load */
unsigned long x86_rows_refused(void);

#endif /* HWPMC_X86_ROWS_H */
