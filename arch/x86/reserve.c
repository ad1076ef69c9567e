// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: whose the counters are: arbitration with perf and the NMI watchdog.
 *
 * The kernel keeps a bit for each counter's two registers. perf takes them all
 * with its first hardware event and gives them back with the last; the NMI
 * watchdog is such an event. On CPUs with full-width writes perf asks for the
 * selections only; we ask for both by their old addresses, which is what the
 * bits are kept by.
 */
#include <linux/bitops.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <asm/msr-index.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>

#include "reserve.h"

#define X86_PATTERN	0x5a5aa5a5ULL

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

static void x86_reserve_give_first(const struct x86_id *id, unsigned int rows)
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
	x86_reserve_give_first(id, row);
	return false;
}

void x86_reserve_release(const struct x86_id *id)
{
	x86_reserve_give_first(id, fls64(id->programmable));
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

/* The first counter, stopped: nobody uses it. */
static bool x86_reserve_holds(u32 counter, u64 value)
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
		works = x86_reserve_holds(counter, X86_PATTERN) &&
			x86_reserve_holds(counter, ~X86_PATTERN & GENMASK_ULL(30, 0));
		wrmsr_safe(counter, low, high);
	}
	preempt_enable();
	return works;
}
