// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_x86_program: the registers after programming, setting, stopping and clearing rows
 * (arch/x86/rows.c, counter.c). The fake registers fail the test on every forbidden state; these
 * cases run all the sequences in which one could occur. Run by kunit/run.c in KUnit's thread.
 */
#include <kunit/test.h>

#include "fake_x86.h"
#include "fixture.h"

#define SEL_OLD		0x2003cULL
#define SEL_NEW		0x100c0ULL
#define ON		0x500000ULL	/* enable and interrupt */

static const struct program_kind {
	const char *what;
	const char *cpu;
	enum x86_kind kind;
	unsigned int row;
	u64 old, new;	/* selections */
} program_kinds[] = {
	{ "version 1", "Core Duo", X86_PROGRAMMABLE, 1, SEL_OLD, SEL_NEW },
	{ "version 2", "Core 2", X86_PROGRAMMABLE, 0, SEL_OLD, SEL_NEW },
	{ "version 2, fixed", "Core 2", X86_FIXED, 0, 0x9, 0xa },
	{ "version 3, narrow", "Nehalem", X86_PROGRAMMABLE, 3, SEL_OLD, SEL_NEW },
	{ "version 3", "Haswell", X86_PROGRAMMABLE, 2, SEL_OLD, SEL_NEW },
	{ "version 3, fixed", "Haswell", X86_FIXED, 2, 0x9, 0xa },
	{ "version 4", "Skylake-SP", X86_PROGRAMMABLE, 0, SEL_OLD, SEL_NEW },
	{ "version 5, Ice Lake", "Ice Lake-SP", X86_PROGRAMMABLE, 4, SEL_OLD, SEL_NEW },
	{ "version 5", "Sapphire Rapids", X86_PROGRAMMABLE, 7, SEL_OLD, SEL_NEW },
	{ "version 5, fixed", "Sapphire Rapids", X86_FIXED, 3, 0x9, 0xa },
	{ "version 5, a hole", "version 5 with holes", X86_FIXED, 4, 0x9, 0xa },
	{ "P core", "Alder Lake P", X86_PROGRAMMABLE, 6, SEL_OLD, SEL_NEW },
	{ "E core", "Alder Lake E", X86_PROGRAMMABLE, 5, SEL_OLD, SEL_NEW },
	{ "K7", "K7", X86_PROGRAMMABLE, 0, SEL_OLD, SEL_NEW },
	{ "K8", "K8", X86_PROGRAMMABLE, 3, SEL_OLD, SEL_NEW },
	{ "Bulldozer", "Bulldozer", X86_PROGRAMMABLE, 5, SEL_OLD, SEL_NEW },
	{ "Zen 1", "Zen 1", X86_PROGRAMMABLE, 0, SEL_OLD, SEL_NEW },
	{ "Zen 4", "Zen 4", X86_PROGRAMMABLE, 5, SEL_OLD, SEL_NEW },
};

