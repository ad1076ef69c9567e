// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: the overflow NMI: find the overflowed counters, and determine whether the NMI belongs to
 * hwpmc. Called by the kernel's NMI code through nmi.c.
 *
 * An NMI does not identify its source. Every handler checks its own device, and the kernel
 * reports an NMI that no handler claims as "unknown". So ours claims an NMI if it finds an
 * overflow, and otherwise in two cases only:
 *
 * - Several counters overflowed at once. The first NMI handles all of them, and one more is
 *   latched meanwhile. The kernel drops an NMI that directly follows one for which a handler
 *   returned more than 1, so we return the number of overflows.
 * - On CPUs without overflow flags, a fold or a stop can handle an overflow before its NMI
 *   arrives, and so can the NMI of another counter. counter.c counts the overflows handled; each
 *   NMI that found some is subtracted; the balance is the number of latent NMIs, which are
 *   claimed if they arrive within a tenth of a second. An NMI may also be handled before its
 *   overflow is counted, so the balance can be negative.
 *
 * An overflow flag may already be clear: perf's handler runs first, and while perf traces (Intel
 * PT, BTS) it clears every flag that it finds, ours included. Then the counters themselves are
 * examined.
 *
 * With a global control register, all counters are stopped while an overflow is handled. Freeze on
 * interrupt (IA32_DEBUGCTL) would do the same, but perf and debuggers own that register, so it
 * is left alone; where it is enabled, its flag is cleared with the counters' flags (struct
 * x86_msr_map.counters_frozen). The local APIC masks the interrupt on delivery. It is unmasked
 * after the flags are cleared and before the counters restart, so that no later overflow is
 * lost. Without a global control register the counters keep running, and it is unmasked first.
 */
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/percpu.h>

#include <x86_regs.h>

#include "counter.h"
#include "overflow.h"
#include "pmi.h"
#include "rows.h"

/* Limit of rounds in one NMI; stopped counters set no new flags */
#define X86_PMI_ROUNDS		4
/* How long a latent NMI may take to arrive */
#define X86_PMI_LATENCY		(HZ / 10)

/**
 * struct x86_pmi - state of one CPU
 * @saved_lvtpc: the local APIC's entry before x86_pmi_enable(): perf's NMI, or masked
 * @latent: latent NMIs: to claim although they find no overflow; below 0: NMIs that were
 *	handled before their overflow was counted
 * @latent_until: @latent is valid up to this time, in jiffies
 */
struct x86_pmi {
	u32 saved_lvtpc;
	int latent;
	unsigned long latent_until;
};

static DEFINE_PER_CPU(struct x86_pmi, x86_pmis);
static hwpmc_overflow_fn x86_pmi_overflow __read_mostly;
static void (*x86_pmi_end)(u64 begun) __read_mostly;
static const struct hwpmc_class *x86_pmi_class[X86_KINDS] __read_mostly;

void x86_pmi_init(const struct hwpmc_overflow_ops *ops, const struct hwpmc_class *const *classes)
{
	unsigned int kind;

	x86_pmi_overflow = ops->overflow;
	x86_pmi_end = ops->end;
	for (kind = 0; kind < X86_KINDS; kind++)
		x86_pmi_class[kind] = classes[kind];
}

void x86_pmi_enable(void)
{
	struct x86_counter_state *state = X86_REGS_THIS_CPU(x86_counter_states);
	struct x86_pmi *pmi = X86_REGS_THIS_CPU(x86_pmis);

	pmi->latent = 0;
	/*
	 * The entry is written before @enabled: see x86_pmi_disable(). No counter runs here, so no
	 * NMI is missed.
	 */
	pmi->saved_lvtpc = x86_regs_claim_pmi();
	WRITE_ONCE(state->enabled, state->present);
}

/* A kind without a class has no counters. */
static __always_inline void x86_pmi_report(u64 counters, struct pt_regs *regs)
{
	if (counters & GENMASK_ULL(X86_FIXED_BIT - 1, 0))
		x86_pmi_overflow(x86_pmi_class[X86_PROGRAMMABLE],
				 counters & GENMASK_ULL(X86_FIXED_BIT - 1, 0), regs);
	if (counters >> X86_FIXED_BIT)
		x86_pmi_overflow(x86_pmi_class[X86_FIXED], counters >> X86_FIXED_BIT, regs);
}

/* With a global control register: all counters are stopped. */
static __always_inline int x86_pmi_handle_frozen(struct x86_counter_state *state,
						 struct pt_regs *regs)
{
	unsigned int round;
	int handled = 0;

