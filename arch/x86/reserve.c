// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: reservation of the counters against perf and the NMI watchdog.
 *
 * The kernel has a reservation bit for each register of each counter. perf reserves all of them
 * with its first hardware event and releases them with the last; the NMI watchdog is such an
 * event. On CPUs with full-width writes perf reserves the event selects only. hwpmc reserves
 * both, by the counters' original addresses, since the kernel computes the bits from these.
 */
#include <linux/bitops.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <asm/msr-index.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>

#include "reserve.h"

/* A value of 31 bits, so that sign extension does not change it */
#define X86_RESERVE_PATTERN	0x5a5aa5a5ULL

static u32 x86_reserve_counter(const struct x86_id *id, unsigned int row)
{
	switch (id->flavour) {
	case X86_INTEL:
		return MSR_ARCH_PERFMON_PERFCTR0 + row;
	case X86_AMD_K7:
		return MSR_K7_PERFCTR0 + row;
	default:
		return MSR_F15H_PERF_CTR + 2 * row;
	}
}

static u32 x86_reserve_select(const struct x86_id *id, unsigned int row)
{
	switch (id->flavour) {
	case X86_INTEL:
		return MSR_ARCH_PERFMON_EVENTSEL0 + row;
	case X86_AMD_K7:
		return MSR_K7_EVNTSEL0 + row;
	default:
		return MSR_F15H_PERF_CTL + 2 * row;
	}
}

static void x86_reserve_release_first(const struct x86_id *id, unsigned int rows)
{
	while (rows--) {
		release_evntsel_nmi(x86_reserve_select(id, rows));
		release_perfctr_nmi(x86_reserve_counter(id, rows));
	}
}

bool x86_reserve_claim(const struct x86_id *id)
{
	unsigned int row, rows = fls64(id->programmable);

	for (row = 0; row < rows; row++) {
		if (!reserve_perfctr_nmi(x86_reserve_counter(id, row)))
			break;
		if (!reserve_evntsel_nmi(x86_reserve_select(id, row))) {
			release_perfctr_nmi(x86_reserve_counter(id, row));
			break;
		}
	}
	if (row == rows)
		return true;
	x86_reserve_release_first(id, row);
	return false;
}

void x86_reserve_release(const struct x86_id *id)
{
	x86_reserve_release_first(id, fls64(id->programmable));
}

bool x86_reserve_available(const struct x86_id *id)
{
	u32 select = x86_reserve_select(id, 0);
	unsigned long flags;
	bool free;

	if (!id->programmable)
		return true;
	local_irq_save(flags);
	free = reserve_evntsel_nmi(select);
	if (free)
		release_evntsel_nmi(select);
	local_irq_restore(flags);
	return free;
}

/* The counter is stopped. */
static bool x86_reserve_retains(u32 counter, u64 value)
{
	u32 low, high;

	return !wrmsr_safe(counter, (u32)value, 0) && !rdmsr_safe(counter, &low, &high) &&
	       low == (u32)value;
}

bool x86_reserve_test(const struct x86_id *id)
{
	u32 counter = x86_reserve_counter(id, 0), select = x86_reserve_select(id, 0), low, high;
	bool works = false;

	preempt_disable();
	if (!rdmsr_safe(counter, &low, &high) && !wrmsr_safe(select, 0, 0)) {
		works = x86_reserve_retains(counter, X86_RESERVE_PATTERN) &&
			x86_reserve_retains(counter, ~X86_RESERVE_PATTERN & GENMASK_ULL(30, 0));
		wrmsr_safe(counter, low, high);
	}
	preempt_enable();
	return works;
}
