/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: one counter of this CPU: select, start, stop, set its period, restart it after a
 * wrap. See counter.c for why a counter restarts.
 */
#ifndef HWPMC_X86_COUNTER_H
#define HWPMC_X86_COUNTER_H

#include <linux/percpu-defs.h>

#include "../hwpmc_arch.h"
#include "msr_map.h"

/**
 * struct x86_counter_setting - what x86_counter_program() writes
 * @select: the event select value without its enable and interrupt bits; of a fixed
 *	counter its four control bits
 * @extra_msr: another register that @select needs, or 0
 * @extra: the value of @extra_msr
 */
struct x86_counter_setting {
	u64 select;
	u32 extra_msr;
	u64 extra;
};

/**
 * struct x86_counter_state - what was written to one CPU's counter registers
 * @present: set of the counters that this CPU has, by bit of the global registers; 0 while hwpmc
 *	does not own the PMU, and if the global control register cannot be written
 * @global_ctl: value of the global control register outside an overflow interrupt
 * @saved_global_ctl: value of the global control register before x86_rows_up()
 * @select: event select value by kind and row: 0 if the counter is not programmed, without
 *	X86_SEL_EN while it is stopped. For a fixed counter its control bits and a software
 *	X86_SEL_EN
 * @fixed_ctl: IA32_FIXED_CTR_CTRL
 * @enabled: overflow NMIs are accepted; see pmi.c
 * @frozen: an overflow interrupt has stopped all counters through the global control register
 * @latent_nmis: overflows handled since the last x86_rows_latent_nmis() whose NMI may be
 *	yet to arrive
 * @latent_time: jiffies when @latent_nmis grew last
 */
struct x86_counter_state {
	u64 present;
	u64 global_ctl;
	u64 saved_global_ctl;
	u64 select[X86_KINDS][X86_MAX_PROGRAMMABLE];
	u64 fixed_ctl;
	bool enabled;
	bool frozen;
	unsigned int latent_nmis;
	unsigned long latent_time;
};

DECLARE_PER_CPU(struct x86_counter_state, x86_counter_states);

/* Set once by x86_counter_init(), read at every switch */
extern struct x86_msr_map x86_counter_map;

/**
 * x86_counter_init - set the register addresses of this machine
 * @map: copied
 *
 * Context: once, before any other function of this file.
 */
void x86_counter_init(const struct x86_msr_map *map);

/**
 * x86_counter_try_write - write a register that may refuse the value
 * @msr: its address
 * @value: new value
 *
 * The first refused write is logged. Context: any, NMI included. Return: whether the CPU
 * accepted it.
 */
bool x86_counter_try_write(u32 msr, u64 value);

/** x86_counter_refused - number of writes that a CPU refused since the module was loaded */
unsigned long x86_counter_refused(void);

/**
 * x86_counter_add_latent - account overflows whose NMI may arrive later and find nothing
 * @state: of this CPU
 * @count: how many
 *
 * Context: interrupts off, or NMI.
 */
void x86_counter_add_latent(struct x86_counter_state *state, unsigned int count);

/**
 * x86_counter_program - select an event and start the counter
 * @kind: of the counter
 * @row: of the counter
 * @set: what to write
 * @value: first value; one that cannot be written is replaced by the nearest that can
 *
 * A refused write leaves the counter stopped. Context: interrupts off.
 */
void x86_counter_program(enum x86_kind kind, unsigned int row,
			 const struct x86_counter_setting *set, u64 value);

/**
 * x86_counter_set_period - fold a counter, then run it until its next sample is due
 * @kind: of the counter
 * @slots: of the context on this CPU
 * @row: of the counter
 * @due: value of the slot's sum at which it is to overflow
 * @put_off: if the sum is past that, see hwpmc_aim_left()
 *
 * Context: interrupts off, or NMI. Return: number of events to the overflow, as limited by
 * x86_msr_map_limit_period().
 */
u64 x86_counter_set_period(enum x86_kind kind, struct hwpmc_slot *slots, unsigned int row,
			   u64 due, u64 put_off);

/**
 * x86_counter_stop - stop a counter, keep its selection
 * @state: of this CPU
 * @kind: of the counter
 * @row: of the counter
 *
 * An overflow flag stays set for its interrupt. Context: interrupts off, or NMI.
 */
void x86_counter_stop(struct x86_counter_state *state, enum x86_kind kind, unsigned int row);

/**
 * x86_counter_clear - stop a counter and drop its selection
 * @kind: of the counter
 * @row: of the counter
 *
 * Context: interrupts off, or NMI.
 */
void x86_counter_clear(enum x86_kind kind, unsigned int row);

/**
 * x86_counter_restart_unused - restart a wrapped counter that no context uses
 * @kind: of the counter
 * @row: of the counter
 *
 * Context: interrupts off, or NMI. Return: the value it restarts from.
 */
u64 x86_counter_restart_unused(enum x86_kind kind, unsigned int row);

/**
 * x86_counter_restart_in - restart those of a set that wrapped before schedule in
 * @slots: of the context that is scheduled in; the starts were just read
 * @kind: of the counters
 * @rows: the set
 *
 * Context: interrupts off.
 */
void x86_counter_restart_in(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows);

/**
 * x86_counter_restart_fold - restart those of a set that wrapped, without loss to the sums
 * @slots: of the context on this CPU; they were just folded
 * @kind: of the counters
 * @rows: the set
 *
 * Context: interrupts off, or NMI.
 */
void x86_counter_restart_fold(struct hwpmc_slot *slots, enum x86_kind kind, u64 rows);

#endif /* HWPMC_X86_COUNTER_H */