static void program_kind_name(const struct program_kind *kind, char *desc)
{
	strscpy(desc, kind->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(program_kind, program_kinds, program_kind_name);

static unsigned int place_of(const struct program_kind *kind)
{
	return kind->row + (kind->kind == X86_FIXED ? FAKE_FIXED : 0);
}

static u64 width_mask(const struct program_kind *kind)
{
	return GENMASK_ULL(fake_x86_width(place_of(kind)) - 1, 0);
}

/* The lowest start value with the top bit set that can be written. */
static u64 min_start_of(const struct program_kind *kind)
{
	u64 mask = width_mask(kind);

	return fake_x86.id.wide ? (mask >> 1) + 1 : mask - S32_MAX;
}

static void program_reset(struct kunit *test, const char *cpu)
{
	struct x86_id id = fake_cpu_id(test, cpu);

	fake_x86_reset(test, &id);
	fake_x86_rows_up(fake_x86_places());
	fake_x86.write_count = 0;
}

static const struct program_kind *program_begin(struct kunit *test)
{
	const struct program_kind *kind = test->param_value;

	program_reset(test, kind->cpu);
	fake_x86.step = 3;
	return kind;
}

static void program_row(const struct program_kind *kind, u64 select, u64 value)
{
	const struct x86_counter_setting set = { .select = select };

	fake_x86_counter_program(kind->kind, kind->row, &set, value);
}

static u64 selected(const struct program_kind *kind)
{
	if (kind->kind == X86_FIXED)
		return fake_x86.fixed_ctl >> 4 * kind->row;
	return fake_x86.select[kind->row];
}

/* From reset: the counter runs with its selection, interrupt enabled, from the lowest start. */
static void program_runs_from_lowest_start(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	unsigned int place = place_of(kind);

	program_row(kind, kind->new, 0);
	KUNIT_EXPECT_TRUE(test, fake_x86_runs(place));
	KUNIT_EXPECT_EQ(test, kind->kind == X86_FIXED ? kind->new : kind->new | ON,
			selected(kind));
	KUNIT_EXPECT_EQ(test, min_start_of(kind) + fake_x86.total[place], fake_x86.counter[place]);
}

/* From another selection, near its overflow; the fake registers check the states in between. */
static void program_changes_selection_stopped(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	unsigned int place = place_of(kind), at;

	for (at = 1; at < 20; at++) {
		program_row(kind, kind->old, width_mask(kind) - 100);
		fake_x86.jump_at = fake_x86.accesses + at;
		fake_x86.jump = 200;
		program_row(kind, kind->new, 0);
		KUNIT_EXPECT_TRUE(test, fake_x86_runs(place));
		KUNIT_EXPECT_LT(test, fake_x86.counter[place] - min_start_of(kind), 1000ULL);
		fake_x86_counter_clear(kind->kind, kind->row);
	}
}

/* A start value from the lowest to the top is written unchanged; any other becomes the lowest. */
static void program_start_values(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	u64 mask = width_mask(kind), lowest = min_start_of(kind);
	const u64 values[][2] = {
		{ 0, lowest }, { 1, lowest }, { mask, mask }, { mask - 999, mask - 999 },
		{ mask + 1, lowest }, { mask + 6, lowest }, { U64_MAX, mask }, { lowest, lowest },
		{ lowest - 1, lowest }, { lowest + 1, lowest + 1 }, { U64_MAX - 4, mask - 4 },
	};
	unsigned int i;

	fake_x86.step = 0;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		program_row(kind, kind->new, values[i][0]);
		KUNIT_EXPECT_EQ(test, values[i][1], fake_x86.counter[place_of(kind)]);
	}
}

static void program_clear_stops(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	u64 total;

	program_row(kind, kind->new, 0);
	fake_x86_counter_clear(kind->kind, kind->row);
	KUNIT_EXPECT_FALSE(test, fake_x86_runs(place_of(kind)));
	KUNIT_EXPECT_EQ(test, 0ULL, selected(kind));
	total = fake_x86.total[place_of(kind)];
	fake_x86_advance(1000);
	KUNIT_EXPECT_EQ(test, total, fake_x86.total[place_of(kind)]);
}

static bool overflowed(const struct program_kind *kind)
{
	return fake_x86.counter[place_of(kind)] <= width_mask(kind) >> 1;
}

/* The row overflows exactly when its sum reaches the number set, and the sum is exact. */
static void program_set_period_exact(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	const unsigned int least = fake_x86_min_period();
	const u64 lefts[] = { least, least + 1, 1000, BIT_ULL(31) - 1, BIT_ULL(31) };
	struct hwpmc_slot slots[32] = {}, *slot = &slots[kind->row];
	unsigned int i;

	fake_x86.step = 0;
	program_row(kind, kind->new, 0);
	slot->sum = 5000000000ULL;
	fake_x86_in(kind->kind, slots, BIT_ULL(kind->row));
	for (i = 0; i < ARRAY_SIZE(lefts); i++) {
		u64 sum = slot->sum;

		fake_x86_advance(7);
		fake_x86_set_period(kind->kind, slots, kind->row, sum + 7 + lefts[i], 0);
		KUNIT_EXPECT_EQ(test, sum + 7, slot->sum);
		fake_x86_advance(lefts[i] - 1);
		KUNIT_EXPECT_FALSE_MSG(test, overflowed(kind), "before %llu", lefts[i]);
		fake_x86_advance(1);
		KUNIT_EXPECT_TRUE_MSG(test, overflowed(kind), "at %llu", lefts[i]);
		fake_x86_fold(kind->kind, slots, BIT_ULL(kind->row));
		KUNIT_EXPECT_EQ(test, sum + 7 + lefts[i], slot->sum);
		KUNIT_EXPECT_FALSE(test, overflowed(kind));
	}
	/* A sum that is due already, or too soon, overflows after the smallest period. */
	fake_x86_set_period(kind->kind, slots, kind->row, slot->sum - 100, 0);
	fake_x86_advance(least - 1);
	KUNIT_EXPECT_FALSE(test, overflowed(kind));
	fake_x86_advance(1);
	KUNIT_EXPECT_TRUE(test, overflowed(kind));
	/* Past due by 100, and put off by 1000: it overflows after 1100 events. */
	fake_x86_set_period(kind->kind, slots, kind->row, slot->sum + least - 100, 1000);
	fake_x86_advance(1099);
	KUNIT_EXPECT_FALSE(test, overflowed(kind));
	fake_x86_advance(1);
	KUNIT_EXPECT_TRUE(test, overflowed(kind));
	/* Further than the counter can count: it overflows earlier. */
	fake_x86_set_period(kind->kind, slots, kind->row, slot->sum + BIT_ULL(50), 0);
	KUNIT_EXPECT_EQ(test, min_start_of(kind), fake_x86.counter[place_of(kind)]);
}

/* wrapped, then set_period, as in the interrupt of a sampling row: the wrap is handled once. */
static void program_wrap_handled_once(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	struct hwpmc_slot slots[32] = {}, *slot = &slots[kind->row];
	u64 rows = BIT_ULL(kind->row), round;
	unsigned int late;
	unsigned long when;

	fake_x86.step = 0;
	program_row(kind, kind->new, 0);
	fake_x86_in(kind->kind, slots, rows);
	for (round = 0; round < 3; round++) {
		fake_x86_set_period(kind->kind, slots, kind->row, slot->sum + 1000, 0);
		fake_x86_advance(1005);
		fake_x86_rows_latent_nmis(&when);
		late = fake_x86.status ? 0 : 1;
		fake_x86.write_count = 0;
		fake_x86_wrapped(kind->kind, slots, rows);
		KUNIT_EXPECT_EQ(test, 1012 * round + 1005, slot->sum);
		KUNIT_EXPECT_EQ(test, 0, fake_x86.write_count);
		fake_x86_advance(7);
		fake_x86_set_period(kind->kind, slots, kind->row, slot->sum + 1000, 0);
		KUNIT_EXPECT_EQ(test, 1012 * (round + 1), slot->sum);
		KUNIT_EXPECT_EQ(test, late, fake_x86_rows_latent_nmis(&when));
		KUNIT_EXPECT_FALSE(test, overflowed(kind));
	}
}

/* Number of events asked for, and the number until the overflow on CPUs with a minimum. */
static void program_min_periods(struct kunit *test)
{
	static const struct {
		const char *cpu;
		unsigned int select;
		s64 left;
		u64 distance;
	} cases[] = {
		{ "Nehalem", 0x100c0, 1, 32 }, { "Nehalem", 0x101c0, 33, 33 },
		{ "Haswell", 0x100c0, 31, 32 }, { "Haswell", 0x101c0, 32, 128 },
		{ "Haswell", 0x101c0, -5, 128 }, { "Haswell", 0x101c0, 1001, 1001 },
		{ "Broadwell", 0x100c0, 1, 2 }, { "Broadwell", 0x101c0, 1, 128 },
		{ "Broadwell", 0x101c0, 191, 128 }, { "Broadwell", 0x101c0, 1000, 960 },
		{ "Broadwell", 0x10101c0, 1000, 960 },
		{ "Broadwell", 0x101c0, BIT_ULL(50) + 1, BIT_ULL(47) },
		{ "Skylake-SP", 0x101c0, -1, 2 }, { "Zen 4", 0x101c0, 1, 2 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct x86_counter_setting set = { .select = cases[i].select };
		struct hwpmc_slot slots[2] = {};

		program_reset(test, cases[i].cpu);
		fake_x86_counter_program(X86_PROGRAMMABLE, 1, &set, 0);
		fake_x86_in(X86_PROGRAMMABLE, slots, 2);
		fake_x86_set_period(X86_PROGRAMMABLE, slots, 1, cases[i].left, 0);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].distance,
				    BIT_ULL(48) - fake_x86.counter[1], "%s, %x, %lld",
				    cases[i].cpu, cases[i].select, cases[i].left);
	}
}

