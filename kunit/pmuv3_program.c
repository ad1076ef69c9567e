// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMUv3: in what order registers are written (arch/arm64/pmuv3_rows.c). The
 * fake registers complain of every wrong state by themselves: here they are
 * brought to all the places from which one could come about.
 */
#include <kunit/test.h>

#include "fake_pmuv3.h"
#include "fixture.h"

#define SEL_OLD		0x80000008U
#define SEL_NEW		0x40000011U

static const struct program_kind {
	const char *what;
	bool wide;
	unsigned int row;
} program_kinds[] = {
	{ "cycle counter", false, PMUV3_ROW_CYCLES },
	{ "first event counter", false, 1 },
	{ "last event counter", false, 31 },
	{ "cycle counter, 64 bits", true, PMUV3_ROW_CYCLES },
	{ "event counter, 64 bits", true, 3 },
};

static void program_kind_name(const struct program_kind *kind, char *desc)
{
	strscpy(desc, kind->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(program_kind, program_kinds, program_kind_name);

static void program_new(struct kunit *test, bool wide)
{
	fake_reset(test, wide);
	fake_rows_set_width(wide ? 64 : 32);
	fake_rows_up();
}

static const struct program_kind *program_begin(struct kunit *test)
{
	const struct program_kind *kind = test->param_value;

	program_new(test, kind->wide);
	fake_pmuv3.watched = fake_place(kind->row);
	fake_pmuv3.step = 3;
	return kind;
}

/* From reset: it runs, selected, from its start value, with its interrupt. */
static void program_first(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	u32 mine = BIT(fake_place(kind->row));

	fake_rows_program(kind->row, SEL_NEW, 1000);
	KUNIT_EXPECT_EQ(test, mine, fake_pmuv3.enabled);
	KUNIT_EXPECT_EQ(test, mine, fake_pmuv3.interrupts);
	KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.flags);
	KUNIT_EXPECT_EQ(test, SEL_NEW, fake_pmuv3.typer[fake_pmuv3.watched]);
	KUNIT_EXPECT_EQ(test, 1000 + fake_pmuv3.total[fake_pmuv3.watched],
			fake_pmuv3.counter[fake_pmuv3.watched]);
	/* It runs when the caller goes on, not some time later. */
	KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.unsynced[FAKE_ENABLE]);
}

/* From another selection, at a value near its end: no state in between counts. */
static void program_again(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	bool stopped = false, started = false;
	unsigned int i;

	fake_rows_program(kind->row, SEL_OLD, U32_MAX - 100);
	fake_pmuv3.moment_count = 0;
	fake_rows_program(kind->row, SEL_NEW, 5);

	for (i = 0; i < fake_pmuv3.moment_count; i++) {
		const struct fake_moment *m = &fake_pmuv3.moments[i];

		stopped |= !m->enabled;
		started |= stopped && m->enabled;
		if (!m->enabled)
			continue;
		KUNIT_EXPECT_EQ(test, started ? SEL_NEW : SEL_OLD, m->typer);
		if (started) {
			KUNIT_EXPECT_LT(test, m->counter, 100);
			KUNIT_EXPECT_TRUE(test, m->interrupt);
			KUNIT_EXPECT_FALSE(test, m->flag);
		} else {
			KUNIT_EXPECT_GE(test, m->counter, U32_MAX - 100);
		}
	}
	KUNIT_EXPECT_TRUE(test, stopped);
	KUNIT_EXPECT_TRUE(test, started);
}

/* Wherever in it the counter that ran before wraps, the new one begins without a flag. */
static void program_over_wrap(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	unsigned int place = fake_place(kind->row), at;

	for (at = 1; at < 24; at++) {
		fake_rows_program(kind->row, SEL_OLD, U64_MAX - 1000);
		fake_pmuv3.jump_at = fake_pmuv3.accesses + at;
		fake_pmuv3.jump = 2000;
		fake_rows_program(kind->row, SEL_NEW, 0);
		KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.flags);
		KUNIT_EXPECT_LT(test, fake_pmuv3.counter[place], 5000);
		KUNIT_EXPECT_TRUE(test, fake_pmuv3.enabled & BIT(place));
		fake_rows_clear(kind->row);
	}
}

/* A start value takes the bits that the counter has. */
static void program_value(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	bool narrow = !kind->wide && kind->row != PMUV3_ROW_CYCLES;
	static const u64 values[] = {
		0, 1, U32_MAX, BIT_ULL(32), BIT_ULL(32) + 5, U64_MAX, 0x123456789abcdef0ULL,
	};
	unsigned int i;

	fake_pmuv3.step = 0;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		fake_rows_program(kind->row, SEL_NEW, values[i]);
		KUNIT_EXPECT_EQ(test, narrow ? (u32)values[i] : values[i],
				fake_pmuv3.counter[fake_place(kind->row)]);
	}
}

static void program_clear(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	unsigned int place = fake_place(kind->row), at;
	u64 total;

	for (at = 1; at < 12; at++) {
		fake_rows_program(kind->row, SEL_NEW, U64_MAX - 1000);
		fake_pmuv3.jump_at = fake_pmuv3.accesses + at;
		fake_pmuv3.jump = 2000;
		fake_rows_clear(kind->row);
		KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.enabled);
		KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.interrupts);
		KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.flags);
		total = fake_pmuv3.total[place];
		fake_isb();
		KUNIT_EXPECT_EQ(test, total, fake_pmuv3.total[place]);
	}
}

