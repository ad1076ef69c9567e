// SPDX-License-Identifier: GPL-2.0-only
/* PMUv3: rows that are to overflow when their sum comes to a number (arch/arm64/pmuv3_rows.c). */
#include <kunit/test.h>

#include "fake_pmuv3.h"
#include "fixture.h"

#define SEL		0x08U

static const struct aim_kind {
	const char *what;
	bool wide;
	unsigned int row;
	u64 most;	/* of events before it must overflow */
} aim_kinds[] = {
	{ "cycle counter", false, 0, BIT_ULL(63) },
	{ "32 bits", false, 1, BIT_ULL(31) },
	{ "32 bits, last row", false, 31, BIT_ULL(31) },
	{ "64 bits", true, 6, BIT_ULL(63) },
};

static void aim_kind_name(const struct aim_kind *kind, char *desc)
{
	strscpy(desc, kind->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(aim_kind, aim_kinds, aim_kind_name);

/* The row runs and its slot is at @sum; nothing is counted but what count() says. */
static struct hwpmc_slot *aim_begin(struct kunit *test, const struct aim_kind *kind, u64 sum)
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

/* @events happen at once, in one access that changes nothing. */
static void count(u64 events)
{
	fake_pmuv3.jump_at = fake_pmuv3.accesses + 1;
	fake_pmuv3.jump = events;
	fake_isb();
}

static bool flag(const struct aim_kind *kind)
{
	return fake_pmuv3.flags & BIT(fake_place(kind->row));
}

static void aim_exact(struct kunit *test)
{
	static const u64 lefts[] = { 1, 2, 1000, BIT_ULL(31) - 1, BIT_ULL(31) };
	const struct aim_kind *kind = test->param_value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lefts); i++) {
		u64 sum = 5000000000ULL;
		struct hwpmc_slot *slots = aim_begin(test, kind, sum);

		count(7);
		fake_rows_aim(slots, kind->row, sum + 7 + lefts[i]);
		KUNIT_EXPECT_EQ(test, sum + 7, slots[kind->row].sum);
		count(lefts[i] - 1);
		KUNIT_EXPECT_FALSE_MSG(test, flag(kind), "before %llu", lefts[i]);
		count(1);
		KUNIT_EXPECT_TRUE_MSG(test, flag(kind), "at %llu", lefts[i]);
		fake_rows_fold(slots, BIT_ULL(kind->row));
		KUNIT_EXPECT_EQ(test, sum + 7 + lefts[i], slots[kind->row].sum);
	}
}

/* What is due already overflows with the next event; nothing is lost. */
static void aim_past(struct kunit *test)
{
	const struct aim_kind *kind = test->param_value;
	struct hwpmc_slot *slots = aim_begin(test, kind, 1000);

	count(50);
	fake_rows_aim(slots, kind->row, 1020);
	KUNIT_EXPECT_EQ(test, 1050ULL, slots[kind->row].sum);
	KUNIT_EXPECT_FALSE(test, flag(kind));
	count(1);
	KUNIT_EXPECT_TRUE(test, flag(kind));
	fake_rows_aim(slots, kind->row, 2000);
	KUNIT_EXPECT_EQ(test, 1051ULL, slots[kind->row].sum);
	KUNIT_EXPECT_FALSE(test, flag(kind));
	count(2000 - 1051 - 1);
	KUNIT_EXPECT_FALSE(test, flag(kind));
	count(1);
	KUNIT_EXPECT_TRUE(test, flag(kind));
}

/* Further than the counter counts: it overflows on the way, and the sum stays right. */
static void aim_far(struct kunit *test)
{
	const struct aim_kind *kind = test->param_value;
	struct hwpmc_slot *slots = aim_begin(test, kind, 0);
	u64 due = kind->most == BIT_ULL(63) ? kind->most - 1 : 3 * kind->most + 10;
	u64 step = min(due, kind->most);

	fake_rows_aim(slots, kind->row, due);
	count(step - 1);
	KUNIT_EXPECT_FALSE(test, flag(kind));
	count(1);
	KUNIT_EXPECT_TRUE(test, flag(kind));
	fake_rows_fold(slots, BIT_ULL(kind->row));
	KUNIT_EXPECT_EQ(test, step, slots[kind->row].sum);
}

/* A parked row counts nothing, and keeps what it counted before. */
static void aim_park(struct kunit *test)
{
	const struct aim_kind *kind = test->param_value;
	struct hwpmc_slot *slots = aim_begin(test, kind, 0);

	fake_rows_aim(slots, kind->row, 100);
	count(60);
	fake_rows_park(BIT_ULL(kind->row));
	count(1000);
	fake_rows_fold(slots, BIT_ULL(kind->row));
	KUNIT_EXPECT_EQ(test, 60ULL, slots[kind->row].sum);
	fake_rows_in(slots, BIT_ULL(kind->row));
	fake_rows_aim(slots, kind->row, 100);
	count(39);
	KUNIT_EXPECT_FALSE(test, flag(kind));
	count(1);
	KUNIT_EXPECT_TRUE(test, flag(kind));
}

static struct kunit_case aim_cases[] = {
	KUNIT_CASE_PARAM(aim_exact, aim_kind_gen_params),
	KUNIT_CASE_PARAM(aim_past, aim_kind_gen_params),
	KUNIT_CASE_PARAM(aim_far, aim_kind_gen_params),
	KUNIT_CASE_PARAM(aim_park, aim_kind_gen_params),
	{}
};

struct kunit_suite hwpmc_pmuv3_aim_suite = {
	.name		= "hwpmc_pmuv3_aim",
	.test_cases	= aim_cases,
};
