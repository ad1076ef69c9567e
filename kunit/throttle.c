// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_throttle: a link that takes too many samples in a window is throttled, and links
 * on the same CPU get their share; what interrupts take is charged (kmod/pmc/throttle.c). Run by
 * kunit/run.c in KUnit's thread.
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>

#include <hwpmc_arch_inline.h>

#include "../kmod/log/log.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/sampler.h"
#include "../kmod/pmc/throttle.h"
#include "../kmod/pmc/window.h"
#include "due.h"
#include "fixture.h"

#define THROTTLE_EVENTS	BIT_ULL(30)	/* events until a throttled row overflows */

/* A throttled link takes no samples in interrupts, takes one at sched-out, and loses no event. */
static void throttle_no_samples_of_interrupts(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);

	due_run(it, DUE_SCHED_IN, 0, 0);
	due_run(it, DUE_OVERFLOW, DUE_PERIOD, hwpmc_throttle_max_rate());
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	KUNIT_EXPECT_EQ(test, 1, it->throttles);
	KUNIT_EXPECT_EQ(test, DUE_PERIOD, it->logged);
	KUNIT_EXPECT_EQ(test, DUE_PERIOD + THROTTLE_EVENTS, due_overflow_at);
	due_run(it, DUE_OVERFLOW, 5 * DUE_PERIOD, 0);
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	due_run(it, DUE_SCHED_OUT, 7, 0);
	KUNIT_EXPECT_EQ(test, 2, it->samples);
	KUNIT_EXPECT_EQ(test, 1, it->late);
	KUNIT_EXPECT_EQ(test, 5 * DUE_PERIOD, it->last);
	/* due_run() begins a new window, which ended the throttling. */
	due_run(it, DUE_SCHED_IN, 0, 0);
	KUNIT_EXPECT_EQ(test, 2, it->throttles);
	KUNIT_EXPECT_EQ(test, 7 * DUE_PERIOD, due_overflow_at);
}

/* Accounts a sample on this CPU. */
static void throttle_sample(struct due_case *it)
{
	hwpmc_defer_begin();
	hwpmc_throttle_sample(this_cpu_ptr(&hwpmc_cpus), &it->link);
	hwpmc_defer_end();
}

/*
 * Samples that the link takes before it is throttled, in a window that another PMC has filled.
 * @before: PMCs that sampled in the window before.
 */
static unsigned int throttle_samples_until(struct due_case *it, unsigned int before)
{
	unsigned int taken = 0, enough = hwpmc_throttle_max_rate() / 100;
	struct hwpmc_window *window;
	unsigned long flags;

	local_irq_save(flags);
	due_begin_window(U64_MAX);
	window = &this_cpu_ptr(&hwpmc_cpus)->window;
	window->pmcs = 1;
	window->before = before;
	it->link.throttled = 0;
	while (!it->link.throttled && taken++ < enough) {
		window->samples = enough;
		this_cpu_ptr(it->pmc.sampled)->window = taken > 1 ? window->begin : 0;
		throttle_sample(it);
	}
	due_end_window();
	local_irq_restore(flags);
	due_read(it);
	return taken;
}

/*
 * The first sample on a CPU begins a window: the initial window, which begins at 0, has passed.
 */
static void throttle_first_window(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	struct hwpmc_window *window, after;
	unsigned long flags;

	local_irq_save(flags);
	window = &this_cpu_ptr(&hwpmc_cpus)->window;
	*window = (struct hwpmc_window){
		.limit = U64_MAX, .samples = hwpmc_throttle_max_rate() / 100,
	};
	this_cpu_ptr(it->pmc.sampled)->window = 0;
	throttle_sample(it);
	after = *window;
	local_irq_restore(flags);
	KUNIT_EXPECT_NE(test, 0ULL, after.begin);
	KUNIT_EXPECT_EQ(test, 1, after.samples);
	KUNIT_EXPECT_EQ(test, 1, after.pmcs);
	KUNIT_EXPECT_EQ(test, 0ULL, it->link.throttled);
}

static void throttle_full_window_is_shared(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	unsigned int full = hwpmc_throttle_max_rate() / 100 + 1;

	KUNIT_EXPECT_EQ(test, full / 2, throttle_samples_until(it, 1));
	KUNIT_EXPECT_EQ(test, full / 5, throttle_samples_until(it, 5));
	KUNIT_EXPECT_EQ(test, 1, throttle_samples_until(it, 10 * full));
	KUNIT_EXPECT_EQ(test, 3, it->throttles);
}