/* A stopped row counts nothing, and keeps its count and its selection. */
static void program_stop_keeps_count(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	struct hwpmc_slot slots[32] = {}, *slot = &slots[kind->row];
	u64 rows = BIT_ULL(kind->row);

	fake_x86.step = 0;
	program_row(kind, kind->new, 0);
	fake_x86_in(kind->kind, slots, rows);
	fake_x86_set_period(kind->kind, slots, kind->row, 100, 0);
	fake_x86_advance(60);
	fake_x86_rows_stop(kind->kind, rows);
	fake_x86_advance(1000);
	fake_x86_fold(kind->kind, slots, rows);
	KUNIT_EXPECT_EQ(test, 60ULL, slot->sum);
	fake_x86_in(kind->kind, slots, rows);
	fake_x86_set_period(kind->kind, slots, kind->row, 100, 0);
	KUNIT_EXPECT_EQ(test, kind->kind == X86_FIXED ? kind->new : kind->new | ON,
			selected(kind));
	fake_x86_advance(39);
	KUNIT_EXPECT_FALSE(test, overflowed(kind));
	fake_x86_advance(1);
	KUNIT_EXPECT_TRUE(test, overflowed(kind));
	/* Stopped after a wrap: the sum is exact, and the row does not run. */
	fake_x86_rows_stop(kind->kind, rows);
	fake_x86_fold(kind->kind, slots, rows);
	fake_x86_advance(5);
	fake_x86_fold(kind->kind, slots, rows);
	KUNIT_EXPECT_EQ(test, 100ULL, slot->sum);
	KUNIT_EXPECT_FALSE(test, fake_x86_runs(place_of(kind)));
}

