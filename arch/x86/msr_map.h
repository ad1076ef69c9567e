/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: addresses and limits of the counter registers of a CPU. Pure functions.
 *
 * SDM volume 4, "IA-32 Architectural MSRs"; APM volume 2, appendix A.
 */
#ifndef HWPMC_X86_MSR_MAP_H
#define HWPMC_X86_MSR_MAP_H

#include <linux/bits.h>
#include <linux/minmax.h>

#include "id.h"

/* First fixed counter in the global registers; programmable ones begin at bit 0. */
#define X86_FIXED_BIT		32

/* In RDPMC's index: a fixed counter, not a programmable one (SDM volume 2, RDPMC). */
#define X86_RDPMC_FIXED		BIT(30)

#define INTEL_MSR_FIXED_CTL	0x38d	/* IA32_FIXED_CTR_CTRL */

enum x86_kind { X86_PROGRAMMABLE, X86_FIXED, X86_KINDS };

/**
 * struct x86_counter_regs - the registers of the counters of one kind
 * @mask: bits that a counter has
 * @top_bit: the highest of them
 * @min_start: the lowest value with @top_bit that can be written
 * @counter: MSR of row 0
 * @select: MSR of row 0's event select; 0 if all counters of the kind share a control register
 * @step: distance of one row's MSR to the next one's
 */
struct x86_counter_regs {
	u64 mask;
	u64 top_bit;
	u64 min_start;
	u32 counter;
	u32 select;
	u32 step;
};

/**
 * struct x86_min_period - the shortest periods that the CPU handles correctly
 * @events: for most events
 * @quirk_event: event and unit mask that needs a longer one, or 0
 * @quirk_events: its shortest period
 * @quirk_multiple: its period must be a multiple of this, a power of two
 */
struct x86_min_period {
	unsigned int events;
	unsigned int quirk_event;
	unsigned int quirk_events;
	unsigned int quirk_multiple;
};

/**
 * struct x86_msr_map - the registers of all counters
 * @regs: by enum x86_kind
 * @min_period: the shortest periods
 * @global_ctl: starts and stops all counters at once; 0 if there is none
 * @global_status: overflow flags; 0 if there is none
 * @global_ack: clears overflow flags; 0 if there is none
 * @nehalem_workaround: a new selection needs x86_nehalem_workaround_apply()
 * @freeze_flags: flags in @global_status that stop counters or branch records until cleared
 * @counters_frozen: the one of @freeze_flags that stops counters
 */
struct x86_msr_map {
	struct x86_counter_regs regs[X86_KINDS];
	struct x86_min_period min_period;
	u32 global_ctl;
	u32 global_status;
	u32 global_ack;
	bool nehalem_workaround;
	u64 freeze_flags;
	u64 counters_frozen;
};

/** x86_msr_map_counter - MSR of a counter */
static inline u32 x86_msr_map_counter(const struct x86_counter_regs *regs, unsigned int row)
{
	return regs->counter + row * regs->step;
}

/** x86_msr_map_select - MSR of a counter's event select */
static inline u32 x86_msr_map_select(const struct x86_counter_regs *regs, unsigned int row)
{
	return regs->select + row * regs->step;
}

/** x86_msr_map_clip - the start value nearest to @value that can be written */
static inline u64 x86_msr_map_clip(const struct x86_counter_regs *regs, u64 value)
{
	return max(value & regs->mask, regs->min_start);
}

/**
 * x86_msr_map_init - fill in the registers of a CPU
 * @map: out; zeroed for a CPU without a known PMU
 * @id: the CPU
 */
void x86_msr_map_init(struct x86_msr_map *map, const struct x86_id *id);

/**
 * x86_msr_map_limit_period - number of events to the next overflow
 * @map: of the machine
 * @kind: of the counter
 * @select: its event select value
 * @left: number of events wanted; below 0 if the overflow is overdue
 *
 * An overflow that is too early or too late changes no sum: the next period is computed from
 * the sum. Context: any. Return: at least the CPU's shortest period, at most what the counter
 * can count.
 */
u64 x86_msr_map_limit_period(const struct x86_msr_map *map, enum x86_kind kind, u64 select,
			     s64 left);

#endif /* HWPMC_X86_MSR_MAP_H */
