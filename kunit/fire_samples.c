// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_fire_samples: which events of a probe are sampled, and which samples are throttled
 * (kmod/pmc/fire.c). Run by kunit/run.c in KUnit's thread. No probe is in the kernel meanwhile.
 */
#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "due.h"
#include "fire_events.h"
#include "fixture.h"
#include "records.h"

/* Every third event is sampled: the third, the sixth and the ninth of eleven. */
static void fire_samples_each_period(struct kunit *test)
{
	struct hwpmc_log_probe *got = kunit_kzalloc(test, RECORDS_MAX_LENGTH, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, got);
	fire_set_period(3);
	fire_events(2);
	KUNIT_EXPECT_EQ(test, 0ULL, fire_samples(test).recorded);
	fire_events(1);
	KUNIT_EXPECT_EQ(test, 1ULL, fire_samples(test).recorded);
	fire_events(8);
	KUNIT_EXPECT_EQ(test, 11ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 12ULL, fire_it.link->due);
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, (u32)sizeof(*got), records_next(test, (void *)got));
		KUNIT_EXPECT_EQ(test, HWPMC_LOG_PROBE, got->sample.h.type);
		KUNIT_EXPECT_EQ(test, FIRE_PC, (unsigned long)got->sample.pc);
		KUNIT_EXPECT_EQ(test, 3ULL, got->sample.period);
		KUNIT_EXPECT_EQ(test, FIRE_RETVAL, got->retval);
	}
	KUNIT_EXPECT_EQ(test, 0U, records_next(test, (void *)got));
	KUNIT_EXPECT_EQ(test, 9ULL, fire_samples(test).events);
}

/* A link that logs its counts, and takes no samples, is due once and not again. */
static void fire_without_samples(struct kunit *test)
{
	struct hwpmc_pmc counts = { .owner = records_of(test)->owner };
	struct hwpmc_link *link = fire_it.link;

	link->pmc = &counts;
	fire_set_period(2);
	fire_events(5);
	KUNIT_EXPECT_EQ(test, 5ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 2ULL + S64_MAX, link->due);
}

/* When a window's time is spent, samples are throttled until the next; events still count. */
static void fire_throttles_samples(struct kunit *test)
{
	struct hwpmc_sampler_cpu sum;
	struct hwpmc_window *window;
	unsigned long flags;
	u64 throttled;

	fire_set_period(2);
	local_irq_save(flags);
	due_begin_window(U64_MAX);
	window = &this_cpu_ptr(&hwpmc_cpus)->window;
	window->over = true;
	fire_here(&fire_it.probe, 7);
	throttled = fire_it.link->throttled == window->begin;
	sum = fire_samples(test);
	window->begin++;
	window->over = false;
	fire_here(&fire_it.probe, 3);
	due_end_window();
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, throttled);
	KUNIT_EXPECT_EQ(test, 3ULL, sum.throttled);
	KUNIT_EXPECT_EQ(test, 6ULL, sum.events);
	KUNIT_EXPECT_EQ(test, 0ULL, sum.recorded);
	/* The eighth and the tenth are sampled. */
	sum = fire_samples(test);
	KUNIT_EXPECT_EQ(test, 10ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 3ULL, sum.throttled);
	KUNIT_EXPECT_EQ(test, 2ULL, sum.recorded);
	KUNIT_EXPECT_EQ(test, 1ULL, sum.throttles);
	KUNIT_EXPECT_EQ(test, 0ULL, fire_it.link->throttled);
}

/* While a link is throttled, another link of the same context still takes its samples. */
static void fire_throttles_one_link(struct kunit *test)
{
	struct records *records = records_of(test);
	struct hwpmc_link free = { .owner = records->owner };
	struct hwpmc_sampler_cpu omitted, taken;
	struct hwpmc_pmc other = records->pmc;
	unsigned long flags;

	other.sampled = alloc_percpu(struct hwpmc_sampler_cpu);
	KUNIT_ASSERT_TRUE(test, !!other.sampled);
	free.pmc = &other;
	fire_add(&free, &fire_it.th->ctx, &fire_it.probe);
	free.period = 3;
	free.due = 3;
	fire_set_period(1);
	local_irq_save(flags);
	due_begin_window(U64_MAX);
	fire_it.link->throttled = this_cpu_ptr(&hwpmc_cpus)->window.begin;
	fire_here(&fire_it.probe, 6);
	due_end_window();
	local_irq_restore(flags);
	fire_remove(&free);
	omitted = fire_samples(test);
	hwpmc_sampler_sum(&other, -1, &taken);
	free_percpu(other.sampled);
	KUNIT_EXPECT_EQ(test, 6ULL, omitted.throttled);
	KUNIT_EXPECT_EQ(test, 0ULL, omitted.recorded);
	KUNIT_EXPECT_EQ(test, 0ULL, taken.throttled);
	KUNIT_EXPECT_EQ(test, 2ULL, taken.recorded);
}

static struct kunit_case fire_samples_cases[] = {
	KUNIT_CASE(fire_samples_each_period),
	KUNIT_CASE(fire_without_samples),
	KUNIT_CASE(fire_throttles_samples),
	KUNIT_CASE(fire_throttles_one_link),
	{}
};

struct kunit_suite hwpmc_fire_samples_suite = {
	.name		= "hwpmc_fire_samples",
	.init		= fire_init,
	.exit		= fire_exit,
	.test_cases	= fire_samples_cases,
};
