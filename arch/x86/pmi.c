// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: what an overflow interrupt finds, and whose it is.
 *
 * An NMI does not say where it comes from. Every handler looks for something
 * of its own, and one that nobody knows is reported as "unknown". So ours
 * takes what it finds, and an NMI that finds nothing in two cases only:
 *
 * - Several counters overflowed at once. The first NMI serves all of them, and
 *   one more is latched meanwhile. The kernel drops it when it comes right
 *   behind one that was counted as more than one; we return the number.
 * - Where the CPU keeps no flags, a fold or a stop can deal with an overflow
 *   before its interrupt comes, and so can the interrupt of another one. rows.c
 *   counts all that were dealt with, each NMI that found some is set against
 *   them, and so many more are taken unseen if they come within a tenth of a
 *   second. An NMI may come first and be put off, so the balance may be below 0.
 *
 * A flag may be gone when we come: perf's handler is the first one, and while it
 * traces (Intel PT, BTS) drops every flag that it finds, ours as well. Then the
 * counters themselves are looked at.
 *
 * With a global control register all counters stand while an overflow is
 * served, which is what freezing on interrupt (IA32_DEBUGCTL) does as well:
 * but that register is perf's and the debugger's, so it is left alone; where it
 * is set its flag goes down with the counters' (struct x86_msr_map.still). The
 * local APIC masks the interrupt as it delivers it. It is unmasked when the
 * flags are down and before the counters go on, so that no later overflow is
 * lost. Without that register counters go on, and it is unmasked first.
 */
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/percpu.h>

#include <x86_regs.h>

#include "pmi.h"
#include "rows.h"

/* How often flags are looked at again in one NMI; stopped counters raise none. */
#define X86_PMI_ROUNDS		4
#define X86_PMI_LATE		(HZ / 10)

/**
 * struct x86_pmi - of a CPU
 * @on: NMIs may be ours
 * @before: what the local APIC's entry was: perf's, an NMI as well, or masked
 * @late: NMIs that are taken unseen; below 0: that found what is yet to be dealt with
 * @until: as long as it is not later than this
 */
struct x86_pmi {
	bool on;
	u32 before;
	int late;
	unsigned long until;
};

static DEFINE_PER_CPU(struct x86_pmi, x86_pmis);
static hwpmc_overflow_fn x86_overflow __read_mostly;
static const struct hwpmc_class *x86_class[X86_KINDS] __read_mostly;

void x86_pmi_init(hwpmc_overflow_fn overflow, const struct hwpmc_class *const *classes)
{
	unsigned int kind;

	x86_overflow = overflow;
	for (kind = 0; kind < X86_KINDS; kind++)
		x86_class[kind] = classes[kind];
}

void x86_pmi_enable(void)
{
	struct x86_pmi *pmi = X86_REGS_THIS_CPU(x86_pmis);

	pmi->late = 0;
	/* Before it is on: see x86_pmi_disable(). Nothing counts yet that could have an NMI. */
	pmi->before = x86_regs_claim_pmi();
	WRITE_ONCE(pmi->on, true);
}

static void x86_pmi_report(u64 places, struct pt_regs *regs)
{
	u64 rows[X86_KINDS] = {
		[X86_PROGRAMMABLE] = places & GENMASK_ULL(X86_FIXED_BIT - 1, 0),
		[X86_FIXED] = places >> X86_FIXED_BIT,
	};
	unsigned int kind;

	for (kind = 0; kind < X86_KINDS; kind++)
		if (rows[kind] && x86_class[kind])
			x86_overflow(x86_class[kind], rows[kind], regs);
}

/* All counters stand while it is served. */
static int x86_pmi_frozen(struct pt_regs *regs)
{
	unsigned int round;
	int served = 0;

	for (round = 0; round < X86_PMI_ROUNDS; round++) {
		u64 places = x86_rows_overflowed();

		if (!places && !round)
			places = x86_rows_wrapped();
		if (places)
			x86_pmi_report(places, regs);
		served += hweight64(places);
		x86_regs_unmask_pmi();
		if (!places)
			break;
	}
	return served;
}

/* Counters go on; what wraps after its look gets an NMI of its own. */
static int x86_pmi_running(struct pt_regs *regs)
{
	u64 places;

	x86_regs_unmask_pmi();
	places = x86_rows_overflowed();
	if (places)
		x86_pmi_report(places, regs);
	return hweight64(places);
}

/* So many more NMIs (or fewer, below 0) are to be taken unseen, as of @when. */
static void x86_pmi_expect(struct x86_pmi *pmi, int late, unsigned long when)
{
	if (!late || time_after(x86_regs_jiffies(), when + X86_PMI_LATE))
		return;
	if (time_after(when, pmi->until))
		pmi->late = 0;
	pmi->late = clamp(pmi->late + late, -X86_MAX_PROGRAMMABLE, X86_MAX_PROGRAMMABLE);
	pmi->until = when + X86_PMI_LATE;
}

/* What was dealt with since the last look. */
static void x86_pmi_collect(struct x86_pmi *pmi)
{
	unsigned long when;
	unsigned int late = x86_rows_latent_nmis(&when);

	x86_pmi_expect(pmi, late, when);
}

static bool x86_pmi_expected(struct x86_pmi *pmi)
{
	if (time_after(x86_regs_jiffies(), pmi->until) || pmi->late <= 0)
		return false;
	pmi->late--;
	return true;
}

void x86_pmi_disable(void)
{
	struct x86_pmi *pmi = X86_REGS_THIS_CPU(x86_pmis);

	/* In this order: an NMI that finds it on unmasks the entry. */
	WRITE_ONCE(pmi->on, false);
	x86_regs_restore_pmi(pmi->before);
}

int x86_pmi_handle(struct pt_regs *regs)
{
	struct x86_pmi *pmi = X86_REGS_THIS_CPU(x86_pmis);
	int served, late;

	/* Also of what went down: its NMI may be on its way. */
	x86_pmi_collect(pmi);
	if (!READ_ONCE(pmi->on))
		return x86_pmi_expected(pmi);
	if (x86_rows_freeze()) {
		served = x86_pmi_frozen(regs);
		x86_rows_unfreeze();
		/* One more may be latched. */
		late = served > 1 ? served - 1 : 0;
	} else {
		served = x86_pmi_running(regs);
		x86_pmi_collect(pmi);
		/* This one is of one of them. */
		late = served ? -1 : 0;
	}
	x86_pmi_expect(pmi, late, x86_regs_jiffies());
	if (served)
		return served;
	if (!x86_pmi_expected(pmi))
		return 0;
	x86_overflow(x86_class[X86_PROGRAMMABLE], 0, regs);
	return 1;
}