/* If an MSR refuses a value, the row does not run; the next selection works. */
static void program_refused_value_stops_row(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	struct hwpmc_slot slots[32] = {};
	unsigned long refused = fake_x86_counter_refused();

	fake_x86.refused_msr = kind->kind == X86_FIXED ? 0x309 + kind->row : 0x1a6;
	if (kind->kind == X86_FIXED) {
		program_row(kind, kind->new, 0);
	} else {
		const struct x86_counter_setting set = { .select = kind->new, .extra_msr = 0x1a6,
						 .extra = 1 };

		fake_x86_counter_program(kind->kind, kind->row, &set, 0);
	}
	KUNIT_EXPECT_EQ(test, refused + 1, fake_x86_counter_refused());
	KUNIT_EXPECT_FALSE(test, fake_x86_runs(place_of(kind)));
	fake_x86.refused_msr = 0;
	fake_x86_set_period(kind->kind, slots, kind->row, 100, 0);
	KUNIT_EXPECT_FALSE(test, fake_x86_runs(place_of(kind)));
	program_row(kind, kind->new, 0);
	KUNIT_EXPECT_TRUE(test, fake_x86_runs(place_of(kind)));
}

/* Programming and clearing a row does not change the others. */
static void program_leaves_other_rows(struct kunit *test)
{
	const struct x86_counter_setting old = { .select = 0xb }, set = { .select = 0xa };
	unsigned int row, other;

	program_reset(test, "Sapphire Rapids");
	for (row = 0; row < 4; row++)
		fake_x86_counter_program(X86_FIXED, row, &old, 0);
	for (row = 0; row < 8; row++)
		fake_x86_counter_program(X86_PROGRAMMABLE, row, &old, 0);
	KUNIT_EXPECT_EQ(test, 0xbbbbULL, fake_x86.fixed_ctl);
	for (row = 0; row < 4; row++) {
		fake_x86_counter_program(X86_FIXED, row, &set, 0);
		KUNIT_EXPECT_EQ(test, 0xbbbbULL - (0x1111ULL & GENMASK_ULL(4 * row + 3, 0)),
				fake_x86.fixed_ctl);
	}
	for (row = 0; row < 8; row++) {
		fake_x86_counter_program(X86_PROGRAMMABLE, row, &set, 0);
		for (other = 0; other < 8; other++)
			KUNIT_EXPECT_EQ(test, ON | (other <= row ? 0xa : 0xb),
					fake_x86.select[other]);
	}
	fake_x86_counter_clear(X86_FIXED, 1);
	fake_x86_counter_clear(X86_PROGRAMMABLE, 1);
	KUNIT_EXPECT_EQ(test, 0xaa0aULL, fake_x86.fixed_ctl);
	for (row = 0; row < 8; row++)
		KUNIT_EXPECT_EQ(test, row != 1, fake_x86_runs(row));
}

