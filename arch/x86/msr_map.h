/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: where the registers of a flavour are. Pure.
 *
 * SDM volume 4, "IA-32 Architectural MSRs"; APM volume 2, appendix A.
 *
 * A place is a counter's bit in the global registers: programmable ones from
 * 0, Intel's fixed ones from 32.
 */
#ifndef HWPMC_X86_MSR_MAP_H
#define HWPMC_X86_MSR_MAP_H

#include <linux/bits.h>
#include <linux/minmax.h>

#include "id.h"

#define X86_FIXED_BIT		32

/* RDPMC takes a programmable counter by its row, a fixed one by its row and this bit. */
#define X86_RDPMC_FIXED		BIT(30)

#define INTEL_MSR_FIXED_CTL	0x38d	/* IA32_FIXED_CTR_CTRL */

enum x86_kind { X86_PROGRAMMABLE, X86_FIXED, X86_KINDS };

/**
 * struct x86_counter_regs - the counters of one kind
 * @mask: of a counter's bits
 * @top: the highest of them
 * @floor: the lowest value with @top that can be written
 * @counter: the MSR of row 0
 * @select: likewise; 0 where one register has all of the kind
 * @step: from one row's MSR to the next's
 */
struct x86_counter_regs {
	u64 mask;
	u64 top;
	u64 floor;
	u32 counter;
	u32 select;
	u32 step;
};

/**
 * struct x86_min_period - how near an overflow the CPU takes well
 * @left: events, at least
 * @odd: an event and unit mask that needs more, or 0
 * @odd_left: how many, at least
 * @odd_grain: it is aimed a multiple of this away, a power of two
 */
struct x86_min_period {
	unsigned int left;
	unsigned int odd;
	unsigned int odd_left;
	unsigned int odd_grain;
};

/**
 * struct x86_msr_map - the registers of all counters
 * @span: by enum x86_kind
 * @least: for aiming
 * @global_ctl: runs and stops all counters at once; 0 where that does not exist
 * @global_status: which overflowed; likewise
 * @global_ack: and drops these flags; likewise
 * @settle: a new selection takes x86_nehalem_workaround_apply()
 * @frozen: flags that keep counters or branch records still until they are dropped
 * @still: that of counters
 */
struct x86_msr_map {
	struct x86_counter_regs span[X86_KINDS];
	struct x86_min_period least;
	u32 global_ctl;
	u32 global_status;
	u32 global_ack;
	bool settle;
	u64 frozen;
	u64 still;
};

static inline u32 x86_msr_map_counter(const struct x86_counter_regs *span, unsigned int row)
{
	return span->counter + row * span->step;
}

static inline u32 x86_msr_map_select(const struct x86_counter_regs *span, unsigned int row)
{
	return span->select + row * span->step;
}

/* The start value that is nearest to what was asked for. */
static inline u64 x86_msr_map_clip(const struct x86_counter_regs *span, u64 value)
{
	return max(value & span->mask, span->floor);
}

/** x86_msr_map_init - where the registers of @id are */
void x86_msr_map_init(struct x86_msr_map *layout, const struct x86_id *id);

/**
 * x86_msr_map_limit_period - how far away the next overflow is put
 * @layout: of the machine
 * @kind: the counter's
 * @select: what it counts
 * @left: events that there should be; below zero if it was due before
 *
 * One that comes too early or too late changes no sum: the next is aimed by
 * what is due. Context: any.
 */
u64 x86_msr_map_limit_period(const struct x86_msr_map *layout, enum x86_kind kind, u64 select,
			s64 left);

#endif /* HWPMC_X86_MSR_MAP_H */
