/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deferral of overflow interrupts while code changes this CPU's contexts or a ring's loss
 * counters. Called by pmc/, task/ and hotplug.c with interrupts off, or in an NMI. It has an
 * effect only where the overflow interrupt is an NMI, or while there are probes: they fire in
 * functions of the kernel that such code calls. Elsewhere interrupts are off anyway.
 */
#ifndef HWPMC_DEFER_H
#define HWPMC_DEFER_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/jump_label.h>
#include <linux/kconfig.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"

/* After so many rounds hwpmc_defer.rounds does not increase any more. */
#define HWPMC_DEFER_ROUNDS	20

/**
 * struct hwpmc_defer - whether a CPU defers its overflow interrupts
 * @depth: nesting depth of hwpmc_defer_begin(); 0: overflows are handled at once
 * @overflow_pending: an overflow interrupt occurred while @depth was above 0
 * @rounds: how often hwpmc_defer_run() has repeated, at most HWPMC_DEFER_ROUNDS; 0 outside of it
 * @work: handles it, if hwpmc_defer_leave() may not
 *
 * Per CPU. Written by its own CPU only, with interrupts off or in an NMI.
 */
struct hwpmc_defer {
	int depth;
	bool overflow_pending;
	u8 rounds;
	struct irq_work work;
};

DECLARE_PER_CPU(struct hwpmc_defer, hwpmc_defer);
DECLARE_STATIC_KEY_FALSE(hwpmc_defer_on);

/* kmod/base/defer.c */
void hwpmc_defer_init(void (*resync)(void));
void hwpmc_defer_exit(void);
void hwpmc_defer_run(void);
void hwpmc_defer_set_probes(bool on);

/*
 * Whether the depth is maintained: a constant where overflows are always NMIs. Elsewhere one static
 * branch serves both purposes, overflows that are NMIs and probes. Any context.
 */
static __always_inline bool hwpmc_defer_counts(void)
{
	return (__builtin_constant_p(HWPMC_OVERFLOW_IS_NMI) && HWPMC_OVERFLOW_IS_NMI) ||
	       static_branch_unlikely(&hwpmc_defer_on);
}

/**
 * hwpmc_defer_begin - defer this CPU's overflow NMIs
 *
 * Until the matching hwpmc_defer_end(), an overflow NMI only sets overflow_pending, because
 * it could find this CPU's contexts half changed; and probes skip their events. Calls nest. Does
 * nothing where the overflow interrupt is maskable and there are no probes. Context: interrupts
 * off, or NMI.
 */
static __always_inline void hwpmc_defer_begin(void)
{
	if (hwpmc_defer_counts()) {
		this_cpu_inc(hwpmc_defer.depth);
		barrier();
	}
}

/**
 * hwpmc_defer_end - end hwpmc_defer_begin(), and handle an overflow that it deferred
 *
 * Context: as hwpmc_defer_begin(), on the same CPU.
 */
static __always_inline void hwpmc_defer_end(void)
{
	if (hwpmc_defer_counts()) {
		barrier();
		this_cpu_dec(hwpmc_defer.depth);
		if (unlikely(this_cpu_read(hwpmc_defer.overflow_pending)) &&
		    !this_cpu_read(hwpmc_defer.depth))
			hwpmc_defer_run();
	}
}

/*
 * On kernels with lock debugging, warn if interrupts are not off, or overflows are not deferred.
 */
static __always_inline void hwpmc_defer_assert(void)
{
	if (!IS_ENABLED(CONFIG_PROVE_LOCKING))
		return;
	WARN_ON_ONCE(!in_nmi() && !irqs_disabled());
	WARN_ON_ONCE(HWPMC_OVERFLOW_IS_NMI && this_cpu_read(hwpmc_defer.depth) < 1);
}

/**
 * hwpmc_defer_enter - hwpmc_defer_begin() for an event of a probe
 *
 * Sets the depth instead of incrementing it, which takes fewer instructions. An NMI between the
 * test and the store does no harm, since it restores the depth.
 *
 * Context: interrupts off, or NMI; hwpmc_defer_set_probes(true) was called. Return: false if this
 * CPU's contexts may be half changed, since the event interrupted such a change, or occurred in a
 * function that it called.
 */
static __always_inline bool hwpmc_defer_enter(void)
{
	if (unlikely(this_cpu_read(hwpmc_defer.depth)))
		return false;
	this_cpu_write(hwpmc_defer.depth, 1);
	barrier();
	return true;
}

/**
 * hwpmc_defer_leave - end hwpmc_defer_enter()
 *
 * An overflow that was deferred meanwhile is handled in an interrupt, as soon as interrupts are on:
 * the event may have occurred while the kernel holds a lock that the handler takes, such as a
 * timer's.
 */
static __always_inline void hwpmc_defer_leave(void)
{
	barrier();
	this_cpu_write(hwpmc_defer.depth, 0);
	if (HWPMC_OVERFLOW_IS_NMI && unlikely(this_cpu_read(hwpmc_defer.overflow_pending)))
		irq_work_queue(this_cpu_ptr(&hwpmc_defer.work));
}

#endif /* HWPMC_DEFER_H */
