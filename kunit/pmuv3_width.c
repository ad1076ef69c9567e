// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_pmuv3_width: sums are exact although counters wrap (arch/arm64/pmuv3_rows.c). The
 * fake registers record how many events were counted between two reads.
 * Run by kunit/run.c in KUnit's thread.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "fake_pmuv3.h"
#include "fixture.h"

#define SEL		0x08U

/* Sets of rows that reach every branch of the code that reads them. */
static const struct width_kind {
	const char *what;
	bool wide;
	u64 rows;
} width_kinds[] = {
	{ "cycle counter", false, BIT_ULL(0) },
	{ "one counter", false, BIT_ULL(1) },
	{ "three counters", false, GENMASK_ULL(3, 1) },
	{ "four counters", false, GENMASK_ULL(3, 0) },
	{ "row 4 alone", false, BIT_ULL(4) },
	{ "six counters", false, GENMASK_ULL(6, 0) },
	{ "row 7 alone", false, BIT_ULL(7) },
	{ "the last row alone", false, BIT_ULL(31) },
	{ "the first and the last", false, BIT_ULL(0) | BIT_ULL(31) },
	{ "all rows", false, FAKE_ROWS },
	{ "64 bits: one counter", true, BIT_ULL(1) },
	{ "64 bits: six counters", true, GENMASK_ULL(6, 0) },
	{ "64 bits: all rows", true, FAKE_ROWS },
};

