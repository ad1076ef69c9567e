/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: operations on sets of counters of this CPU, and on the CPU's PMU as a whole.
 *
 * A set is either the rows of one kind, or, as "global set", counters by their bit in the
 * global registers: X86_FIXED_BIT in msr_map.h.
 */
#ifndef HWPMC_X86_ROWS_H
#define HWPMC_X86_ROWS_H

#include "../hwpmc_arch.h"
#include "msr_map.h"

/**
 * x86_rows_up - begin to use this CPU's PMU: stop all counters, clear all overflow flags
 * @counters: global set of those that this CPU has
 *
 * Saves the global control register. Context: interrupts off.
 */
void x86_rows_up(u64 counters);

/**
 * x86_rows_down - stop all counters and end the use of this CPU's PMU
 *
 * Restores the global control register. Context: interrupts off.
 */
void x86_rows_down(void);

/*
 * Operations of struct hwpmc_class. The functions of each kind are separate because the class
 * calls them by pointer and the switch compares these pointers (hwpmc_arch_inline.h).
 */
void x86_rows_in_programmable(struct hwpmc_slot *slots, u64 rows);
void x86_rows_fold_programmable(struct hwpmc_slot *slots, u64 rows);
void x86_rows_in_fixed(struct hwpmc_slot *slots, u64 rows);
void x86_rows_fold_fixed(struct hwpmc_slot *slots, u64 rows);
void x86_rows_overflowed_programmable(struct hwpmc_slot *slots, u64 rows);
void x86_rows_overflowed_fixed(struct hwpmc_slot *slots, u64 rows);

/**
 * x86_rows_stop - stop counters until x86_counter_set_period() or x86_counter_program()
 * @kind: of the counters
 * @rows: set of the counters
 *
 * Context: interrupts off, or NMI.
 */
void x86_rows_stop(enum x86_kind kind, u64 rows);

/**
 * x86_rows_ack - restart those of a set that wrapped and that no context uses
 * @kind: of the counters
 * @rows: set of the counters
 *
 * Context: interrupts off, or NMI.
 */
void x86_rows_ack(enum x86_kind kind, u64 rows);

/**
 * x86_rows_wrapped - find the counters that wrapped and were not restarted since
 *
 * It examines the counters and no overflow flag. Context: interrupts off, or NMI. Return: a
 * global set.
 */
u64 x86_rows_wrapped(void);

/**
 * x86_rows_latent_nmis - number of overflows handled whose NMI may be yet to arrive
 * @when: out: jiffies of the last of them
 *
 * Without overflow flags this is every overflow that was handled, by its own NMI or outside
 * of it. Resets the number to 0. Context: NMI.
 */
unsigned int x86_rows_latent_nmis(unsigned long *when);

#endif /* HWPMC_X86_ROWS_H */
