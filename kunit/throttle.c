// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of a link that samples too much (kmod/pmc/throttle.c), and of others beside it. */
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

#define THROTTLE_FAR	BIT_ULL(30)	/* where a throttled row is aimed at, from where it is */

/* No samples of interrupts then; what came due is one when it leaves, and nothing is lost. */
static void throttle_held(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);

	due_happens(it, DUE_COME, 0, 0);
	due_happens(it, DUE_OVERFLOW, DUE_PERIOD, hwpmc_throttle_max_rate());
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	KUNIT_EXPECT_EQ(test, 1, it->throttles);
	KUNIT_EXPECT_EQ(test, DUE_PERIOD, it->logged);
	KUNIT_EXPECT_EQ(test, DUE_PERIOD + THROTTLE_FAR, due_aimed);
	due_happens(it, DUE_OVERFLOW, 5 * DUE_PERIOD, 0);
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	due_happens(it, DUE_LEAVE, 7, 0);
	KUNIT_EXPECT_EQ(test, 2, it->samples);
	KUNIT_EXPECT_EQ(test, 1, it->late);
	KUNIT_EXPECT_EQ(test, 5 * DUE_PERIOD, it->last);
	/* Each begins in a window of its own, so that one is over. */
	due_happens(it, DUE_COME, 0, 0);
	KUNIT_EXPECT_EQ(test, 2, it->throttles);
	KUNIT_EXPECT_EQ(test, 7 * DUE_PERIOD, due_aimed);
}

/* A sample on this CPU, begun at @begun. */
static void throttle_sample(struct due_case *it, u64 begun)
{
	hwpmc_defer_begin();
	hwpmc_throttle_sample(this_cpu_ptr(&hwpmc_cpus), &it->link, begun);
	hwpmc_defer_end();
}

/* After how many samples it is throttled in a window that another filled, @before before. */
static unsigned int throttle_share(struct due_case *it, unsigned int before)
{
	unsigned int taken = 0, enough = hwpmc_throttle_max_rate() / 100;
	struct hwpmc_window *window;
	unsigned long flags;

	local_irq_save(flags);
	window = &this_cpu_ptr(&hwpmc_cpus)->window;
	*window = (struct hwpmc_window){ .samples = enough, .pmcs = 1, .before = before };
	it->link.throttled = 0;
	while (!it->link.throttled && taken++ < enough) {
		/* In one window, and in no time, however slow the host is: none is timed. */
		window->begin = ktime_get_mono_fast_ns();
		window->samples = enough;
		this_cpu_ptr(it->pmc.sampled)->window = taken > 1 ? window->begin : 0;
		throttle_sample(it, window->begin);
	}
	local_irq_restore(flags);
	due_read(it);
	return taken;
}

static void throttle_shared(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	unsigned int full = hwpmc_throttle_max_rate() / 100 + 1;

	KUNIT_EXPECT_EQ(test, full / 2, throttle_share(it, 1));
	KUNIT_EXPECT_EQ(test, full / 5, throttle_share(it, 5));
	KUNIT_EXPECT_EQ(test, 1, throttle_share(it, 10 * full));
	KUNIT_EXPECT_EQ(test, 3, it->throttles);
}

/* How many PMCs sampled in a window is told to the next one. */
static void throttle_windows(struct kunit *test)
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
	KUNIT_CASE(throttle_held),
	KUNIT_CASE(throttle_shared),
	KUNIT_CASE(throttle_windows),
	{}
};

struct kunit_suite hwpmc_throttle_suite = {
	.name		= "hwpmc_throttle",
	.init		= fixture_init,
	.exit		= due_exit,
	.test_cases	= throttle_cases,
};