static void width_kind_name(const struct width_kind *kind, char *desc)
{
	strscpy(desc, kind->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(width_kind, width_kinds, width_kind_name);

/**
 * struct width - the slots of a context, and their expected sums
 * @slots: the slots
 * @from: by row: events counted before the read at which the sum was last brought up to date
 * @sum: by row: the expected sum
 */
struct width {
	struct hwpmc_slot slots[PMUV3_MAX_ROWS];
	u64 from[PMUV3_MAX_ROWS];
	u64 sum[PMUV3_MAX_ROWS];
};

/* Programs @rows to wrap after @left events. */
static void width_begin(struct kunit *test, bool wide, u64 rows, u64 left)
{
	unsigned int row;

	fake_reset(test, wide);
	fake_rows_set_width(wide ? 64 : 32);
	fake_rows_up();
	for (row = 0; row < PMUV3_MAX_ROWS; row++)
		if (rows & BIT_ULL(row))
			fake_rows_program(row, SEL, -left);
	fake_pmuv3.step = 1;
}

static void width_in(struct width *w, u64 rows)
{
	unsigned int row;

	fake_rows_in(w->slots, rows);
	for (row = 0; row < PMUV3_MAX_ROWS; row++)
		w->from[row] = fake_pmuv3.at_read[fake_place(row)];
}

/* After a fold of @rows every sum is exact up to the last reading. */
static void width_check(struct kunit *test, struct width *w, u64 rows)
{
	unsigned int row;

	for (row = 0; row < PMUV3_MAX_ROWS; row++) {
		/* One failure per test: every later sum is wrong too. */
		if (!(rows & BIT_ULL(row)) || test->status == KUNIT_FAILURE ||
		    fake_pmuv3.double_wrap)
			continue;
		w->sum[row] += fake_pmuv3.at_read[fake_place(row)] - w->from[row];
		w->from[row] = fake_pmuv3.at_read[fake_place(row)];
		KUNIT_EXPECT_EQ_MSG(test, w->sum[row], w->slots[row].sum, "row %u", row);
	}
}

static void width_fold(struct kunit *test, struct width *w, u64 rows)
{
	fake_rows_fold(w->slots, rows);
	width_check(test, w, rows);
}

static struct width *width_new(struct kunit *test)
{
	struct width *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	return w;
}

static void width_no_wrap(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_new(test);
	unsigned int i;

	width_begin(test, kind->wide, kind->rows, BIT_ULL(31));
	width_in(w, kind->rows);
	for (i = 0; i < 5; i++) {
		fake_pmuv3.jump_at = fake_pmuv3.accesses + 1;
		fake_pmuv3.jump = 1000;
		width_fold(test, w, kind->rows);
	}
}

/* A wrap while the context is on a CPU, well before the fold. */
static void width_wrap_before_fold(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_new(test);
	unsigned int i;

	width_begin(test, kind->wide, kind->rows, 1000);
	width_in(w, kind->rows);
	for (i = 0; i < 3; i++) {
		fake_pmuv3.jump_at = fake_pmuv3.accesses + 1;
		/* After the first round, count almost as far as a second wrap. */
		fake_pmuv3.jump = i ? U32_MAX - 500 : 2000;
		fake_isb();
		width_fold(test, w, kind->rows);
	}
	/* Nothing is counted twice. */
	width_fold(test, w, kind->rows);
}

/* The interrupt folds the rows that have overflowed, and no others. */
static void width_interrupt_folds_overflowed(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_new(test);
	u64 found;

	width_begin(test, kind->wide, kind->rows, 1000);
	width_in(w, kind->rows);
	KUNIT_EXPECT_EQ(test, 0, fake_rows_overflowed());
	fake_pmuv3.jump_at = fake_pmuv3.accesses + 1;
	fake_pmuv3.jump = 2000;
	fake_isb();
	found = fake_rows_overflowed();
	KUNIT_EXPECT_EQ(test, kind->rows, found);
	/* After one row is folded, the flags of the others are still set. */
	fake_rows_fold_overflowed(w->slots, found & -found);
	width_check(test, w, found & -found);
	KUNIT_EXPECT_EQ(test, found & (found - 1), fake_rows_overflowed());
	if (found & (found - 1)) {
		fake_rows_fold_overflowed(w->slots, found & (found - 1));
		width_check(test, w, found & (found - 1));
	}
	KUNIT_EXPECT_EQ(test, 0, fake_rows_overflowed());
	width_fold(test, w, kind->rows);
}

/* A wrap at each access of the operation in, and of the folds after it. */
static void width_wrap_at_any_access(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_new(test);
	unsigned int at;

	for (at = 1; at < 160; at++) {
		memset(w, 0, sizeof(*w));
		width_begin(test, kind->wide, kind->rows, 5000);
		fake_pmuv3.jump_at = fake_pmuv3.accesses + at;
		fake_pmuv3.jump = 5000;
		width_in(w, kind->rows);
		width_fold(test, w, kind->rows);
		width_fold(test, w, kind->rows);
		fake_isb();
		width_fold(test, w, kind->rows);
	}
}

/* The counters wrap one after the other while they are read. */
static void width_wraps_during_reads(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_new(test);
	unsigned int spread, row, round;

	for (spread = 1; spread < 8; spread++) {
		memset(w, 0, sizeof(*w));
		width_begin(test, kind->wide, kind->rows, 0);
		for (row = 0; row < PMUV3_MAX_ROWS; row++)
			if (kind->rows & BIT_ULL(row))
				fake_rows_program(row, SEL, -(u64)(200 + spread * row));
		width_in(w, kind->rows);
		for (round = 0; round < 20; round++)
			width_fold(test, w, kind->rows);
	}
}

/* A second wrap while the first is folded, wherever one flag still distinguishes them. */
static void width_second_wrap_during_fold(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_new(test);
	unsigned int left, at, exact = 0;

	for (left = 1; left < 12; left++) {
		for (at = 1; at < 24; at++) {
			memset(w, 0, sizeof(*w));
			width_begin(test, kind->wide, kind->rows, left);
			width_in(w, kind->rows);
			fake_pmuv3.jump_at = fake_pmuv3.accesses + at;
			fake_pmuv3.jump = U32_MAX - 1;
			width_fold(test, w, kind->rows);
			exact += !fake_pmuv3.double_wrap;
		}
	}
	KUNIT_EXPECT_GT(test, exact, 0);
	fake_pmuv3.double_wrap = false;
}

/* So many events per access that the counter wraps again while the wrap is folded. */
static void width_repeated_wraps_during_fold(struct kunit *test)
{
	const u64 rows = BIT_ULL(1);
	struct width *w = width_new(test);
	unsigned int i;

	width_begin(test, false, rows, 10);
	fake_pmuv3.step = BIT_ULL(28) + 12345;
	width_in(w, rows);
	for (i = 0; i < 100; i++)
		width_fold(test, w, rows);
}

/* A wrap that is flagged when the context is scheduled in is not counted for it. */
static void width_earlier_flag_ignored(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_new(test);

	width_begin(test, kind->wide, kind->rows, 100);
	fake_pmuv3.jump_at = fake_pmuv3.accesses + 1;
	fake_pmuv3.jump = 300;
	fake_isb();
	KUNIT_EXPECT_NE(test, 0, fake_pmuv3.flags);
	width_in(w, kind->rows);
	KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.flags);
	width_fold(test, w, kind->rows);
	fake_isb();
	width_fold(test, w, kind->rows);
}

/* Events between sched-out and sched-in are not counted. */
static void width_time_off_not_counted(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_new(test);
	unsigned int i;

	width_begin(test, kind->wide, kind->rows, 1000);
	for (i = 0; i < 10; i++) {
		width_in(w, kind->rows);
		fake_pmuv3.jump_at = fake_pmuv3.accesses + 1;
		fake_pmuv3.jump = BIT_ULL(30);
		fake_isb();
		width_fold(test, w, kind->rows);
		fake_pmuv3.jump_at = fake_pmuv3.accesses + 1;
		fake_pmuv3.jump = BIT_ULL(31);
		fake_isb();
	}
}

/* The interrupt finds the row that overflowed, and folds it alone. */
static void width_interrupt_finds_row(struct kunit *test)
{
	const u64 rows = BIT_ULL(0) | BIT_ULL(2) | BIT_ULL(5);
	struct width *w = width_new(test);

	width_begin(test, false, rows, 0);
	fake_rows_program(5, SEL, -10ULL);
	width_in(w, rows);
	KUNIT_EXPECT_EQ(test, 0, fake_rows_overflowed());
	fake_pmuv3.jump_at = fake_pmuv3.accesses + 1;
	fake_pmuv3.jump = 20;
	fake_isb();
	KUNIT_EXPECT_EQ(test, BIT_ULL(5), fake_rows_overflowed());
	fake_rows_fold_overflowed(w->slots, BIT_ULL(5));
	width_check(test, w, BIT_ULL(5));
	KUNIT_EXPECT_EQ(test, 0, fake_rows_overflowed());
	width_fold(test, w, rows);
}

/* For reads in user mode: counters begin at half of their range, with their flags cleared. */
static void width_user_in_sets(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_new(test);
	unsigned int row;

	width_begin(test, kind->wide, kind->rows, 100);
	fake_pmuv3.flags = ~0U;
	fake_rows_user_in(w->slots, kind->rows);
	for (row = 0; row < PMUV3_MAX_ROWS; row++) {
		u64 half = BIT_ULL(kind->wide || row == PMUV3_ROW_CYCLES ? 63 : 31);
		unsigned int place = fake_place(row);

		KUNIT_EXPECT_NE(test, fake_rows_user_index(row), 0U);
		if (!(kind->rows & BIT_ULL(row)))
			continue;
		KUNIT_EXPECT_EQ(test, w->slots[row].start, half);
		KUNIT_EXPECT_LE(test, fake_pmuv3.counter[place] - half,
				fake_pmuv3.step * fake_pmuv3.accesses);
		KUNIT_EXPECT_FALSE(test, fake_pmuv3.flags & BIT(place));
		KUNIT_EXPECT_FALSE(test, fake_pmuv3.unsynced[FAKE_COUNTER] & BIT(place));
	}
}

/* Each row has its own flag, and an ack clears only that. */
static void width_ack_clears_own_flag(struct kunit *test)
{
	unsigned int row;

	width_begin(test, false, 0, 0);
	for (row = 0; row < PMUV3_MAX_ROWS; row++) {
		fake_pmuv3.flags = BIT(fake_place(row));
		KUNIT_EXPECT_EQ(test, BIT_ULL(row), fake_rows_overflowed());
		fake_pmuv3.flags = ~0U;
		fake_rows_ack(BIT_ULL(row));
		KUNIT_EXPECT_EQ(test, (u32)~BIT(fake_place(row)), fake_pmuv3.flags);
		KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.unsynced[FAKE_FLAG]);
	}
}

