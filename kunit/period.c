// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_period: a period is adapted to a frequency (hwpmc_period_adapt() in
 * kmod/pmc/period.c, a pure function). Run by kunit/run.c in KUnit's thread.
 */
#include <linux/math64.h>
#include <linux/time64.h>

#include "../kmod/pmc/period.h"
#include "fixture.h"

#define PERIOD_MAX	BIT_ULL(56)

/* For any arguments the period is within the limits. */
static void period_within_limits(struct kunit *test)
{
	static const u64 odd[] = {
		0, 1, 7, 1000, 10000, BIT_ULL(31), BIT_ULL(32) - 1, BIT_ULL(47), BIT_ULL(55),
		BIT_ULL(56), BIT_ULL(63) - 1, BIT_ULL(63), U64_MAX,
	};
	static const u32 frequencies[] = { 0, 1, 97, 99999, NSEC_PER_SEC, U32_MAX };
	unsigned int p, n, e, f;

	for (p = 0; odd[p] <= PERIOD_MAX; p++)
		for (n = 0; n < ARRAY_SIZE(odd); n++)
			for (e = 0; e < ARRAY_SIZE(odd); e++)
				for (f = 0; f < ARRAY_SIZE(frequencies); f++) {
					u64 next = hwpmc_period_adapt(odd[p], odd[n], odd[e],
								      frequencies[f]);

					KUNIT_ASSERT_GE(test, next, hwpmc_period_min());
					KUNIT_ASSERT_LE(test, next, PERIOD_MAX);
				}
}

/*
 * The new period is at most the mean of the old one and 8 times the old one, and at least the mean
 * of the old one and an eighth of it.
 */
static void period_step_is_limited(struct kunit *test)
{
	u64 period = hwpmc_period_min() * 1000;

	KUNIT_EXPECT_EQ(test, (period + 8 * period) / 2,
			hwpmc_period_adapt(period, 1, U64_MAX, 1));
	KUNIT_EXPECT_EQ(test, (period + period / 8) / 2,
			hwpmc_period_adapt(period, U64_MAX, 1, 1));
	/* A period that gives the frequency is kept. */
	KUNIT_EXPECT_EQ(test, period, hwpmc_period_adapt(period, NSEC_PER_MSEC, period, 1000));
}

/**
 * struct period_case - an event at a constant rate
 * @rate: events per microsecond
 * @frequency: samples per second asked for
 */
struct period_case {
	u64 rate;
	u32 frequency;
};

static const struct period_case period_rates[] = {
	{ 1, 1 }, { 1, 97 }, { 30, 1000 }, { 3000, 1 }, { 3000, 4000 }, { 3000, 100000 },
	{ 20000, 999 },
};

static void period_case_name(const struct period_case *it, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%llu a us, %u Hz", it->rate, it->frequency);
}

KUNIT_ARRAY_PARAM(period_case, period_rates, period_case_name);

/* From any start to within 5% of the right period, in 60 samples. */
static void period_converges_to_frequency(struct kunit *test)
{
	static const u64 starts[] = { 1000, 10000, BIT_ULL(40) };
	const struct period_case *it = test->param_value;
	u64 right = max(it->rate * USEC_PER_SEC / it->frequency, hwpmc_period_min());
	unsigned int i, samples;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		u64 period = starts[i];

		for (samples = 0; samples < 60; samples++)
			period = hwpmc_period_adapt(period, period * 1000 / it->rate, period,
						    it->frequency);
		KUNIT_EXPECT_GE(test, period, right - right / 20);
		KUNIT_EXPECT_LE(test, period, right + right / 20);
	}
}

static struct kunit_case period_cases[] = {
	KUNIT_CASE(period_within_limits),
	KUNIT_CASE(period_step_is_limited),
	KUNIT_CASE_PARAM(period_converges_to_frequency, period_case_gen_params),
	{}
};

struct kunit_suite hwpmc_period_suite = {
	.name		= "hwpmc_period",
	.test_cases	= period_cases,
};
