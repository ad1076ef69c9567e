// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_sampler: memory for the counts of samples (kmod/pmc/sampler.c): system-wide PMCs of
 * different CPUs share it, and do not see each other's counts. Run by kunit/run.c in KUnit's
 * thread.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/percpu.h>

#include "../kmod/base/owner.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/pmc/sampler.h"
#include "fixture.h"

static struct hwpmc_owner sampler_owner;

static int sampler_init(struct kunit *test)
{
	INIT_LIST_HEAD(&sampler_owner.sampler_blocks);
	return 0;
}

static struct hwpmc_pmc sampler_pmc(int cpu)
{
	return (struct hwpmc_pmc) {
		.owner = &sampler_owner,
		.mode = cpu < 0 ? HWPMC_MODE_TS : HWPMC_MODE_SS,
		.cpu = cpu,
	};
}

/* One PMC on each CPU takes one allocation; a second PMC on a CPU takes another. */
static void sampler_shares_memory(struct kunit *test)
{
	struct hwpmc_pmc one = sampler_pmc(0), same = sampler_pmc(0), other = sampler_pmc(1);
	struct hwpmc_sampler_cpu sum;

	if (nr_cpu_ids < 2)
		kunit_skip(test, "one CPU");
	KUNIT_ASSERT_EQ(test, 0, hwpmc_sampler_alloc(&one));
	KUNIT_ASSERT_EQ(test, 0, hwpmc_sampler_alloc(&other));
	KUNIT_ASSERT_EQ(test, 0, hwpmc_sampler_alloc(&same));
	KUNIT_EXPECT_TRUE(test, one.sampled == other.sampled);
	KUNIT_EXPECT_TRUE(test, one.sampled != same.sampled);
	per_cpu_ptr(one.sampled, 0)->recorded = 3;
	per_cpu_ptr(other.sampled, 1)->recorded = 4;
	hwpmc_sampler_sum(&one, -1, &sum);
	KUNIT_EXPECT_EQ(test, 3ULL, sum.recorded);
	hwpmc_sampler_sum(&other, -1, &sum);
	KUNIT_EXPECT_EQ(test, 4ULL, sum.recorded);
	hwpmc_sampler_sum(&other, 0, &sum);
	KUNIT_EXPECT_EQ(test, 0ULL, sum.recorded);
	hwpmc_sampler_free(&one);
	hwpmc_sampler_free(&same);
	KUNIT_EXPECT_EQ(test, 4ULL, per_cpu_ptr(other.sampled, 1)->recorded);
	hwpmc_sampler_free(&other);
	KUNIT_EXPECT_TRUE(test, list_empty(&sampler_owner.sampler_blocks));
}

/* A PMC that gets the memory of an earlier one begins at 0. */
static void sampler_clears_memory(struct kunit *test)
{
	struct hwpmc_pmc first = sampler_pmc(0), next = sampler_pmc(0), keeps = sampler_pmc(1);
	struct hwpmc_sampler_cpu sum;

	if (nr_cpu_ids < 2)
		kunit_skip(test, "one CPU");
	KUNIT_ASSERT_EQ(test, 0, hwpmc_sampler_alloc(&keeps));
	KUNIT_ASSERT_EQ(test, 0, hwpmc_sampler_alloc(&first));
	per_cpu_ptr(first.sampled, 0)->lost = 5;
	hwpmc_sampler_free(&first);
	KUNIT_ASSERT_EQ(test, 0, hwpmc_sampler_alloc(&next));
	KUNIT_EXPECT_TRUE(test, keeps.sampled == next.sampled);
	hwpmc_sampler_sum(&next, -1, &sum);
	KUNIT_EXPECT_EQ(test, 0ULL, sum.lost);
	hwpmc_sampler_free(&next);
	hwpmc_sampler_free(&keeps);
}

/* A virtual PMC has memory of its own: it may sample on each CPU. */
static void sampler_of_virtual_is_its_own(struct kunit *test)
{
	struct hwpmc_pmc system = sampler_pmc(0), virtual = sampler_pmc(-1);

	KUNIT_ASSERT_EQ(test, 0, hwpmc_sampler_alloc(&system));
	KUNIT_ASSERT_EQ(test, 0, hwpmc_sampler_alloc(&virtual));
	KUNIT_EXPECT_TRUE(test, system.sampled != virtual.sampled);
	hwpmc_sampler_free(&virtual);
	hwpmc_sampler_free(&system);
}

static struct kunit_case sampler_cases[] = {
	KUNIT_CASE(sampler_shares_memory),
	KUNIT_CASE(sampler_clears_memory),
	KUNIT_CASE(sampler_of_virtual_is_its_own),
	{}
};

struct kunit_suite hwpmc_sampler_suite = {
	.name		= "hwpmc_sampler",
	.init		= sampler_init,
	.test_cases	= sampler_cases,
};
