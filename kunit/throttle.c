// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_throttle: a link that takes too many samples in a window is throttled, and links
 * on the same CPU get their share (kmod/pmc/throttle.c). Run by kunit/run.c in KUnit's thread.
 */
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/time64.h>

#include "../kmod/log/log.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/sampler.h"
#include "../kmod/pmc/throttle.h"
#include "due.h"
#include "fixture.h"

#define THROTTLE_EVENTS	BIT_ULL(30)	/* events until a throttled row overflows */

/* Interrupts take no samples while throttled; one is taken at sched-out, and no event is lost. */
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

/* Accounts a sample on this CPU that was begun at @begun ns. */
static void throttle_sample(struct due_case *it, u64 begun)
{
	hwpmc_defer_begin();
	hwpmc_throttle_sample(this_cpu_ptr(&hwpmc_cpus), &it->link, begun);
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
	window = &this_cpu_ptr(&hwpmc_cpus)->window;
	*window = (struct hwpmc_window){ .samples = enough, .pmcs = 1, .before = before };
	it->link.throttled = 0;
	while (!it->link.throttled && taken++ < enough) {
		/* In one window and taking no time, however slow the host is. */
		window->begin = ktime_get_mono_fast_ns();
		window->samples = enough;
		this_cpu_ptr(it->pmc.sampled)->window = taken > 1 ? window->begin : 0;
		throttle_sample(it, window->begin);
	}
	local_irq_restore(flags);
	due_read(it);
	return taken;
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

/* A new window takes over the number of PMCs that sampled in the last, and resets the rest. */
static void throttle_new_window(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	u64 now = ktime_get_mono_fast_ns();
	struct hwpmc_sampler_cpu *sampler;
	struct hwpmc_window seen;
	unsigned int taken;
	unsigned long flags;

	local_irq_save(flags);
	sampler = this_cpu_ptr(it->pmc.sampled);
	sampler->window = now - 10 * NSEC_PER_MSEC;
	sampler->taken = 7;
	this_cpu_ptr(&hwpmc_cpus)->window = (struct hwpmc_window){
		.begin = sampler->window, .samples = 1000000, .full = 1000, .pmcs = 5,
	};
	throttle_sample(it, now);
	/* Another thread of the same PMC. */
	it->link.throttled = 0;
	throttle_sample(it, now);
	seen = this_cpu_ptr(&hwpmc_cpus)->window;
	taken = sampler->taken;
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, now, seen.begin);
	KUNIT_EXPECT_EQ(test, 5, seen.before);
	KUNIT_EXPECT_EQ(test, 1, seen.pmcs);
	KUNIT_EXPECT_EQ(test, 2, seen.samples);
	KUNIT_EXPECT_EQ(test, 0, seen.full);
	KUNIT_EXPECT_EQ(test, 2, taken);
	KUNIT_EXPECT_EQ(test, 0ULL, it->link.throttled);
}

static struct kunit_case throttle_cases[] = {
	KUNIT_CASE(throttle_no_samples_of_interrupts),
	KUNIT_CASE(throttle_full_window_is_shared),
	KUNIT_CASE(throttle_new_window),
	{}
};

struct kunit_suite hwpmc_throttle_suite = {
	.name		= "hwpmc_throttle",
	.init		= fixture_init,
	.exit		= due_exit,
	.test_cases	= throttle_cases,
};
