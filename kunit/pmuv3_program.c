// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_pmuv3_program: the order in which registers are written
 * (arch/arm64/pmuv3_rows.c). The fake registers fail the test on every forbidden state; these
 * cases run all the sequences in which one could occur. Run by kunit/run.c in KUnit's thread.
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

static void program_reset(struct kunit *test, bool wide)
{
	fake_reset(test, wide);
	fake_rows_set_width(wide ? 64 : 32);
	fake_rows_up();
}

static const struct program_kind *program_begin(struct kunit *test)
{
	const struct program_kind *kind = test->param_value;

	program_reset(test, kind->wide);
	fake_pmuv3.traced = fake_place(kind->row);
	fake_pmuv3.step = 3;
	return kind;
}

/* From reset: the counter runs with its selection, from its start value, interrupt enabled. */
static void program_runs_from_start_value(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	u32 mine = BIT(fake_place(kind->row));

	fake_rows_program(kind->row, SEL_NEW, 1000);
	KUNIT_EXPECT_EQ(test, mine, fake_pmuv3.enabled);
	KUNIT_EXPECT_EQ(test, mine, fake_pmuv3.interrupts);
	KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.flags);
	KUNIT_EXPECT_EQ(test, SEL_NEW, fake_pmuv3.typer[fake_pmuv3.traced]);
	KUNIT_EXPECT_EQ(test, 1000 + fake_pmuv3.total[fake_pmuv3.traced],
			fake_pmuv3.counter[fake_pmuv3.traced]);
	/* The enable is synchronised on return. */
	KUNIT_EXPECT_EQ(test, 0, fake_pmuv3.unsynced[FAKE_ENABLE]);
}

/* From another selection, near its overflow: no intermediate state counts. */
static void program_changes_selection_stopped(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	bool stopped = false, started = false;
	unsigned int i;

	fake_rows_program(kind->row, SEL_OLD, U32_MAX - 100);
	fake_pmuv3.state_count = 0;
	fake_rows_program(kind->row, SEL_NEW, 5);

	for (i = 0; i < fake_pmuv3.state_count; i++) {
		const struct fake_state *m = &fake_pmuv3.states[i];

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

/* Whenever the earlier counter wraps during programming, the new one starts without a flag. */
static void program_clears_earlier_flag(struct kunit *test)
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

/* A start value is truncated to the width of the counter. */
static void program_truncates_value(struct kunit *test)
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

static void program_clear_stops(struct kunit *test)
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

/* Programming a row does not change another one: every pair of rows. */
static void program_leaves_other_rows(struct kunit *test)
{
	unsigned int row, other;

	program_reset(test, false);
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
	/* Clearing a row does not clear the flag of another one. */
	fake_pmuv3.flags = BIT(fake_place(7)) | BIT(fake_place(8));
	fake_rows_clear(7);
	KUNIT_EXPECT_EQ(test, BIT(fake_place(8)), fake_pmuv3.flags);
	KUNIT_EXPECT_EQ(test, (u32)~BIT(fake_place(7)), fake_pmuv3.enabled);
	KUNIT_EXPECT_EQ(test, (u32)~BIT(fake_place(7)), fake_pmuv3.interrupts);
}

/* Whatever state the registers had, after up all rows are stopped and the PMU is enabled. */
static void program_up_stops_all(struct kunit *test)
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

/* The counter of FEAT_PMUv3_ICNTR is stopped, too: it is no row, and has bits of its own. */
static void program_up_and_down_stop_instructions(struct kunit *test)
{
	unsigned int i, kind;

	for (i = 0; i < 2; i++) {
		fake_reset(test, true);
		fake_pmuv3.instructions = true;
		fake_pmuv3.high[FAKE_ENABLE] = true;
		fake_pmuv3.high[FAKE_INTERRUPT] = true;
		fake_pmuv3.high[FAKE_FLAG] = true;
		if (i)
			fake_rows_down();
		else
			fake_rows_up();
		for (kind = 0; kind < FAKE_UNSYNCED_COUNT; kind++)
			KUNIT_EXPECT_FALSE(test, fake_pmuv3.high[kind]);
	}
}

/* After down no row counts or interrupts. */
static void program_down_stops_all(struct kunit *test)
{
	unsigned int row;

	program_reset(test, true);
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

/* A switch without an overflow writes no register: one ISB, and one read of each counter. */
static void program_switch_writes_nothing(struct kunit *test)
{
	struct hwpmc_slot slots[PMUV3_MAX_ROWS] = {};
	unsigned int rows;

	program_reset(test, false);
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
		/* The operations in and fold each access the counters, the ISB and the flags. */
		KUNIT_EXPECT_LE(test, fake_pmuv3.accesses, 2 * (rows + 2));
		fake_pmuv3.step = 0;
	}
}

static struct kunit_case program_cases[] = {
	KUNIT_CASE_PARAM(program_runs_from_start_value, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_changes_selection_stopped, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_clears_earlier_flag, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_truncates_value, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_clear_stops, program_kind_gen_params),
	KUNIT_CASE(program_leaves_other_rows),
	KUNIT_CASE(program_up_stops_all),
	KUNIT_CASE(program_up_and_down_stop_instructions),
	KUNIT_CASE(program_down_stops_all),
	KUNIT_CASE(program_switch_writes_nothing),
	{}
};

struct kunit_suite hwpmc_pmuv3_program_suite = {
	.name		= "hwpmc_pmuv3_program",
	.test_cases	= program_cases,
};