/* Ticks of a window. */
static u64 throttle_window(void)
{
	return hwpmc_arch_clock_khz() * 10;
}

/* A new window takes over the number of PMCs that sampled in the last, and resets the rest. */
static void throttle_new_window(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	struct hwpmc_sampler_cpu *sampler;
	struct hwpmc_window seen;
	unsigned int taken;
	unsigned long flags;
	u64 now;

	local_irq_save(flags);
	now = hwpmc_arch_clock();
	sampler = this_cpu_ptr(it->pmc.sampled);
	sampler->window = now - throttle_window();
	sampler->taken = 7;
	this_cpu_ptr(&hwpmc_cpus)->window = (struct hwpmc_window){
		.begin = sampler->window, .samples = 1000000, .full = 1000, .pmcs = 5,
	};
	throttle_sample(it);
	/* The next sample is of another thread that the same PMC counts. */
	it->link.throttled = 0;
	throttle_sample(it);
	seen = this_cpu_ptr(&hwpmc_cpus)->window;
	taken = sampler->taken;
	local_irq_restore(flags);
	KUNIT_EXPECT_GE(test, seen.begin, now);
	KUNIT_EXPECT_EQ(test, 5, seen.before);
	KUNIT_EXPECT_EQ(test, 1, seen.pmcs);
	KUNIT_EXPECT_EQ(test, 2, seen.samples);
	KUNIT_EXPECT_EQ(test, 0, seen.full);
	KUNIT_EXPECT_FALSE(test, seen.over);
	KUNIT_EXPECT_EQ(test, throttle_window() / 4, seen.limit);
	KUNIT_EXPECT_EQ(test, 2, taken);
	KUNIT_EXPECT_EQ(test, 0ULL, it->link.throttled);
}

/* What a window spent beyond its limit is charged to the next. */
static void throttle_debt(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	struct hwpmc_window first, second;
	struct hwpmc_window *window;
	unsigned long flags;
	u64 ticks, now;

	local_irq_save(flags);
	due_begin_window(0);
	ticks = hwpmc_window_ticks;
	window = &this_cpu_ptr(&hwpmc_cpus)->window;
	now = hwpmc_arch_clock();
	*window = (struct hwpmc_window){ .begin = now - ticks, .spent = ticks / 2, .full = 1 };
	throttle_sample(it);
	first = *window;
	it->link.throttled = 0;
	*window = (struct hwpmc_window){ .begin = now - ticks, .spent = ticks, .full = 1 };
	throttle_sample(it);
	second = *window;
	due_end_window();
	local_irq_restore(flags);
	KUNIT_EXPECT_FALSE(test, first.over);
	KUNIT_EXPECT_LE(test, first.spent, ticks / 4);
	KUNIT_EXPECT_GE(test, first.spent, ticks / 8);
	KUNIT_EXPECT_TRUE(test, second.over);
	KUNIT_EXPECT_NE(test, 0ULL, it->link.throttled);
}

/* An interrupt began @ago ticks ago, @gap after the last one. Return: the ticks charged for it. */
static u64 throttle_interrupt(u64 ago, u64 gap)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	u64 before = pc->window.spent, begun = hwpmc_arch_clock() - ago;

	pc->budget.last = begun - gap;
	hwpmc_throttle_interrupt(begun);
	return pc->window.spent - before;
}

/*
 * An interrupt is charged with the time of its handler, and with the time since the last interrupt
 * up to twice that of an empty one. An interrupt that suddenly takes much longer than the mean is
 * charged with a multiple of the mean only.
 */
