// SPDX-License-Identifier: GPL-2.0-only
/*
 * Throttling: limits how much of a CPU's time is spent on samples. Called by period.c for each
 * sample, with interrupts off, maybe in an NMI; a timer ends it.
 *
 * A CPU's time is divided into windows. A window is full after a number of samples (parameter
 * max_samples), or when a part of its time was spent on them. A link that samples in a full window
 * is throttled until the window is over, but not before its PMC has had its share: the samples that
 * filled the window, divided by the number of PMCs that sample on the CPU. So a PMC that samples
 * all the time does not suppress the others, however many threads it follows, and all together
 * take at most twice what fills a window. Two exceptions:
 *
 * - A PMC that first samples in this window was not included when earlier shares were computed.
 * - A throttled link takes the sample that is due when it is scheduled out or flushed. That sample
 *   has no call chain and no stack, to be short.
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
 * The part of a window that may be spent on samples, in ns; and one sample in this many is timed,
 * and stands for all of them. The number is a prime, so that PMCs that sample in turn are all
 * timed. Fewer samples in a window are not timed, even if they fill it; each would take more than
 * half a millisecond. If the first samples were timed too, a PMC that samples seldom would be
 * throttled whenever a hypervisor preempts the virtual CPU in the middle of a sample.
 */
#define HWPMC_WINDOW_SPEND	(HWPMC_WINDOW_NS / 4)
#define HWPMC_WINDOW_TIMED	17

/**
 * hwpmc_throttle_max_rate - samples a second on one CPU that are not throttled (max_samples)
 *
 * Context: any, NMI included.
 */
unsigned int hwpmc_throttle_max_rate(void)
{
	return READ_ONCE(max_samples.value);
}

/*
 * End the throttling of a running context. Aiming a row folds it, so all rows are folded first: the
 * sums of a group are of one instant.
 */
static void hwpmc_window_context(struct hwpmc_context *ctx)
{
	if (!ctx->recorders)
		return;
	hwpmc_context_fold(ctx);
	hwpmc_period_sched_in(ctx);
}

/* The window is over. Context: hard interrupt, on the window's CPU. */
static enum hrtimer_restart hwpmc_window_end(struct hrtimer *timer)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	unsigned long flags;

	/*
	 * The CPU goes offline, and its rows must not be accessed any more. They are aimed again
	 * when it is online again.
	 */
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

/* In a hard interrupt, where the timer can be started. */
static void hwpmc_window_start_timer(struct irq_work *work)
{
	struct hwpmc_cpu *pc = container_of(work, struct hwpmc_cpu, throttle);

	/* Once the CPU is online again, hwpmc_throttle_relieve() queues it again if needed. */
	if (READ_ONCE(pc->offline_since) || hrtimer_is_queued(&pc->window_timer))
		return;
	hrtimer_start(&pc->window_timer, ns_to_ktime(pc->window.begin + HWPMC_WINDOW_NS),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Set up @pc's timer. Called once for each possible CPU at load. May sleep. */
void hwpmc_throttle_cpu_init(struct hwpmc_cpu *pc)
{
	init_irq_work(&pc->throttle, hwpmc_window_start_timer);
	hwpmc_hrtimer_setup(&pc->window_timer, hwpmc_window_end, CLOCK_MONOTONIC,
			    HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Cancel @pc's timer, for the offline callback and for unload. May sleep. */
void hwpmc_throttle_cpu_exit(struct hwpmc_cpu *pc)
{
	irq_work_sync(&pc->throttle);
	hrtimer_cancel(&pc->window_timer);
}

/* Account for a sample that was begun at @begun, and set @window->full if the window is full. */
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

/*
 * Whether a PMC has had its share of a full window. PMCs that sampled in the previous window are
 * included in the divisor, even if they have not sampled in this one yet.
 */
static bool hwpmc_window_had_share(const struct hwpmc_window *window,
				   const struct hwpmc_sampler_cpu *sampler)
{
	return window->spent > 2 * HWPMC_WINDOW_SPEND ||
	       sampler->taken >= max(window->full / max(window->pmcs, window->before), 1U);
}

/* By irq_work: a timer cannot be started in an NMI, nor under the runqueue's lock. */
static void hwpmc_throttle_queue_timer(struct hwpmc_cpu *pc)
{
	if (!hrtimer_is_queued(&pc->window_timer))
		irq_work_queue(&pc->throttle);
}

/**
 * hwpmc_throttle_sample - account for a sample, and throttle its link if the window is full
 * @pc: this CPU
 * @link: the link that the sample is of
 * @begun: CLOCK_MONOTONIC in ns when the sample was begun
 *
 * Context: interrupts off, overflows deferred; may be an NMI.
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
 * hwpmc_throttle_relieve - end the throttling of a link if its window is over
 * @link: a throttled link whose context is scheduled in on this CPU, or runs there
 *
 * The window is over if its time has passed, or if this CPU has another window by now: samples of
 * other links begin new windows, and the link may have been throttled on another CPU. Otherwise
 * the timer is started, which calls this function again.
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
