/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The windows that a CPU's time for samples is divided into: shared by throttle.c and
 * throttle_event.c. All functions are called with interrupts off, and overflows deferred or in
 * their NMI.
 */
#ifndef HWPMC_WINDOW_H
#define HWPMC_WINDOW_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "sampler.h"
#include "throttle.h"

/*
 * An interrupt, or an event of a probe, is charged at most so many times the mean of those before:
 * a hypervisor that preempts the virtual CPU in a handler makes it appear long. A handler that is
 * really so long raises the mean within a few interrupts.
 */
#define HWPMC_OUTLIER		64
/* The number of interrupts over which a mean is taken, approximately. */
#define HWPMC_MEAN		64

/* Length of a window in ticks of hwpmc_arch_clock(). */
extern u64 hwpmc_window_ticks;

/* kmod/pmc/throttle.c */
void hwpmc_throttle_begin_window(struct hwpmc_window *window, u64 now);

/*
 * Whether the time of a window has passed at @now. @now may be shortly before the window began: the
 * time when work began. If it is earlier by more than the length of a window, the clock was reset,
 * as x86's is by sleep (S3).
 */
static __always_inline bool hwpmc_window_passed(const struct hwpmc_window *window, u64 now)
{
	return now - window->begin + hwpmc_window_ticks >= 2 * hwpmc_window_ticks;
}

/* Begin a window at @now if the last one's time has passed. */
static __always_inline void hwpmc_window_update(struct hwpmc_window *window, u64 now)
{
	if (unlikely(hwpmc_window_passed(window, now)))
		hwpmc_throttle_begin_window(window, now);
}

/* Charge @took ticks from @begun on. */
static __always_inline void hwpmc_window_charge(struct hwpmc_window *window, u64 begun, u64 took)
{
	hwpmc_window_update(window, begun);
	window->spent += took;
	if (likely(window->spent <= window->limit / 2))
		return;
	if (!window->full)
		window->full = max(window->samples, 1U);
	window->over = window->spent > window->limit;
}

/* Count a sample of a link in the window. */
static inline void hwpmc_window_count(struct hwpmc_window *window,
				      struct hwpmc_sampler_cpu *sampler)
{
	if (sampler->window != window->begin) {
		sampler->window = window->begin;
		sampler->taken = 0;
		window->pmcs++;
	}
	sampler->taken++;
	window->samples++;
}

/*
 * Whether a PMC has used its share of a full window. The divisor includes PMCs that sampled in the
 * previous window, even if they have not sampled in this one yet.
 */
static inline bool hwpmc_window_had_share(const struct hwpmc_window *window,
					  const struct hwpmc_sampler_cpu *sampler)
{
	return window->over ||
	       sampler->taken >= max(window->full / max(window->pmcs, window->before), 1U);
}

/* Update a running mean, which is stored multiplied by HWPMC_MEAN. */
static inline u64 hwpmc_budget_mean(u64 mean, u64 value)
{
	return mean + value - mean / HWPMC_MEAN;
}

#endif /* HWPMC_WINDOW_H */
