// SPDX-License-Identifier: GPL-2.0-only
/*
 * Throttling: limits how much of a CPU's time the overflow interrupts and the samples take. Called
 * by period.c and fire.c for each sample and by arch/ at the end of each interrupt, with interrupts
 * off, maybe in an NMI; a timer ends the throttling.
 *
 * A CPU's time is divided into windows. The whole time of an interrupt is charged to the window:
 * its handler is timed, and the kernel's entry and exit around it are estimated, see
 * hwpmc_throttle_interrupt(). Samples taken at a switch or a flush, and the timer, are charged,
 * too. A window is full after a number of samples (parameter max_samples), or when half of the time
 * that may be spent in it (parameter max_cpu_percent; 100 is no limit) is spent. A link that
 * samples in a full window is throttled until the window is over, but not before its PMC has had
 * its share: the samples that filled the window, divided by the number of PMCs that sample on the
 * CPU. So a PMC that samples frequently does not suppress the others, however many threads it
 * follows. The other half of the time is for the other PMCs. When that is spent too, every link is
 * throttled that overflows or is scheduled in. The time beyond the limit is charged to the next
 * window.
 *
 * An exception: a throttled link takes the sample that is due when it is scheduled out or flushed.
 * That sample has neither a call chain nor a stack, so it takes little time.
 */
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/processor.h>

#include <hwpmc_arch_inline.h>

#include "../base/defer.h"
#include "../base/param.h"
#include "../compat/compat.h"
#include "../log/log.h"
#include "context.h"
#include "direct.h"
#include "link.h"
#include "period.h"
#include "pmc.h"
#include "sampler.h"
#include "throttle.h"
#include "window.h"

static struct hwpmc_param max_samples = { .value = 100000, .least = 100, .most = 10000000 };
module_param_cb(max_samples, &hwpmc_param_ops, &max_samples, 0644);
MODULE_PARM_DESC(max_samples,
		 "samples a second and CPU before PMCs are throttled (default 100000, 100..10000000)");

static struct hwpmc_param max_cpu_percent = { .value = 25, .least = 1, .most = 100 };
module_param_cb(max_cpu_percent, &hwpmc_param_ops, &max_cpu_percent, 0644);
MODULE_PARM_DESC(max_cpu_percent,
		 "percentage of a CPU's time that overflow interrupts and samples may take (default 25, 1..100; 100: no limit)");

#define HWPMC_WINDOW_NS		(10 * NSEC_PER_MSEC)
/* The number of windows in a second. */
#define HWPMC_WINDOWS		(NSEC_PER_SEC / HWPMC_WINDOW_NS)
/*
 * The most windows for which a CPU may be in debt, so that the effect of a wrong measurement is
 * limited.
 */
#define HWPMC_WINDOW_DEBT	16
/* The number of windows after which no debt is left. */
#define HWPMC_WINDOW_PAID	1000
/* A factor for the time outside of handlers, see hwpmc_throttle_interrupt(). */
#define HWPMC_OUTSIDE		4
/* How often an empty interrupt is timed. */
#define HWPMC_PROBES		16

u64 hwpmc_window_ticks __read_mostly;

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
 * End the throttling of a running context. Aiming a row folds it, so all rows are folded first, and
 * the sums of a group are of one instant.
 */
static void hwpmc_window_context(struct hwpmc_context *ctx)
{
	if (!ctx->recorders)
		return;
	hwpmc_context_fold(ctx);
	if (unlikely(ctx->user_reads))
		hwpmc_direct_refresh(ctx);
	hwpmc_period_sched_in(ctx);
}

/**
 * hwpmc_throttle_begin_window - begin a window
 * @window: this CPU's
 * @now: hwpmc_arch_clock(), when it begins
 *
 * The time that the last window spent beyond its limit is charged to this one. Context: as
 * hwpmc_window_update().
 */
