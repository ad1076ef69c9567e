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
 *   before its interrupt comes. rows.c counts these; so many NMIs are taken
 *   unseen if they come within a tenth of a second.
 *
 * A flag may be gone when we come: perf's handler is the first one, and while it
 * traces (Intel PT, BTS) drops every flag that it finds, ours as well. Then the
 * counters themselves are looked at.
 *
 * With a global control register all counters stand while an overflow is
 * served, which is what freezing on interrupt (IA32_DEBUGCTL) does as well:
 * but that register is perf's and the debugger's, so it is left alone. The
 * local APIC masks the interrupt as it delivers it. It is unmasked when the
 * flags are down and before the counters go on, so that no later overflow is
 * lost. Without that register counters go on, and it is unmasked first.
 */
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/percpu.h>

#ifdef HWPMC_FAKE_REGS
#include "../../kunit/fake_x86_regs.h"
#else
#include "regs.h"
#endif
#include "pmi.h"
#include "rows.h"

/* How often flags are looked at again in one NMI; stopped counters raise none. */
#define X86_PMI_ROUNDS		4
#define X86_PMI_LATE		(HZ / 10)

/**
 * struct x86_pmi - of a CPU
 * @on: NMIs may be ours
 * @late: NMIs that are taken unseen
 * @until: as long as it is not later than this
 */
struct x86_pmi {
	bool on;
	unsigned int late;
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

void x86_pmi_on(void)
{
	struct x86_pmi *pmi = X86_THIS(x86_pmis);

	pmi->late = 0;
	WRITE_ONCE(pmi->on, true);
}

static void x86_pmi_report(u64 places, struct pt_regs *regs)
{
	u64 rows[X86_KINDS] = {
		[X86_PROGRAMMABLE] = places & GENMASK_ULL(X86_FIXED_PLACE - 1, 0),
		[X86_FIXED] = places >> X86_FIXED_PLACE,
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
		x86_unmask_pmi();
		if (!places)
			break;
	}
	return served;
}

/* Counters go on; what wraps after its look gets an NMI of its own. */
static int x86_pmi_running(struct pt_regs *regs)
{
	u64 places;

	x86_unmask_pmi();
	places = x86_rows_overflowed();
	if (places)
		x86_pmi_report(places, regs);
	return hweight64(places);
}

/* Overflows that were dealt with outside since the last NMI. */
static void x86_pmi_expect(struct x86_pmi *pmi, unsigned int late)
{
	if (!late)
		return;
	pmi->late = min_t(unsigned int, pmi->late + late, X86_MAX_PROGRAMMABLE);
	pmi->until = x86_now() + X86_PMI_LATE;
}

static bool x86_pmi_expected(struct x86_pmi *pmi)
{
	if (time_after(x86_now(), pmi->until))
		pmi->late = 0;
	if (!pmi->late)
		return false;
	pmi->late--;
	return true;
}

void x86_pmi_off(void)
{
	struct x86_pmi *pmi = X86_THIS(x86_pmis);

	WRITE_ONCE(pmi->on, false);
	x86_pmi_expect(pmi, x86_rows_late());
}

int x86_pmi_serve(struct pt_regs *regs)
{
	struct x86_pmi *pmi = X86_THIS(x86_pmis);
	int served;

	if (!READ_ONCE(pmi->on))
		return x86_pmi_expected(pmi);
	x86_pmi_expect(pmi, x86_rows_late());
	if (x86_rows_freeze()) {
		served = x86_pmi_frozen(regs);
		x86_rows_thaw();
	} else {
		served = x86_pmi_running(regs);
	}
	/* What was folded just now had its NMI: this one. Others may be latched. */
	x86_rows_late();
	if (served > 1)
		x86_pmi_expect(pmi, served - 1);
	if (served)
		return served;
	if (!x86_pmi_expected(pmi))
		return 0;
	x86_overflow(x86_class[X86_PROGRAMMABLE], 0, regs);
	return 1;
}
