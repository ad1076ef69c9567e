// SPDX-License-Identifier: GPL-2.0-only
/* x86: where the registers of a flavour are. Pure: see msr_map.h. */
#include <linux/minmax.h>

#include "intel_model.h"
#include "msr_map.h"
#include "event_select.h"

#define INTEL_MSR_PMC0		0x0c1	/* IA32_PMC0: takes 32 bits, sign-extended */
#define INTEL_MSR_A_PMC0	0x4c1	/* IA32_A_PMC0: the same counter, all bits */
#define INTEL_MSR_PERFEVTSEL0	0x186
#define INTEL_MSR_FIXED_CTR0	0x309
#define INTEL_MSR_GLOBAL_STATUS	0x38e
#define INTEL_MSR_GLOBAL_CTRL	0x38f
#define INTEL_MSR_GLOBAL_ACK	0x390	/* OVF_CTRL; STATUS_RESET from version 4 on */

/* IA32_PERF_GLOBAL_STATUS, from version 4 on */
#define INTEL_LBR_FROZEN	BIT_ULL(58)
#define INTEL_COUNTERS_FROZEN	BIT_ULL(59)

#define AMD_MSR_K7_PERFEVTSEL0	0xc0010000
#define AMD_MSR_K7_PERFCTR0	0xc0010004
#define AMD_MSR_PERF_CTL0	0xc0010200
#define AMD_MSR_PERF_CTR0	0xc0010201
#define AMD_MSR_GLOBAL_STATUS	0xc0000300
#define AMD_MSR_GLOBAL_CTL	0xc0000301
#define AMD_MSR_GLOBAL_ACK	0xc0000302

/*
 * Where only 32 bits can be written, bit 31 is copied upwards: what can be
 * written with the top bit are the last 2^31 values.
 */
static void x86_msr_map_width(struct x86_counter_regs *span, unsigned int width, bool wide)
{
	span->mask = GENMASK_ULL(width - 1, 0);
	span->top = BIT_ULL(width - 1);
	span->floor = wide ? span->top : (span->mask & ~GENMASK_ULL(30, 0));
}

/* Some CPUs do not take an overflow at the very next event well, and some need more. */
static void x86_msr_map_min_period(struct x86_min_period *least, u32 cores)
{
	*least = (struct x86_min_period){ .left = 2 };
	if (cores & (INTEL_NHM | INTEL_HSW))
		least->left = 32;
	if (!(cores & (INTEL_HSW | INTEL_BDW)))
		return;
	/* Errata HSW11, BDM11 and BDM55: INST_RETIRED.PREC_DIST. */
	least->odd = 0x01c0;
	least->odd_left = 128;
	least->odd_grain = cores & INTEL_BDW ? 64 : 1;
}

static void x86_msr_map_intel(struct x86_msr_map *layout, const struct x86_id *id)
{
	struct x86_counter_regs *span = &layout->span[X86_PROGRAMMABLE];
	struct x86_counter_regs *fixed = &layout->span[X86_FIXED];

	span->counter = id->wide ? INTEL_MSR_A_PMC0 : INTEL_MSR_PMC0;
	span->select = INTEL_MSR_PERFEVTSEL0;
	span->step = 1;
	x86_msr_map_width(fixed, id->fixed_width, id->wide);
	fixed->counter = INTEL_MSR_FIXED_CTR0;
	fixed->step = 1;
	if (id->version < 2)
		return;
	layout->global_ctl = INTEL_MSR_GLOBAL_CTRL;
	layout->global_status = INTEL_MSR_GLOBAL_STATUS;
	layout->global_ack = INTEL_MSR_GLOBAL_ACK;
	layout->settle = (id->cores & (INTEL_NHM | INTEL_WSM)) && !(~id->programmable & 0xf);
	if (id->version < 4)
		return;
	layout->frozen = INTEL_LBR_FROZEN | INTEL_COUNTERS_FROZEN;
	layout->still = INTEL_COUNTERS_FROZEN;
}

static void x86_msr_map_amd(struct x86_msr_map *layout, const struct x86_id *id)
{
	struct x86_counter_regs *span = &layout->span[X86_PROGRAMMABLE];
	bool k7 = id->flavour == X86_AMD_K7;

	span->counter = k7 ? AMD_MSR_K7_PERFCTR0 : AMD_MSR_PERF_CTR0;
	span->select = k7 ? AMD_MSR_K7_PERFEVTSEL0 : AMD_MSR_PERF_CTL0;
	span->step = k7 ? 1 : 2;
	if (id->flavour != X86_AMD_V2)
		return;
	layout->global_ctl = AMD_MSR_GLOBAL_CTL;
	layout->global_status = AMD_MSR_GLOBAL_STATUS;
	layout->global_ack = AMD_MSR_GLOBAL_ACK;
}

void x86_msr_map_init(struct x86_msr_map *layout, const struct x86_id *id)
{
	*layout = (struct x86_msr_map){};
	if (id->flavour == X86_NONE)
		return;
	x86_msr_map_width(&layout->span[X86_PROGRAMMABLE], id->width, id->wide);
	x86_msr_map_min_period(&layout->least, id->cores);
	if (id->flavour == X86_INTEL)
		x86_msr_map_intel(layout, id);
	else
		x86_msr_map_amd(layout, id);
}

u64 x86_msr_map_limit_period(const struct x86_msr_map *layout, enum x86_kind kind, u64 select,
			s64 left)
{
	const struct x86_min_period *least = &layout->least;
	const struct x86_counter_regs *span = &layout->span[kind];
	bool odd = least->odd && (select & (X86_SEL_EVENT | X86_SEL_UMASK)) == least->odd;
	u64 distance = max_t(s64, left, odd ? least->odd_left : least->left);

	distance = min(distance, span->mask - span->floor + 1);
	return odd ? distance & ~(least->odd_grain - 1ULL) : distance;
}