noinline void hwpmc_throttle_begin_window(struct hwpmc_window *window, u64 now)
{
	unsigned int percent = READ_ONCE(max_cpu_percent.value);
	u64 limit = U64_MAX, spent = 0;

	if (percent < 100) {
		/*
		 * The debt is paid off by then. After a reset of the clock the difference is
		 * arbitrary.
		 */
		u64 passed = min(now - window->begin, HWPMC_WINDOW_PAID * hwpmc_window_ticks);
		u64 paid = div_u64(passed * percent, 100);

		limit = div_u64(hwpmc_window_ticks * percent, 100);
		if (window->spent > paid)
			spent = min(window->spent - paid, HWPMC_WINDOW_DEBT * limit);
	}
	*window = (struct hwpmc_window){
		.begin = now, .spent = spent, .limit = limit, .over = spent > limit,
		.full = spent > limit, .before = window->pmcs,
	};
}

/* Charge work since @begun, and @more ticks. Interrupts off, overflows deferred. */
static void hwpmc_window_charge_since(u64 begun, u64 more)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	u64 took = hwpmc_arch_clock() - begun + more;

	/* Also charge interrupts that were deferred. */
	if (HWPMC_OVERFLOW_IS_NMI && unlikely(READ_ONCE(pc->budget.deferred)))
		took += this_cpu_xchg(hwpmc_cpus.budget.deferred, 0);
	hwpmc_window_charge(&pc->window, begun, took);
}

/**
 * hwpmc_throttle_charge - charge work that is done outside overflow interrupts
 * @begun: hwpmc_arch_clock() when it began
 *
 * Context: interrupts off, overflows deferred.
 */
void hwpmc_throttle_charge(u64 begun)
{
	hwpmc_window_charge_since(begun, 0);
}

/**
 * hwpmc_throttle_timer - charge an interrupt of a timer that took samples, at its end
 * @begun: hwpmc_arch_clock() when its handler began
 *
 * Context: interrupts off, overflows not deferred.
 */
void hwpmc_throttle_timer(u64 begun)
{
	hwpmc_defer_begin();
	hwpmc_window_charge_since(begun, this_cpu_read(hwpmc_cpus.budget.outside));
	hwpmc_defer_end();
}

/*
 * The plain part of the time of a handler that took @took ticks: without call chains and stacks,
 * and divided by the number of samples if it took several.
 */
static u64 hwpmc_budget_plain(struct hwpmc_budget *budget, u64 took)
{
	u64 plain = took - min(took, budget->copying);

	if (unlikely(budget->served > 1))
		plain = div_u64(plain, budget->served);
	budget->copying = 0;
	budget->served = 0;
	return plain;
}

/**
 * hwpmc_throttle_interrupt - charge an overflow interrupt, at its end
 * @begun: hwpmc_arch_clock() when its handler began
 *
 * The time outside the handler is that of the kernel's entry before it and exit after it, and under
 * a hypervisor its traps. The time since the end of the last interrupt consists of one exit, one
 * entry, and the work of the interrupted code. The part of the work is not known, as a counter may
 * count in the kernel, too. So the whole time is charged, but not more than that of HWPMC_OUTSIDE
 * empty interrupts or plain handlers. Entry and exit have about as many instructions as two
 * handlers, and an emulated or virtual PMU can make them slower. So interrupts in immediate
 * succession are charged almost completely, and others with too much rather than too little.
 *
 * Context: the overflow interrupt, which may be an NMI; interrupts off.
 */
void hwpmc_throttle_interrupt(u64 begun)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	struct hwpmc_budget *budget = &pc->budget;
	u64 now = hwpmc_arch_clock(), took = now - begun;
	u64 outside = max(budget->outside, HWPMC_OUTSIDE * (budget->plain / HWPMC_MEAN));
	u64 plain = min(hwpmc_budget_plain(budget, took), HWPMC_OUTLIER * outside);

	took += min(begun - budget->last, outside);
	took = min(took, HWPMC_OUTLIER * (budget->mean / HWPMC_MEAN + budget->outside));
	budget->plain = hwpmc_budget_mean(budget->plain, plain);
	budget->mean = hwpmc_budget_mean(budget->mean, took);
	budget->last = now;
	if (HWPMC_OVERFLOW_IS_NMI && unlikely(this_cpu_read(hwpmc_defer.depth))) {
		/* It interrupted code that may be changing the window. */
		budget->deferred += took;
		return;
	}
	hwpmc_window_charge(&pc->window, begun, took);
}

