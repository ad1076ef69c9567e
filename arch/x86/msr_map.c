// SPDX-License-Identifier: GPL-2.0-only
/* x86: addresses and limits of the counter registers of a CPU. Pure: see msr_map.h. */
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
#define INTEL_MSR_GLOBAL_ACK	0x390	/* OVF_CTRL; from version 4 STATUS_RESET */

/* IA32_PERF_GLOBAL_STATUS, version 4 and later */
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
 * Writes of 32 bits are sign-extended from bit 31: with the top bit set, only the last 2^31
 * values can be written.
 */
static void x86_msr_map_width(struct x86_counter_regs *regs, unsigned int width, bool wide)
{
	regs->mask = GENMASK_ULL(width - 1, 0);
	regs->top_bit = BIT_ULL(width - 1);
	regs->min_start = wide ? regs->top_bit : (regs->mask & ~GENMASK_ULL(30, 0));
}

/* No counter is set to overflow at the very next event; some CPUs need still longer periods. */
static void x86_msr_map_min_period(struct x86_min_period *min_period, u32 cores)
{
	*min_period = (struct x86_min_period){ .events = 2 };
	if (cores & (INTEL_NHM | INTEL_HSW))
		min_period->events = 32;
	if (!(cores & (INTEL_HSW | INTEL_BDW)))
		return;
	/* Errata HSW11, BDM11 and BDM55: INST_RETIRED.PREC_DIST. */
	min_period->quirk_event = 0x01c0;
	min_period->quirk_events = 128;
	min_period->quirk_multiple = cores & INTEL_BDW ? 64 : 1;
}

static void x86_msr_map_intel(struct x86_msr_map *map, const struct x86_id *id)
{
	struct x86_counter_regs *regs = &map->regs[X86_PROGRAMMABLE];
	struct x86_counter_regs *fixed = &map->regs[X86_FIXED];

	regs->counter = id->wide ? INTEL_MSR_A_PMC0 : INTEL_MSR_PMC0;
	regs->select = INTEL_MSR_PERFEVTSEL0;
	regs->step = 1;
	x86_msr_map_width(fixed, id->fixed_width, id->wide);
	fixed->counter = INTEL_MSR_FIXED_CTR0;
	fixed->step = 1;
	if (id->version < 2)
		return;
	map->global_ctl = INTEL_MSR_GLOBAL_CTRL;
	map->global_status = INTEL_MSR_GLOBAL_STATUS;
	map->global_ack = INTEL_MSR_GLOBAL_ACK;
	map->nehalem_workaround = (id->cores & (INTEL_NHM | INTEL_WSM)) &&
				  !(~id->programmable & 0xf);
	if (id->version < 4)
		return;
	map->freeze_flags = INTEL_LBR_FROZEN | INTEL_COUNTERS_FROZEN;
	map->counters_frozen = INTEL_COUNTERS_FROZEN;
}

static void x86_msr_map_amd(struct x86_msr_map *map, const struct x86_id *id)
{
	struct x86_counter_regs *regs = &map->regs[X86_PROGRAMMABLE];
	bool k7 = id->flavour == X86_AMD_K7;

	regs->counter = k7 ? AMD_MSR_K7_PERFCTR0 : AMD_MSR_PERF_CTR0;
	regs->select = k7 ? AMD_MSR_K7_PERFEVTSEL0 : AMD_MSR_PERF_CTL0;
	regs->step = k7 ? 1 : 2;
	if (id->flavour != X86_AMD_V2)
		return;
	map->global_ctl = AMD_MSR_GLOBAL_CTL;
	map->global_status = AMD_MSR_GLOBAL_STATUS;
	map->global_ack = AMD_MSR_GLOBAL_ACK;
}

void x86_msr_map_init(struct x86_msr_map *map, const struct x86_id *id)
{
	*map = (struct x86_msr_map){};
	if (id->flavour == X86_NONE)
		return;
	x86_msr_map_width(&map->regs[X86_PROGRAMMABLE], id->width, id->wide);
	x86_msr_map_min_period(&map->min_period, id->cores);
	if (id->flavour == X86_INTEL)
		x86_msr_map_intel(map, id);
	else
		x86_msr_map_amd(map, id);
}

u64 x86_msr_map_limit_period(const struct x86_msr_map *map, enum x86_kind kind, u64 select,
			     s64 left)
{
	const struct x86_min_period *min_period = &map->min_period;
	const struct x86_counter_regs *regs = &map->regs[kind];
	bool quirk = min_period->quirk_event &&
		     (select & (X86_SEL_EVENT | X86_SEL_UMASK)) == min_period->quirk_event;
	u64 period = max_t(s64, left, quirk ? min_period->quirk_events : min_period->events);

	period = min(period, regs->mask - regs->min_start + 1);
	return quirk ? period & ~(min_period->quirk_multiple - 1ULL) : period;
}