/* One row's programming leaves the others alone: every pair there is. */
static void program_neighbours(struct kunit *test)
{
	unsigned int row, other;

	program_new(test, false);
	for (row = 0; row < PMUV3_MAX_ROWS; row++)
		fake_rows_program(row, 0x100 + row, 10 * row);
	KUNIT_EXPECT_EQ(test, FAKE_ROWS, fake_pmuv3.enabled);
	for (row = 0; row < PMUV3_MAX_ROWS; row++) {
		fake_rows_program(row, 0x200 + row, 20 * row + 1);
		for (other = 0; other < PMUV3_MAX_ROWS; other++) {
			bool done = other <= row;

			KUNIT_ASSERT_EQ(test, (done ? 0x200 : 0x100) + other,
					fake_pmuv3.typer[fake_place(other)]);
			KUNIT_ASSERT_EQ(test, done ? 20 * other + 1 : 10 * other,
					fake_pmuv3.counter[fake_place(other)]);
		}
		KUNIT_EXPECT_EQ(test, FAKE_ROWS, fake_pmuv3.enabled);
		KUNIT_EXPECT_EQ(test, FAKE_ROWS, fake_pmuv3.interrupts);
	}
	/* A flag of one stays up when another is cleared. */
	fake_pmuv3.flags = BIT(fake_place(7)) | BIT(fake_place(8));
	fake_rows_clear(7);
	KUNIT_EXPECT_EQ(test, BIT(fake_place(8)), fake_pmuv3.flags);
	KUNIT_EXPECT_EQ(test, (u32)~BIT(fake_place(7)), fake_pmuv3.enabled);
	KUNIT_EXPECT_EQ(test, (u32)~BIT(fake_place(7)), fake_pmuv3.interrupts);
}

/* Whatever somebody left behind: after up all rows are stopped, and ready. */
static void program_up(struct kunit *test)
{
	unsigned int wide;

	for (wide = 0; wide < 2; wide++) {
		fake_reset(test, wide);
		fake_rows_set_width(wide ? 64 : 32);
		memset(fake_pmuv3.counter, 0xff, sizeof(fake_pmuv3.counter));
		fake_pmuv3.enabled = ~0U;
		fake_pmuv3.interrupts = ~0U;
		fake_pmuv3.flags = ~0U;
		fake_pmuv3.pmcr = FAKE_PMCR_E;
		fake_pmuv3.userenr = 0xf;
		fake_pmuv3.step = 1;
		fake_rows_up();
		KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.enabled);
		KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.interrupts);
		KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.flags);
		KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.userenr);
		KUNIT_EXPECT_FALSE(test, fake_pmuv3.pmcr_unsynced);
		KUNIT_EXPECT_EQ(test,
				FAKE_PMCR_E | FAKE_PMCR_LC | (wide ? FAKE_PMCR_LP : 0),
				fake_pmuv3.pmcr);
	}
}

/* After down nothing counts and nothing interrupts. */
static void program_down(struct kunit *test)
{
	unsigned int row;

	program_new(test, true);
	fake_pmuv3.step = 1;
	for (row = 0; row < PMUV3_MAX_ROWS; row++)
		fake_rows_program(row, SEL_NEW, U64_MAX - 20);
	KUNIT_EXPECT_NE(test, 0, fake_pmuv3.flags);
	fake_rows_down();
	KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.enabled);
	KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.interrupts);
	KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.flags);
	KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.pmcr & FAKE_PMCR_E);
	KUNIT_EXPECT_FALSE(test, fake_pmuv3.pmcr_unsynced);
	/* And up again. */
	fake_rows_up();
	fake_rows_program(1, SEL_OLD, 0);
	KUNIT_EXPECT_EQ(test, BIT(0), fake_pmuv3.enabled);
}

/* A switch that changes nothing writes no register: one barrier, one read of each. */
static void program_cheap_switch(struct kunit *test)
{
	struct hwpmc_slot slots[PMUV3_MAX_ROWS] = {};
	unsigned int rows;

	program_new(test, false);
	for (rows = 1; rows <= 6; rows++) {
		fake_rows_program(rows, SEL_NEW, 0);
		fake_pmuv3.step = 1;
		fake_pmuv3.writes = 0;
		fake_pmuv3.isbs = 0;
		fake_pmuv3.accesses = 0;
		fake_rows_in(slots, GENMASK_ULL(rows, 1));
		fake_rows_fold(slots, GENMASK_ULL(rows, 1));
		KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.writes);
		KUNIT_EXPECT_LE(test, fake_pmuv3.isbs, 2);
		/* Of both: each counter, the barrier, the flags. */
		KUNIT_EXPECT_LE(test, fake_pmuv3.accesses, 2 * (rows + 2));
		fake_pmuv3.step = 0;
	}
}

static struct kunit_case program_cases[] = {
	KUNIT_CASE_PARAM(program_first, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_again, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_over_wrap, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_value, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_clear, program_kind_gen_params),
	KUNIT_CASE(program_neighbours),
	KUNIT_CASE(program_up),
	KUNIT_CASE(program_down),
	KUNIT_CASE(program_cheap_switch),
	{}
};

struct kunit_suite hwpmc_pmuv3_program_suite = {
	.name		= "hwpmc_pmuv3_program",
	.test_cases	= program_cases,
};