/* Called at the end of a window. Context: hard interrupt, on the window's CPU. */
static enum hrtimer_restart hwpmc_window_end(struct hrtimer *timer)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	unsigned long flags;
	u64 begun;

	/*
	 * The CPU goes offline, so its rows must not be accessed any more. They are aimed when it
	 * is online again.
	 */
	if (READ_ONCE(pc->offline_since))
		return HRTIMER_NORESTART;
	local_irq_save(flags);
	hwpmc_defer_begin();
	begun = hwpmc_arch_clock();
	hwpmc_throttle_begin_window(&pc->window, begun);
	if (pc->thread)
		hwpmc_window_context(&pc->thread->ctx);
	hwpmc_window_context(&pc->sys);
	hwpmc_window_charge_since(begun, pc->budget.outside);
	hwpmc_defer_end();
	local_irq_restore(flags);
	return HRTIMER_NORESTART;
}

/* Runs in a hard interrupt, where the timer can be started. */
static void hwpmc_window_start_timer(struct irq_work *work)
{
	struct hwpmc_cpu *pc = container_of(work, struct hwpmc_cpu, throttle);
	u64 begun = hwpmc_arch_clock(), passed = begun - pc->window.begin;
	unsigned long flags;

	/* Once the CPU is online again, hwpmc_throttle_unthrottle() queues it again if needed. */
	if (READ_ONCE(pc->offline_since) || hrtimer_is_queued(&pc->window_timer))
		return;
	passed = min(passed, hwpmc_window_ticks);
	hrtimer_start(&pc->window_timer,
		      ns_to_ktime(HWPMC_WINDOW_NS - div64_u64(passed * HWPMC_WINDOW_NS,
							      hwpmc_window_ticks)),
		      HRTIMER_MODE_REL_PINNED_HARD);
	local_irq_save(flags);
	hwpmc_defer_begin();
	hwpmc_window_charge_since(begun, pc->budget.outside);
	hwpmc_defer_end();
	local_irq_restore(flags);
}

/* An interrupt that does nothing, for hwpmc_throttle_cpu_online(). */
struct hwpmc_throttle_probe {
	struct irq_work work;
	bool done;
};

static void hwpmc_throttle_probe_done(struct irq_work *work)
{
	WRITE_ONCE(container_of(work, struct hwpmc_throttle_probe, work)->done, true);
}

/**
 * hwpmc_throttle_cpu_online - measure what an interrupt costs on this CPU besides its handler
 *
 * Takes the shortest of some interrupts that do nothing. Context: process, on the CPU, which the
 * caller does not leave; may sleep.
 */
void hwpmc_throttle_cpu_online(void)
{
	struct hwpmc_throttle_probe probe;
	/* An upper bound: an interrupt takes longer only if it is delayed until the next tick. */
	u64 best = hwpmc_window_ticks / 50;
	unsigned int i;

	init_irq_work(&probe.work, hwpmc_throttle_probe_done);
	for (i = 0; i < HWPMC_PROBES; i++) {
		u64 begun;

		WRITE_ONCE(probe.done, false);
		begun = hwpmc_arch_clock();
		irq_work_queue(&probe.work);
		while (!READ_ONCE(probe.done))
			cpu_relax();
		best = min(best, hwpmc_arch_clock() - begun);
		irq_work_sync(&probe.work);
	}
	this_cpu_write(hwpmc_cpus.budget.outside, HWPMC_OUTSIDE * best);
}

/* Set up the window timer of @pc. Called at module load for each possible CPU. May sleep. */
void hwpmc_throttle_cpu_init(struct hwpmc_cpu *pc)
{
	hwpmc_window_ticks = hwpmc_arch_clock_khz() * (HWPMC_WINDOW_NS / NSEC_PER_MSEC);
	init_irq_work(&pc->throttle, hwpmc_window_start_timer);
	hwpmc_hrtimer_setup(&pc->window_timer, hwpmc_window_end, CLOCK_MONOTONIC,
			    HRTIMER_MODE_REL_PINNED_HARD);
}