static void throttle_interrupt_is_charged(struct kunit *test)
{
	u64 ticks = throttle_window(), at_once, later, outlier, mean;
	struct hwpmc_budget saved;
	struct hwpmc_cpu *pc;
	unsigned long flags;

	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	saved = pc->budget;
	pc->budget = (struct hwpmc_budget){ .outside = ticks / 100, .mean = 64 * ticks };
	due_begin_window(U64_MAX);
	at_once = throttle_interrupt(ticks / 50, ticks / 1000);
	later = throttle_interrupt(ticks / 50, ticks);
	pc->budget.mean = 0;
	pc->budget.plain = 0;
	pc->budget.outside = ticks / 10000;
	outlier = throttle_interrupt(ticks / 10, ticks);
	mean = pc->budget.mean;
	pc->budget = saved;
	due_end_window();
	local_irq_restore(flags);
	KUNIT_EXPECT_GE(test, at_once, ticks / 50 + ticks / 1000);
	KUNIT_EXPECT_GE(test, later, ticks / 50 + ticks / 100);
	KUNIT_EXPECT_EQ(test, 64 * (ticks / 10000), outlier);
	KUNIT_EXPECT_EQ(test, outlier, mean);
}

/* When all the time is spent, no link takes a sample; a link that is scheduled in is throttled. */
static void throttle_over(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);

	due_over = true;
	due_run(it, DUE_SCHED_IN, 0, 0);
	KUNIT_EXPECT_EQ(test, 1, it->throttles);
	KUNIT_EXPECT_EQ(test, THROTTLE_EVENTS, due_overflow_at);
	due_over = false;
	/* In the next window. */
	due_run(it, DUE_SCHED_IN, 0, 0);
	KUNIT_EXPECT_EQ(test, 2, it->throttles);
	KUNIT_EXPECT_EQ(test, DUE_PERIOD, due_overflow_at);
	due_over = true;
	due_run(it, DUE_OVERFLOW, DUE_PERIOD, 0);
	KUNIT_EXPECT_EQ(test, 3, it->throttles);
	KUNIT_EXPECT_EQ(test, 0, it->samples);
	KUNIT_EXPECT_EQ(test, DUE_PERIOD + THROTTLE_EVENTS, due_overflow_at);
	/* The next window has no time either: the link stays throttled, and nothing is logged. */
	due_run(it, DUE_SCHED_IN, 0, 0);
	KUNIT_EXPECT_EQ(test, 3, it->throttles);
	due_over = false;
	due_run(it, DUE_SCHED_IN, 0, 0);
	due_run(it, DUE_OVERFLOW, 1, 0);
	KUNIT_EXPECT_EQ(test, 4, it->throttles);
	KUNIT_EXPECT_EQ(test, 1, it->samples);
}

/* max_samples does not limit samples of probes, and they do not count for other samples. */
static void throttle_event_has_no_rate(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	unsigned int most = hwpmc_throttle_max_rate() / 100, i;
	struct hwpmc_window after;
	struct hwpmc_cpu *pc;
	unsigned long flags;
	u64 throttled;

	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	hwpmc_defer_begin();
	due_begin_window(U64_MAX);
	hwpmc_throttle_event_begin(pc);
	for (i = 0; i < most + 1; i++)
		hwpmc_throttle_event_sample(pc, &it->link, 0);
	hwpmc_throttle_sample(pc, &it->link);
	throttled = it->link.throttled;
	after = pc->window;
	due_end_window();
	hwpmc_defer_end();
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, 0, after.full);
	KUNIT_EXPECT_EQ(test, most + 2, after.samples);
	KUNIT_EXPECT_EQ(test, most + 1, after.fired);
	KUNIT_EXPECT_EQ(test, 0ULL, throttled);
}

/* The ticks spent, and which events were throttled, in the order of throttle_events_run(). */
struct throttle_events {
	u64 spent;
	bool first, over, again, still, later;
};

/* The sample of the first event takes half of a window, of which a quarter may be spent. */
static void throttle_events_run(struct hwpmc_cpu *pc, struct hwpmc_link *link,
				struct throttle_events *seen)
{
	u64 ticks = throttle_window(), begun;

	due_begin_window(ticks / 4);
	begun = hwpmc_throttle_event_begin(pc);
	seen->first = hwpmc_throttle_event_throttled(pc, link, 0);
	hwpmc_throttle_event_sample(pc, link, 0);
	hwpmc_throttle_event_end(pc, begun - ticks / 2);
	seen->spent = pc->window.spent;
	seen->over = hwpmc_throttle_event_throttled(pc, link, 0);
	seen->again = hwpmc_throttle_event_throttled(pc, link, 0);
	/* The next window is in debt, and the one after it is not. */
	pc->window.begin++;
	seen->still = hwpmc_throttle_event_throttled(pc, link, 0);
	due_begin_window(ticks / 4);
	seen->later = hwpmc_throttle_event_throttled(pc, link, 0);
}