/*
 * An NMI that must leave a flag set disables its interrupt, and what clears the flag enables it:
 * a fold, a schedule in or an ack.
 */
static void width_mask_until_clear(struct kunit *test)
{
	const u64 rows = GENMASK_ULL(6, 1);
	struct width *w = width_new(test);
	u32 mine = BIT(fake_place(5));
	unsigned int by;

	for (by = 0; by < 3; by++) {
		width_begin(test, false, rows, 0);
		fake_pmuv3.nmi = true;
		fake_rows_program(5, SEL, -10ULL);
		width_in(w, rows);
		fake_pmuv3.jump_at = fake_pmuv3.accesses + 1;
		fake_pmuv3.jump = 20;
		fake_isb();
		KUNIT_EXPECT_EQ(test, BIT_ULL(5), fake_rows_overflowed());
		KUNIT_EXPECT_TRUE(test, fake_pmuv3.interrupts & mine);
		fake_rows_mask(BIT_ULL(5));
		KUNIT_EXPECT_FALSE(test, fake_pmuv3.interrupts & mine);
		KUNIT_EXPECT_EQ(test, BIT_ULL(5), fake_rows_overflowed());
		if (by == 0)
			width_fold(test, w, rows);
		else if (by == 1)
			width_in(w, rows);
		else
			fake_rows_ack(BIT_ULL(5));
		KUNIT_EXPECT_TRUE(test, fake_pmuv3.interrupts & mine);
		KUNIT_EXPECT_EQ(test, 0, fake_rows_overflowed());
	}
	fake_pmuv3.nmi = false;
}

