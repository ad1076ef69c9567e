// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_pmuv3_set_period: rows that are set to overflow when their sum reaches a number
 * (arch/arm64/pmuv3_rows.c). Run by kunit/run.c in KUnit's thread, on fake registers.
 */
#include <kunit/test.h>

#include "fake_pmuv3.h"
#include "fixture.h"

#define SEL		0x08U

static const struct set_period_kind {
	const char *what;
	bool wide;
	unsigned int row;
	u64 reach;	/* largest number of events until an overflow */
} set_period_kinds[] = {
	{ "cycle counter", false, 0, BIT_ULL(63) },
	{ "32 bits", false, 1, BIT_ULL(31) },
	{ "32 bits, last row", false, 31, BIT_ULL(31) },
	{ "64 bits", true, 6, BIT_ULL(63) },
};

static void set_period_kind_name(const struct set_period_kind *kind, char *desc)
{
	strscpy(desc, kind->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(set_period_kind, set_period_kinds, set_period_kind_name);

/* Starts the row, with its slot at @sum. It counts only what advance() passes. */
static struct hwpmc_slot *set_period_begin(struct kunit *test,
					   const struct set_period_kind *kind, u64 sum)
{
	struct hwpmc_slot *slots = kunit_kcalloc(test, PMUV3_MAX_ROWS, sizeof(*slots), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, slots);
	fake_reset(test, kind->wide);
	fake_rows_set_width(kind->wide ? 64 : 32);
	fake_rows_up();
	fake_rows_program(kind->row, SEL, 0);
	slots[kind->row].sum = sum;
	fake_rows_in(slots, BIT_ULL(kind->row));
	return slots;
}

/* The row counts @events at once, during an ISB. */
static void advance(u64 events)
{
	fake_pmuv3.jump_at = fake_pmuv3.accesses + 1;
	fake_pmuv3.jump = events;
	fake_isb();
}

static bool overflowed(const struct set_period_kind *kind)
{
	return fake_pmuv3.flags & BIT(fake_place(kind->row));
}

/* The row overflows with the last of @events, and not before. */
static void expect_overflow_after(struct kunit *test, const struct set_period_kind *kind,
				  u64 events)
{
	advance(events - 1);
	KUNIT_EXPECT_FALSE_MSG(test, overflowed(kind), "before %llu", events);
	advance(1);
	KUNIT_EXPECT_TRUE_MSG(test, overflowed(kind), "at %llu", events);
}

static void set_period_exact(struct kunit *test)
{
	static const u64 lefts[] = { 1, 2, 1000, BIT_ULL(31) - 1, BIT_ULL(31) };
	const struct set_period_kind *kind = test->param_value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lefts); i++) {
		u64 sum = 5000000000ULL;
		struct hwpmc_slot *slots = set_period_begin(test, kind, sum);

		advance(7);
		fake_rows_set_period(slots, kind->row, sum + 7 + lefts[i], 0);
		KUNIT_EXPECT_EQ(test, sum + 7, slots[kind->row].sum);
		expect_overflow_after(test, kind, lefts[i]);
		fake_rows_fold(slots, BIT_ULL(kind->row));
		KUNIT_EXPECT_EQ(test, sum + 7 + lefts[i], slots[kind->row].sum);
	}
}

/* A sum that is due already overflows with the next event; no event is lost. */
static void set_period_past_due(struct kunit *test)
{
	const struct set_period_kind *kind = test->param_value;
	struct hwpmc_slot *slots = set_period_begin(test, kind, 1000);

	advance(50);
	fake_rows_set_period(slots, kind->row, 1020, 0);
	KUNIT_EXPECT_EQ(test, 1050ULL, slots[kind->row].sum);
	expect_overflow_after(test, kind, 1);
	/* Past due by 11, and put off by 300. */
	fake_rows_set_period(slots, kind->row, 1040, 300);
	KUNIT_EXPECT_EQ(test, 1051ULL, slots[kind->row].sum);
	KUNIT_EXPECT_FALSE(test, overflowed(kind));
	expect_overflow_after(test, kind, 311);
	fake_rows_set_period(slots, kind->row, 2000, 300);
	KUNIT_EXPECT_EQ(test, 1362ULL, slots[kind->row].sum);
	KUNIT_EXPECT_FALSE(test, overflowed(kind));
	expect_overflow_after(test, kind, 2000 - 1362);
}

/* Further than the counter can count: it overflows earlier, and the sum is exact. */
static void set_period_beyond_width(struct kunit *test)
{
	const struct set_period_kind *kind = test->param_value;
	struct hwpmc_slot *slots = set_period_begin(test, kind, 0);
	u64 due = kind->reach == BIT_ULL(63) ? kind->reach - 1 : 3 * kind->reach + 10;
	u64 step = min(due, kind->reach);

	fake_rows_set_period(slots, kind->row, due, 0);
	advance(step - 1);
	KUNIT_EXPECT_FALSE(test, overflowed(kind));
	advance(1);
	KUNIT_EXPECT_TRUE(test, overflowed(kind));
	fake_rows_fold(slots, BIT_ULL(kind->row));
	KUNIT_EXPECT_EQ(test, step, slots[kind->row].sum);
}

/* A stopped row counts nothing; what it counted before can be folded. */
static void set_period_after_stop(struct kunit *test)
{
	const struct set_period_kind *kind = test->param_value;
	struct hwpmc_slot *slots = set_period_begin(test, kind, 0);

	fake_rows_set_period(slots, kind->row, 100, 0);
	advance(60);
	fake_rows_stop(BIT_ULL(kind->row));
	advance(1000);
	fake_rows_fold(slots, BIT_ULL(kind->row));
	KUNIT_EXPECT_EQ(test, 60ULL, slots[kind->row].sum);
	fake_rows_in(slots, BIT_ULL(kind->row));
	fake_rows_set_period(slots, kind->row, 100, 0);
	advance(39);
	KUNIT_EXPECT_FALSE(test, overflowed(kind));
	advance(1);
	KUNIT_EXPECT_TRUE(test, overflowed(kind));
}

static struct kunit_case set_period_cases[] = {
	KUNIT_CASE_PARAM(set_period_exact, set_period_kind_gen_params),
	KUNIT_CASE_PARAM(set_period_past_due, set_period_kind_gen_params),
	KUNIT_CASE_PARAM(set_period_beyond_width, set_period_kind_gen_params),
	KUNIT_CASE_PARAM(set_period_after_stop, set_period_kind_gen_params),
	{}
};

struct kunit_suite hwpmc_pmuv3_set_period_suite = {
	.name		= "hwpmc_pmuv3_set_period",
	.test_cases	= set_period_cases,
};
