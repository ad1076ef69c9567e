// SPDX-License-Identifier: GPL-2.0-only
/*
 * Throttling: how much of a CPU goes into samples.
 *
 * A CPU's time is cut into windows. One is full when so many samples were taken in
 * it, or so much of it went into them. Whichever link samples from then on is held
 * back until it is over, but not before its PMC had its share: what filled the
 * window, divided by the PMCs that sample on the CPU. So one that samples all the
 * time does not silence the others, however many threads it follows, and together
 * they take twice what fills a window at most. That does not hold for PMCs that
 * begin in a window, which the shares given before did not reckon with, nor for the
 * one sample of a throttled link that leaves the CPU when it has come due, which is
 * taken without stacks therefore.
 */
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>

#include "../base/param.h"
#include "../compat/compat.h"
#include "../log/log.h"
#include "context.h"
#include "link.h"
#include "period.h"
#include "pmc.h"
#include "sampler.h"
#include "throttle.h"

static struct hwpmc_param max_samples = { .value = 100000, .least = 100, .most = 10000000 };
module_param_cb(max_samples, &hwpmc_param_ops, &max_samples, 0644);
MODULE_PARM_DESC(max_samples,
		 "samples a second and CPU before PMCs are throttled (default 100000, 100..10000000)");

#define HWPMC_WINDOW_NS		(10 * NSEC_PER_MSEC)
/*
 * Of one, so much may go into samples; one in so many is timed, a prime: no PMCs keep
 * step. Fewer than that in a window, each of over half a millisecond, are not noticed
 * therefore. To time its first ones, too, would throttle who samples seldom whenever a
 * virtual CPU is taken away in the middle of a sample.
 */
#define HWPMC_WINDOW_SPEND	(HWPMC_WINDOW_NS / 4)
#define HWPMC_WINDOW_TIMED	17

unsigned int hwpmc_throttle_max_rate(void)
{
	return READ_ONCE(max_samples.value);
}

/* Its rows are aimed in the middle of its stay: those beside them are folded with them. */
static void hwpmc_window_context(struct hwpmc_context *ctx)
{
	if (!ctx->recorders)
		return;
	hwpmc_context_fold(ctx);
	hwpmc_period_sched_in(ctx);
}

static enum hrtimer_restart hwpmc_window_end(struct hrtimer *timer)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	unsigned long flags;

	/* Its rows are somebody else's by now; they come on again when it does. */
	if (READ_ONCE(pc->offline_since))
		return HRTIMER_NORESTART;
	local_irq_save(flags);
	hwpmc_defer_begin();
	if (pc->thread)
		hwpmc_window_context(&pc->thread->ctx);
	hwpmc_window_context(&pc->sys);
	hwpmc_defer_end();
	local_irq_restore(flags);
	return HRTIMER_NORESTART;
}

static void hwpmc_window_start_timer(struct irq_work *work)
{
	struct hwpmc_cpu *pc = container_of(work, struct hwpmc_cpu, throttle);

	/* Whom it finds throttled then asks for it again. */
	if (READ_ONCE(pc->offline_since) || hrtimer_is_queued(&pc->window_timer))
		return;
	hrtimer_start(&pc->window_timer, ns_to_ktime(pc->window.begin + HWPMC_WINDOW_NS),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

void hwpmc_throttle_cpu_init(struct hwpmc_cpu *pc)
{
	init_irq_work(&pc->throttle, hwpmc_window_start_timer);
	hwpmc_hrtimer_setup(&pc->window_timer, hwpmc_window_end, CLOCK_MONOTONIC,
			    HRTIMER_MODE_ABS_PINNED_HARD);
}

void hwpmc_throttle_cpu_exit(struct hwpmc_cpu *pc)
{
	irq_work_sync(&pc->throttle);
	hrtimer_cancel(&pc->window_timer);
}

/* One more sample, begun at @begun. Every so many samples are timed for all of them. */
static void hwpmc_window_add(struct hwpmc_window *window, u64 begun)
{
	if (!(++window->samples % HWPMC_WINDOW_TIMED))
		window->spent += HWPMC_WINDOW_TIMED * (ktime_get_mono_fast_ns() - begun);
	if (likely(window->spent <= HWPMC_WINDOW_SPEND &&
		   window->samples <= hwpmc_throttle_max_rate() / (NSEC_PER_SEC / HWPMC_WINDOW_NS)))
		return;
	if (!window->full)
		window->full = window->samples;
}

/* Those that sampled in the window before are reckoned with, if they are yet to come. */
static bool hwpmc_window_had_share(const struct hwpmc_window *window,
				   const struct hwpmc_sampler_cpu *sampler)
{
	return window->spent > 2 * HWPMC_WINDOW_SPEND ||
	       sampler->taken >= max(window->full / max(window->pmcs, window->before), 1U);
}

/* A timer cannot be started in an NMI, nor under the runqueue's lock. */
static void hwpmc_throttle_queue_timer(struct hwpmc_cpu *pc)
{
	if (!hrtimer_is_queued(&pc->window_timer))
		irq_work_queue(&pc->throttle);
}

/**
 * hwpmc_throttle_sample - a sample was taken: throttles its link if that was too much
 * @pc: this CPU
 * @link: the sample's
 * @begun: CLOCK_MONOTONIC when that began, in ns
 *
 * Context: interrupts off, overflows deferred; maybe NMI.
 */
void hwpmc_throttle_sample(struct hwpmc_cpu *pc, struct hwpmc_link *link, u64 begun)
{
	struct hwpmc_sampler_cpu *sampler = this_cpu_ptr(link->pmc->sampled);
	struct hwpmc_window *window = &pc->window;

	if (begun - window->begin >= HWPMC_WINDOW_NS)
		*window = (struct hwpmc_window){ .begin = begun, .before = window->pmcs };
	if (sampler->window != window->begin) {
		sampler->window = window->begin;
		sampler->taken = 0;
		window->pmcs++;
	}
	sampler->taken++;
	hwpmc_window_add(window, begun);
	if (unlikely(window->full) && !link->throttled && hwpmc_window_had_share(window, sampler)) {
		link->throttled = window->begin;
		hwpmc_sampler_throttle_nmi(link, true);
		hwpmc_throttle_queue_timer(pc);
	}
}

/**
 * hwpmc_throttle_relieve - a throttled link comes on this CPU, or is on it
 * @link: it goes on if the window it was throttled in is over
 *
 * Whether the CPU's is another by now counts, too: who samples besides begins one
 * after the other.
 *
 * Context: interrupts off, overflows deferred.
 */
void hwpmc_throttle_relieve(struct hwpmc_link *link)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	u64 begin = pc->window.begin;

	if (link->throttled == begin && ktime_get_mono_fast_ns() - begin < HWPMC_WINDOW_NS) {
		hwpmc_throttle_queue_timer(pc);
		return;
	}
	link->throttled = 0;
	hwpmc_sampler_throttle_nmi(link, false);
}