/* A fold leaves the flags and slots of another context's rows. */
static void width_leaves_other_rows(struct kunit *test)
{
	const u64 mine = GENMASK_ULL(3, 1), theirs = GENMASK_ULL(6, 4) | BIT_ULL(0);
	struct width *w = width_new(test), *other = width_new(test);
	u32 flags;

	width_begin(test, false, mine | theirs, 1000);
	width_in(w, mine);
	width_in(other, theirs);
	fake_pmuv3.jump_at = fake_pmuv3.accesses + 1;
	fake_pmuv3.jump = 2000;
	fake_isb();
	flags = fake_pmuv3.flags;
	width_fold(test, w, mine);
	KUNIT_EXPECT_EQ(test, flags & ~GENMASK(2, 0), fake_pmuv3.flags);
	KUNIT_EXPECT_EQ(test, 0, w->slots[5].sum);
	width_fold(test, other, theirs);
	KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.flags);
}

/* A start value, such as 2^width - 10, is not part of the sum. */
static void width_preset_not_in_sum(struct kunit *test)
{
	static const u64 presets[] = { 0, U32_MAX - 9, U64_MAX - 9, 0x5fffffff6ULL };
	const u64 rows = GENMASK_ULL(1, 0);
	struct width *w = width_new(test);
	unsigned int i, wide;

	for (i = 0; i < 2 * ARRAY_SIZE(presets); i++) {
		wide = i % 2;
		memset(w, 0, sizeof(*w));
		width_begin(test, wide, 0, 0);
		fake_rows_program(0, SEL, presets[i / 2]);
		fake_rows_program(1, SEL, presets[i / 2]);
		width_in(w, rows);
		fake_pmuv3.step = 3;
		width_fold(test, w, rows);
		width_fold(test, w, rows);
		KUNIT_EXPECT_LT(test, w->slots[0].sum, 100);
		KUNIT_EXPECT_LT(test, w->slots[1].sum, 100);
		width_fold(test, w, rows);
	}
}

/* No case may wrap a counter twice between two reads, which no code can count. */
static void width_exit(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, fake_pmuv3.double_wrap);
}

static void width_reported(struct kunit *test)
{
	unsigned int row;

	fake_rows_set_width(32);
	for (row = 0; row < PMUV3_MAX_ROWS; row++)
		KUNIT_EXPECT_EQ(test, row ? 32 : 64, fake_rows_width(row));
	fake_rows_set_width(64);
	for (row = 0; row < PMUV3_MAX_ROWS; row++)
		KUNIT_EXPECT_EQ(test, 64, fake_rows_width(row));
}

/* Random switches, folds and numbers of events. */
static void width_random_switches(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_new(test);
	struct rnd_state random;
	unsigned int i;

	prandom_seed_state(&random, 20070608);
	width_begin(test, kind->wide, kind->rows, 4711);
	width_in(w, kind->rows);
	for (i = 0; i < 400; i++) {
		u32 dice = prandom_u32_state(&random);

		fake_pmuv3.step = dice & 0xff;
		/* At most one wrap between two folds, as the interrupt ensures. */
		fake_pmuv3.jump = prandom_u32_state(&random) >> (dice >> 27);
		fake_pmuv3.jump = min_t(u64, fake_pmuv3.jump, U32_MAX - 100000);
		fake_pmuv3.jump_at = fake_pmuv3.accesses + 1 + (dice >> 8) % 24;
		width_fold(test, w, kind->rows);
		if (dice & BIT(16))
			width_in(w, kind->rows);
		/* Fold this jump before the next one. */
		while (fake_pmuv3.accesses < fake_pmuv3.jump_at)
			fake_isb();
		width_fold(test, w, kind->rows);
	}
}

static struct kunit_case width_cases[] = {
	KUNIT_CASE_PARAM(width_no_wrap, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_wrap_before_fold, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_interrupt_folds_overflowed, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_wrap_at_any_access, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_wraps_during_reads, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_second_wrap_during_fold, width_kind_gen_params),
	KUNIT_CASE(width_repeated_wraps_during_fold),
	KUNIT_CASE_PARAM(width_earlier_flag_ignored, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_time_off_not_counted, width_kind_gen_params),
	KUNIT_CASE(width_interrupt_finds_row),
	KUNIT_CASE_PARAM(width_user_in_sets, width_kind_gen_params),
	KUNIT_CASE(width_ack_clears_own_flag),
	KUNIT_CASE(width_mask_until_clear),
	KUNIT_CASE(width_leaves_other_rows),
	KUNIT_CASE(width_preset_not_in_sum),
	KUNIT_CASE(width_reported),
	KUNIT_CASE_PARAM(width_random_switches, width_kind_gen_params),
	{}
};

struct kunit_suite hwpmc_pmuv3_width_suite = {
	.name		= "hwpmc_pmuv3_width",
	.exit		= width_exit,
	.test_cases	= width_cases,
};