/* Cancel the window timer of @pc. Called when the CPU goes offline, and at unload. May sleep. */
void hwpmc_throttle_cpu_exit(struct hwpmc_cpu *pc)
{
	irq_work_sync(&pc->throttle);
	hrtimer_cancel(&pc->window_timer);
}

/* Uses irq_work, since a timer cannot be started in an NMI, nor under the runqueue's lock. */
static void hwpmc_throttle_queue_timer(struct hwpmc_cpu *pc)
{
	if (!hrtimer_is_queued(&pc->window_timer))
		irq_work_queue(&pc->throttle);
}

/* Throttle a link until the window is over. */
static noinline void hwpmc_throttle_link(struct hwpmc_cpu *pc, struct hwpmc_link *link)
{
	link->throttled = pc->window.begin;
	hwpmc_sampler_throttle_nmi(link, true, ktime_get_mono_fast_ns());
	hwpmc_throttle_queue_timer(pc);
}

/**
 * hwpmc_throttle_over - throttle a link, unless the window in which all time was spent is over
 * @pc: this CPU; all the time for samples in its window is spent
 * @link: a link that is scheduled in on this CPU, or whose sample is due; not throttled
 *
 * Context: interrupts off, overflows deferred; may be an NMI. Return: whether it is throttled now.
 */
bool hwpmc_throttle_over(struct hwpmc_cpu *pc, struct hwpmc_link *link)
{
	hwpmc_window_update(&pc->window, hwpmc_arch_clock());
	if (!pc->window.over)
		return false;
	hwpmc_throttle_link(pc, link);
	return true;
}

/**
 * hwpmc_throttle_sample - account for a sample, and throttle its link if the window is full
 * @pc: this CPU
 * @link: the link that the sample is of
 *
 * The caller charges its time. Context: interrupts off, overflows deferred; may be an NMI.
 */
void hwpmc_throttle_sample(struct hwpmc_cpu *pc, struct hwpmc_link *link)
{
	struct hwpmc_sampler_cpu *sampler = this_cpu_ptr(link->pmc->sampled);
	unsigned int limit = hwpmc_throttle_max_rate() / HWPMC_WINDOWS;
	struct hwpmc_window *window = &pc->window;

	/*
	 * If the window is not full, it is updated at the end of the interrupt. A window that
	 * becomes full here is the current one, so @sampler is counted in its @pmcs.
	 */
	if (unlikely(window->full || window->samples - window->fired >= limit))
		hwpmc_window_update(window, hwpmc_arch_clock());
	hwpmc_window_count(window, sampler);
	pc->budget.served++;
	if (unlikely(!window->full && window->samples - window->fired > limit))
		window->full = window->samples;
	if (unlikely(window->full) && !link->throttled && hwpmc_window_had_share(window, sampler))
		hwpmc_throttle_link(pc, link);
}

/**
 * hwpmc_throttle_unthrottle - end the throttling of a link if its window is over
 * @link: a throttled link whose context is scheduled in on this CPU, or runs there
 *
 * The window is over if its time has passed, or if this CPU has another window by now: samples of
 * other links begin new windows, and the link may have been throttled on another CPU. Otherwise, or
 * if this CPU has no time left for samples, the timer is started, which calls this function again.
 *
 * Context: interrupts off, overflows deferred.
 */
void hwpmc_throttle_unthrottle(struct hwpmc_link *link)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	struct hwpmc_window *window = &pc->window;

	hwpmc_window_update(window, hwpmc_arch_clock());
	if (link->throttled == window->begin || window->over) {
		link->throttled = window->begin;
		hwpmc_throttle_queue_timer(pc);
		return;
	}
	link->throttled = 0;
	hwpmc_sampler_throttle_nmi(link, false, ktime_get_mono_fast_ns());
}
