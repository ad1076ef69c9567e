// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock's overflow interrupt: a timer on each CPU, for PMCs that sample HWPMC_SOFT_CLOCK. It
 * makes the clock a row like any other: a sample is due when the row's sum reaches a value, the
 * rest of a period is kept when a thread is scheduled out, and period.c handles throttling, losses
 * and late samples.
 *
 * All links of both contexts on a CPU share the timer. It expires for the one that is due first;
 * hwpmc_overflow() then aims all of them again, which starts it for the next one. If a link that
 * started the timer is scheduled out, the timer expires once without effect.
 *
 * Called by class SOFT when it aims its clock, on the CPU concerned with interrupts off.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <asm/irq_regs.h>
#include <uapi/linux/hwpmc.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"
#include "../compat/compat.h"
#include "../hwpmc.h"
#include "context.h"
#include "pmc.h"
#include "throttle.h"

/**
 * struct hwpmc_clock - the timer of a CPU
 * @timer: expires when the first sample is due
 * @work: starts @timer for an NMI
 * @wanted: time to which the NMI sets @timer, CLOCK_MONOTONIC in ns; U64_MAX: not at all
 *
 * Accessed on its CPU, with interrupts off; NMIs access @work and @wanted only.
 */
struct hwpmc_clock {
	struct hrtimer timer;
	struct irq_work work;
	u64 wanted;
};

static struct hwpmc_clock __percpu *hwpmc_clocks;

static enum hrtimer_restart hwpmc_clock_expired(struct hrtimer *timer)
{
	unsigned long flags;
	u64 begun;

	/* The timer of a CPU that goes offline is moved to another one. */
	if (timer != &this_cpu_ptr(hwpmc_clocks)->timer)
		return HRTIMER_NORESTART;
	local_irq_save(flags);
	begun = hwpmc_arch_clock();
	hwpmc_overflow(&hwpmc_soft_class, BIT_ULL(HWPMC_SOFT_CLOCK), get_irq_regs());
	hwpmc_throttle_timer(begun);
	local_irq_restore(flags);
	return HRTIMER_NORESTART;
}

/*
 * Start the timer of this CPU, unless it is started and expires at @at or earlier. A period may end
 * after KTIME_MAX, so @at is limited. Otherwise it would be negative as a ktime_t, and on a CPU
 * that has no other timer, this one would expire as soon as it is started, again and again.
 */
static void hwpmc_clock_start(struct hwpmc_clock *clock, u64 at)
{
	at = min_t(u64, at, KTIME_MAX);
	if (hrtimer_is_queued(&clock->timer) &&
	    ktime_to_ns(hrtimer_get_expires(&clock->timer)) <= at)
		return;
	hrtimer_start(&clock->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Runs in a hard interrupt, on the CPU whose NMI queued it. */
static void hwpmc_clock_start_wanted(struct irq_work *work)
{
	struct hwpmc_clock *clock = container_of(work, struct hwpmc_clock, work);

	hwpmc_clock_start(clock, xchg(&clock->wanted, U64_MAX));
}

/* A hwpmc_soft_timer_fn. Called with interrupts off, maybe in an NMI. */
static void hwpmc_clock_set(u64 at)
{
	struct hwpmc_clock *clock = this_cpu_ptr(hwpmc_clocks);

	if (!in_nmi()) {
		hwpmc_clock_start(clock, at);
		return;
	}
	/* The NMI may have interrupted code that changes the timer. */
	WRITE_ONCE(clock->wanted, min(READ_ONCE(clock->wanted), at));
	irq_work_queue(&clock->work);
}

/**
 * hwpmc_clock_cpu_online - cancel a CPU's timer, which may have moved to another CPU
 * @cpu: comes online
 *
 * On the other CPU the timer expires without effect. Until it expires, it would not be started for
 * @cpu, whose samples are due later: the time that @cpu was offline does not count. The caller
 * resyncs the CPU's context, which starts the timer. Context: process, on @cpu; may sleep.
 */
void hwpmc_clock_cpu_online(int cpu)
{
	hrtimer_cancel(&per_cpu_ptr(hwpmc_clocks, cpu)->timer);
}

/** hwpmc_clock_init - set up the timers; called at module load. Return: 0 or -ENOMEM. */
int __init hwpmc_clock_init(void)
{
	int cpu;

	hwpmc_clocks = alloc_percpu(struct hwpmc_clock);
	if (!hwpmc_clocks)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct hwpmc_clock *clock = per_cpu_ptr(hwpmc_clocks, cpu);

		hwpmc_hrtimer_setup(&clock->timer, hwpmc_clock_expired, CLOCK_MONOTONIC,
				    HRTIMER_MODE_ABS_PINNED_HARD);
		init_irq_work(&clock->work, hwpmc_clock_start_wanted);
		clock->wanted = U64_MAX;
	}
	hwpmc_soft_set_timer(hwpmc_clock_set);
	return 0;
}

/** hwpmc_clock_exit - cancel the timers; called at module unload: no PMC exists; may sleep */
void hwpmc_clock_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct hwpmc_clock *clock = per_cpu_ptr(hwpmc_clocks, cpu);

		irq_work_sync(&clock->work);
		hrtimer_cancel(&clock->timer);
	}
	free_percpu(hwpmc_clocks);
}