	for (round = 0; round < X86_PMI_ROUNDS; round++) {
		u64 counters = x86_overflow_flagged(state);

		if (unlikely(!counters) && !round)
			counters = x86_rows_wrapped();
		if (counters)
			x86_pmi_report(counters, regs);
		handled += hweight64(counters);
		x86_regs_unmask_pmi();
		if (!counters)
			break;
	}
	return handled;
}

/*
 * Without a global control register: a counter that overflows after it was examined raises an NMI
 * of its own.
 */
static int x86_pmi_handle_running(struct x86_counter_state *state, struct pt_regs *regs)
{
	u64 counters;

	x86_regs_unmask_pmi();
	counters = x86_overflow_find(state);
	if (counters)
		x86_pmi_report(counters, regs);
	return hweight64(counters);
}

/* Add @count, which may be negative, to the latent NMIs. @when: time of their overflow. */
static void x86_pmi_add_latent(struct x86_pmi *pmi, int count, unsigned long when)
{
	if (!count || time_after(x86_regs_jiffies(), when + X86_PMI_LATENCY))
		return;
	if (time_after(when, pmi->latent_until))
		pmi->latent = 0;
	pmi->latent = clamp(pmi->latent + count, -X86_MAX_PROGRAMMABLE, X86_MAX_PROGRAMMABLE);
	pmi->latent_until = when + X86_PMI_LATENCY;
}

/* Add the overflows that were handled since the last call. */
static noinline void x86_pmi_collect_latent(void)
{
	unsigned long when;
	unsigned int count = x86_rows_latent_nmis(&when);

	x86_pmi_add_latent(X86_REGS_THIS_CPU(x86_pmis), count, when);
}

/* Whether an NMI that found no overflow is a latent one of ours. */
static bool x86_pmi_claim_latent(void)
{
	struct x86_pmi *pmi = X86_REGS_THIS_CPU(x86_pmis);

	if (time_after(x86_regs_jiffies(), pmi->latent_until) || pmi->latent <= 0)
		return false;
	pmi->latent--;
	return true;
}

void x86_pmi_disable(void)
{
	struct x86_pmi *pmi = X86_REGS_THIS_CPU(x86_pmis);

	/* Before the entry is restored: an NMI that finds @enabled set would unmask it again. */
	WRITE_ONCE(X86_REGS_THIS_CPU(x86_counter_states)->enabled, false);
	x86_regs_restore_pmi(pmi->saved_lvtpc);
}

/*
 * For an NMI that may change the number of latent ones: add @latent and, if it found no overflow
 * (@handled is 0), claim it if it is a latent one. Returns what x86_pmi_handle() does.
 */
static noinline int x86_pmi_account_latent(int handled, int latent, struct pt_regs *regs)
{
	x86_pmi_add_latent(X86_REGS_THIS_CPU(x86_pmis), latent, x86_regs_jiffies());
	if (handled)
		return handled;
	if (!x86_pmi_claim_latent())
		return 0;
	x86_pmi_overflow(x86_pmi_class[X86_PROGRAMMABLE], 0, regs);
	return 1;
}

/* On a CPU that is down, or without global control register. Returns what x86_pmi_handle() does. */
static noinline int x86_pmi_serve_running(struct x86_counter_state *state, struct pt_regs *regs)
{
	int handled;

	/* Before the test of enabled: NMIs may be latent from before x86_rows_down(). */
	if (unlikely(state->latent_nmis))
		x86_pmi_collect_latent();
	if (!READ_ONCE(state->enabled))
		return x86_pmi_claim_latent();
	handled = x86_pmi_handle_running(state, regs);
	x86_pmi_collect_latent();
	/* This NMI belongs to one of the overflows handled. */
	return x86_pmi_account_latent(handled, handled ? -1 : 0, regs);
}

/* Returns what x86_pmi_handle() does. */
static __always_inline int x86_pmi_serve(struct pt_regs *regs)
{
	struct x86_counter_state *state = X86_REGS_THIS_CPU(x86_counter_states);
	int handled;

	if (unlikely(!READ_ONCE(state->enabled) || !x86_counter_map.global_ctl))
		return x86_pmi_serve_running(state, regs);
	x86_overflow_freeze(state);
	handled = x86_pmi_handle_frozen(state, regs);
	x86_overflow_unfreeze(state);
	if (likely(handled == 1))
		return 1;
	/* If this NMI interrupts x86_rows_down(), that may have accounted latent NMIs. */
	x86_pmi_collect_latent();
	/* Further overflows may have latched another NMI. */
	return x86_pmi_account_latent(handled, handled ? handled - 1 : 0, regs);
}

int x86_pmi_handle(unsigned int type, struct pt_regs *regs)
{
	u64 begun = x86_regs_clock();
	int handled = x86_pmi_serve(regs);

	if (handled)
		x86_pmi_end(begun);
	return handled;
}

NOKPROBE_SYMBOL(x86_pmi_handle);
