// SPDX-License-Identifier: GPL-2.0-only
/*
 * Throttling of probes. Their samples are charged to the windows of throttle.c, and their links are
 * throttled by the same rules, with three exceptions. max_samples does not limit them: they need no
 * interrupt each, and a trace should be complete while there is time for it. Samples that are due
 * while a link is throttled are counted as lost, since one record cannot represent the arguments of
 * several events. And no timer ends the throttling: the next event finds that the window is over.
 *
 * Called by fire.c for each event that is sampled, with interrupts off and overflows deferred,
 * maybe in an NMI.
 */
#include <linux/minmax.h>
#include <linux/percpu.h>

#include <hwpmc_arch_inline.h>

#include "context.h"
#include "link.h"
#include "pmc.h"
#include "sampler.h"
#include "throttle.h"
#include "window.h"

/**
 * hwpmc_throttle_event_begin - begin to sample an event of a probe
 * @pc: this CPU
 *
 * Context: interrupts off, overflows deferred; may be an NMI. Return: for
 * hwpmc_throttle_event_end().
 */
u64 hwpmc_throttle_event_begin(struct hwpmc_cpu *pc)
{
	u64 now = hwpmc_arch_clock();

	hwpmc_window_update(&pc->window, now);
	return now;
}

/* Throttle the link of a probe, or keep it throttled in a new window. */
static void hwpmc_throttle_event_link(struct hwpmc_cpu *pc, struct hwpmc_link *link, u64 now)
{
	struct hwpmc_sampler_cpu *sampler = this_cpu_ptr(link->pmc->sampled);

	if (!link->throttled)
		hwpmc_sampler_throttle_nmi(link, true, now);
	else if (sampler->throttled == sampler->folded)
		/* Throttled on another CPU, which the thread has left. */
		sampler->throttled_since = now;
	link->throttled = pc->window.begin;
}

/* hwpmc_throttle_event_throttled() for a link that is throttled, or whose CPU has no time left. */
static noinline bool hwpmc_throttle_event_decide(struct hwpmc_cpu *pc, struct hwpmc_link *link,
						 u64 now)
{
	if (link->throttled == pc->window.begin)
		return true;
	if (pc->window.over) {
		hwpmc_throttle_event_link(pc, link, now);
		return true;
	}
	link->throttled = 0;
	hwpmc_sampler_throttle_nmi(link, false, now);
	return false;
}

/**
 * hwpmc_throttle_event_throttled - whether the sample of a probe is omitted by throttling
 * @pc: this CPU
 * @link: the link whose sample is due. It is throttled here if all the time is spent; its
 *	throttling ends if its window is over
 * @now: time of the event, CLOCK_MONOTONIC in ns; a ring is in order of time
 *
 * Context: as hwpmc_throttle_event_begin(), which was called before.
 */
bool hwpmc_throttle_event_throttled(struct hwpmc_cpu *pc, struct hwpmc_link *link, u64 now)
{
	if (likely(!link->throttled && !pc->window.over))
		return false;
	return hwpmc_throttle_event_decide(pc, link, now);
}

/**
 * hwpmc_throttle_event_sample - account for a sample of a probe, as hwpmc_throttle_sample()
 * @pc: this CPU
 * @link: the link that the sample is of
 * @now: as in hwpmc_throttle_event_throttled()
 *
 * Context: as hwpmc_throttle_event_begin(), which was called before.
 */
void hwpmc_throttle_event_sample(struct hwpmc_cpu *pc, struct hwpmc_link *link, u64 now)
{
	struct hwpmc_sampler_cpu *sampler = this_cpu_ptr(link->pmc->sampled);

	hwpmc_window_count(&pc->window, sampler);
	pc->window.fired++;
	if (unlikely(pc->window.full) && hwpmc_window_had_share(&pc->window, sampler))
		hwpmc_throttle_event_link(pc, link, now);
}

/**
 * hwpmc_throttle_event_end - charge the samples of an event of a probe
 * @pc: this CPU
 * @begun: what hwpmc_throttle_event_begin() returned
 *
 * As for an interrupt, at most a multiple of the mean is charged; see HWPMC_OUTLIER.
 * Context: as hwpmc_throttle_event_begin().
 */
void hwpmc_throttle_event_end(struct hwpmc_cpu *pc, u64 begun)
{
	struct hwpmc_budget *budget = &pc->budget;
	u64 most = HWPMC_OUTLIER * (budget->event / HWPMC_MEAN + budget->outside);
	u64 took = min(hwpmc_arch_clock() - begun, most);

	budget->event = hwpmc_budget_mean(budget->event, took);
	hwpmc_window_charge(&pc->window, begun, took);
}