/* From any state, up stops all rows; down stops them and restores the global control register. */
static void program_up_and_down_restore(struct kunit *test)
{
	const struct program_kind *kind = test->param_value;
	struct x86_id id = fake_cpu_id(test, kind->cpu);
	u64 before = id.programmable & 0x3;
	unsigned int row;

	fake_x86_reset(test, &id);
	fake_x86.global_ctl = before;
	for (row = 0; row < hweight64(id.programmable); row++)
		fake_x86.select[row] = SEL_OLD;
	fake_x86.status = fake_x86_places();
	fake_x86_rows_up(fake_x86_places());
	for (row = 0; row < hweight64(id.programmable); row++)
		KUNIT_EXPECT_EQ(test, 0ULL, fake_x86.select[row]);
	KUNIT_EXPECT_EQ(test, 0ULL, fake_x86.fixed_ctl);
	program_row(kind, kind->new, 0);
	fake_x86.step = 1;
	KUNIT_EXPECT_TRUE(test, fake_x86_runs(place_of(kind)));
	fake_x86_rows_down();
	KUNIT_EXPECT_EQ(test, 0ULL, selected(kind));
	KUNIT_EXPECT_FALSE(test, fake_x86_runs(place_of(kind)));
	KUNIT_EXPECT_EQ(test, before, fake_x86.global_ctl);
	/* A second up works. */
	fake_x86_rows_up(fake_x86_places());
	program_row(kind, kind->new, 0);
	KUNIT_EXPECT_TRUE(test, fake_x86_runs(place_of(kind)));
}

/* Up clears overflow flags from before. */
static void program_up_clears_flags(struct kunit *test)
{
	struct x86_id id = fake_cpu_id(test, "Zen 4");

	fake_x86_reset(test, &id);
	fake_x86.status = 0x3f;
	fake_x86_rows_up(0x3f);
	KUNIT_EXPECT_EQ(test, 0ULL, fake_x86.status);
	KUNIT_EXPECT_EQ(test, 0x3fULL, fake_x86.global_ctl);
}

/* Up clears the freeze flags that another driver's FREEZE_PERFMON_ON_PMI left. */
static void program_up_clears_freeze(struct kunit *test)
{
	static const char * const cpus[] = { "Skylake-SP", "Ice Lake-SP", "Alder Lake E" };
	const struct x86_counter_setting set = { .select = SEL_NEW };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		struct x86_id id = fake_cpu_id(test, cpus[i]);

		fake_x86_reset(test, &id);
		fake_x86.status = BIT_ULL(58) | BIT_ULL(59) | 1;
		fake_x86_rows_up(fake_x86_places());
		KUNIT_EXPECT_EQ(test, 0ULL, fake_x86.status);
		fake_x86_counter_program(X86_PROGRAMMABLE, 0, &set, 0);
		KUNIT_EXPECT_TRUE(test, fake_x86_runs(0));
	}
}

/* A switch writes no register and reads each counter once. */
static void program_switch_writes_nothing(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	struct hwpmc_slot slots[32] = {};
	unsigned int i;

	program_row(kind, kind->new, 0);
	fake_x86.write_count = 0;
	fake_x86.accesses = 0;
	for (i = 0; i < 10; i++) {
		fake_x86_in(kind->kind, slots, BIT_ULL(kind->row));
		fake_x86_fold(kind->kind, slots, BIT_ULL(kind->row));
	}
	KUNIT_EXPECT_EQ(test, 0U, fake_x86.write_count);
	KUNIT_EXPECT_EQ(test, 20U, fake_x86.accesses);
}

static struct kunit_case program_cases[] = {
	KUNIT_CASE_PARAM(program_runs_from_lowest_start, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_changes_selection_stopped, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_start_values, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_clear_stops, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_set_period_exact, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_wrap_handled_once, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_stop_keeps_count, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_refused_value_stops_row, program_kind_gen_params),
	KUNIT_CASE(program_min_periods),
	KUNIT_CASE(program_leaves_other_rows),
	KUNIT_CASE_PARAM(program_up_and_down_restore, program_kind_gen_params),
	KUNIT_CASE(program_up_clears_flags),
	KUNIT_CASE(program_up_clears_freeze),
	KUNIT_CASE_PARAM(program_switch_writes_nothing, program_kind_gen_params),
	{}
};

struct kunit_suite hwpmc_x86_program_suite = {
	.name		= "hwpmc_x86_program",
	.test_cases	= program_cases,
};