/* The time that samples of probes take is charged, and throttles them until the window is over. */
static void throttle_event_is_charged(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	struct throttle_events seen;
	struct hwpmc_budget saved;
	struct hwpmc_cpu *pc;
	unsigned long flags;

	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	hwpmc_defer_begin();
	saved = pc->budget;
	pc->budget.event = 64 * throttle_window();
	throttle_events_run(pc, &it->link, &seen);
	pc->budget = saved;
	due_end_window();
	hwpmc_defer_end();
	local_irq_restore(flags);
	due_read(it);
	KUNIT_EXPECT_GE(test, seen.spent, throttle_window() / 2);
	KUNIT_EXPECT_FALSE(test, seen.first);
	KUNIT_EXPECT_TRUE(test, seen.over);
	KUNIT_EXPECT_TRUE(test, seen.again);
	KUNIT_EXPECT_TRUE(test, seen.still);
	KUNIT_EXPECT_FALSE(test, seen.later);
	KUNIT_EXPECT_EQ(test, 0ULL, it->link.throttled);
	/* One THROTTLE record for the begin of throttling, and one for its end. */
	KUNIT_EXPECT_EQ(test, 2, it->throttles);
}

/* A window that began before the clock was reset has passed. Sleep resets x86's clock. */
static void throttle_clock_reset(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	u64 ticks = throttle_window(), now;
	struct hwpmc_window after;
	struct hwpmc_cpu *pc;
	unsigned long flags;
	bool throttled;

	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	hwpmc_defer_begin();
	now = hwpmc_arch_clock();
	pc->window = (struct hwpmc_window){
		.begin = now + 1000 * ticks, .limit = ticks / 4, .spent = ticks, .over = true,
	};
	it->link.throttled = pc->window.begin;
	hwpmc_throttle_event_begin(pc);
	throttled = hwpmc_throttle_event_throttled(pc, &it->link, 0);
	after = pc->window;
	pc->window = (struct hwpmc_window){};
	hwpmc_defer_end();
	local_irq_restore(flags);
	KUNIT_EXPECT_FALSE(test, throttled);
	KUNIT_EXPECT_GE(test, after.begin, now);
	KUNIT_EXPECT_LT(test, after.begin, now + 1000 * ticks);
	KUNIT_EXPECT_FALSE(test, after.over);
}

/* A thread that was throttled on another CPU migrates to a CPU that has no time left. */
static void throttle_event_migrates(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	struct hwpmc_sampler_cpu *sampler;
	struct hwpmc_cpu *pc;
	unsigned long flags;
	u64 first, second;

	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	hwpmc_defer_begin();
	sampler = this_cpu_ptr(it->pmc.sampled);
	due_begin_window(throttle_window() / 4);
	pc->window.over = true;
	it->link.throttled = 1;
	hwpmc_throttle_event_throttled(pc, &it->link, 1000);
	first = sampler->throttled_since;
	/* And once more, with a sample that no DROP record has reported. */
	sampler->throttled++;
	it->link.throttled = 1;
	hwpmc_throttle_event_throttled(pc, &it->link, 2000);
	second = sampler->throttled_since;
	due_end_window();
	hwpmc_defer_end();
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, 1000ULL, first);
	KUNIT_EXPECT_EQ(test, 1000ULL, second);
}

static struct kunit_case throttle_cases[] = {
	KUNIT_CASE(throttle_no_samples_of_interrupts),
	KUNIT_CASE(throttle_first_window),
	KUNIT_CASE(throttle_full_window_is_shared),
	KUNIT_CASE(throttle_new_window),
	KUNIT_CASE(throttle_debt),
	KUNIT_CASE(throttle_interrupt_is_charged),
	KUNIT_CASE(throttle_over),
	KUNIT_CASE(throttle_event_has_no_rate),
	KUNIT_CASE(throttle_event_is_charged),
	KUNIT_CASE(throttle_clock_reset),
	KUNIT_CASE(throttle_event_migrates),
	{}
};

struct kunit_suite hwpmc_throttle_suite = {
	.name		= "hwpmc_throttle",
	.init		= fixture_init,
	.exit		= due_exit,
	.test_cases	= throttle_cases,
};
