// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: what is written into registers, and in what order (arch/x86/rows.c).
 * The fake registers complain of every wrong state by themselves: here they
 * are brought to all the places from which one could come about.
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

/* Of the start values that can be written, the lowest with the top bit. */
static u64 floor_of(const struct program_kind *kind)
{
	u64 mask = width_mask(kind);

	return fake_x86.id.wide ? (mask >> 1) + 1 : mask - S32_MAX;
}

static void program_new(struct kunit *test, const char *cpu)
{
	struct x86_id id = fake_cpu_id(test, cpu);

	fake_x86_reset(test, &id);
	fake_x86_rows_up(fake_x86_places());
	fake_x86.write_count = 0;
}

static const struct program_kind *program_begin(struct kunit *test)
{
	const struct program_kind *kind = test->param_value;

	program_new(test, kind->cpu);
	fake_x86.step = 3;
	return kind;
}

static void program_row(const struct program_kind *kind, u64 select, u64 value)
{
	const struct x86_counter_setting set = { .select = select };

	fake_x86_rows_program(kind->kind, kind->row, &set, value);
}

static u64 selected(const struct program_kind *kind)
{
	if (kind->kind == X86_FIXED)
		return fake_x86.fixed_ctl >> 4 * kind->row;
	return fake_x86.select[kind->row];
}

/* From nothing: it runs, selected, with its interrupt, from the floor. */
static void program_first(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	unsigned int place = place_of(kind);

	program_row(kind, kind->new, 0);
	KUNIT_EXPECT_TRUE(test, fake_x86_runs(place));
	KUNIT_EXPECT_EQ(test, kind->kind == X86_FIXED ? kind->new : kind->new | ON,
			selected(kind));
	KUNIT_EXPECT_EQ(test, floor_of(kind) + fake_x86.total[place], fake_x86.counter[place]);
}

/* From another selection, near its end: whatever is wrong in between, the registers say. */
static void program_again(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	unsigned int place = place_of(kind), at;

	for (at = 1; at < 20; at++) {
		program_row(kind, kind->old, width_mask(kind) - 100);
		fake_x86.jump_at = fake_x86.accesses + at;
		fake_x86.jump = 200;
		program_row(kind, kind->new, 0);
		KUNIT_EXPECT_TRUE(test, fake_x86_runs(place));
		KUNIT_EXPECT_LT(test, fake_x86.counter[place] - floor_of(kind), 1000ULL);
		fake_x86_rows_clear(kind->kind, kind->row);
	}
}

/* Start values: as they are where they can be and wrap soon; the floor otherwise. */
static void program_value(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	u64 mask = width_mask(kind), floor = floor_of(kind);
	const u64 values[][2] = {
		{ 0, floor }, { 1, floor }, { mask, mask }, { mask - 999, mask - 999 },
		{ mask + 1, floor }, { mask + 6, floor }, { U64_MAX, mask }, { floor, floor },
		{ floor - 1, floor }, { floor + 1, floor + 1 }, { U64_MAX - 4, mask - 4 },
	};
	unsigned int i;

	fake_x86.step = 0;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		program_row(kind, kind->new, values[i][0]);
		KUNIT_EXPECT_EQ(test, values[i][1], fake_x86.counter[place_of(kind)]);
	}
}

static void program_clear(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	u64 total;

	program_row(kind, kind->new, 0);
	fake_x86_rows_clear(kind->kind, kind->row);
	KUNIT_EXPECT_FALSE(test, fake_x86_runs(place_of(kind)));
	KUNIT_EXPECT_EQ(test, 0ULL, selected(kind));
	total = fake_x86.total[place_of(kind)];
	fake_x86_pass(1000);
	KUNIT_EXPECT_EQ(test, total, fake_x86.total[place_of(kind)]);
}

static bool overflowed(const struct program_kind *kind)
{
	return fake_x86.counter[place_of(kind)] <= width_mask(kind) >> 1;
}

/* It overflows when the sum comes to what is due, and the sum stays right. */
static void program_aim(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	const unsigned int least = fake_x86_least();
	const u64 lefts[] = { least, least + 1, 1000, BIT_ULL(31) - 1, BIT_ULL(31) };
	struct hwpmc_slot slots[32] = {}, *slot = &slots[kind->row];
	unsigned int i;

	fake_x86.step = 0;
	program_row(kind, kind->new, 0);
	slot->sum = 5000000000ULL;
	fake_x86_in(kind->kind, slots, BIT_ULL(kind->row));
	for (i = 0; i < ARRAY_SIZE(lefts); i++) {
		u64 sum = slot->sum;

		fake_x86_pass(7);
		fake_x86_rows_aim(kind->kind, slots, kind->row, sum + 7 + lefts[i]);
		KUNIT_EXPECT_EQ(test, sum + 7, slot->sum);
		fake_x86_pass(lefts[i] - 1);
		KUNIT_EXPECT_FALSE_MSG(test, overflowed(kind), "before %llu", lefts[i]);
		fake_x86_pass(1);
		KUNIT_EXPECT_TRUE_MSG(test, overflowed(kind), "at %llu", lefts[i]);
		fake_x86_fold(kind->kind, slots, BIT_ULL(kind->row));
		KUNIT_EXPECT_EQ(test, sum + 7 + lefts[i], slot->sum);
		KUNIT_EXPECT_FALSE(test, overflowed(kind));
	}
	/* What is due already, or sooner than the CPU takes it, comes with the least. */
	fake_x86_rows_aim(kind->kind, slots, kind->row, slot->sum - 100);
	fake_x86_pass(least - 1);
	KUNIT_EXPECT_FALSE(test, overflowed(kind));
	fake_x86_pass(1);
	KUNIT_EXPECT_TRUE(test, overflowed(kind));
	/* Further than the counter counts: it overflows on the way. */
	fake_x86_rows_aim(kind->kind, slots, kind->row, slot->sum + BIT_ULL(50));
	KUNIT_EXPECT_EQ(test, floor_of(kind), fake_x86.counter[place_of(kind)]);
}

/* As the interrupt of a row that samples has it: its wrap is dealt with once, by the aim. */
static void program_sum(struct kunit *test)
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
		fake_x86_rows_aim(kind->kind, slots, kind->row, slot->sum + 1000);
		fake_x86_pass(1005);
		fake_x86_rows_late(&when);
		late = fake_x86.status ? 0 : 1;
		fake_x86.write_count = 0;
		fake_x86_rows_sum(kind->kind, slots, rows);
		KUNIT_EXPECT_EQ(test, 1012 * round + 1005, slot->sum);
		KUNIT_EXPECT_EQ(test, 0, fake_x86.write_count);
		fake_x86_pass(7);
		fake_x86_rows_aim(kind->kind, slots, kind->row, slot->sum + 1000);
		KUNIT_EXPECT_EQ(test, 1012 * (round + 1), slot->sum);
		KUNIT_EXPECT_EQ(test, late, fake_x86_rows_late(&when));
		KUNIT_EXPECT_FALSE(test, overflowed(kind));
	}
}

/* What is aimed at, and how far away the overflow then is. */
static void program_least(struct kunit *test)
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

		program_new(test, cases[i].cpu);
		fake_x86_rows_program(X86_PROGRAMMABLE, 1, &set, 0);
		fake_x86_in(X86_PROGRAMMABLE, slots, 2);
		fake_x86_rows_aim(X86_PROGRAMMABLE, slots, 1, cases[i].left);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].distance,
				    BIT_ULL(48) - fake_x86.counter[1], "%s, %x, %lld",
				    cases[i].cpu, cases[i].select, cases[i].left);
	}
}

/* A parked row counts nothing, keeps what it counted, and its selection. */
static void program_park(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	struct hwpmc_slot slots[32] = {}, *slot = &slots[kind->row];
	u64 rows = BIT_ULL(kind->row);

	fake_x86.step = 0;
	program_row(kind, kind->new, 0);
	fake_x86_in(kind->kind, slots, rows);
	fake_x86_rows_aim(kind->kind, slots, kind->row, 100);
	fake_x86_pass(60);
	fake_x86_rows_park(kind->kind, rows);
	fake_x86_pass(1000);
	fake_x86_fold(kind->kind, slots, rows);
	KUNIT_EXPECT_EQ(test, 60ULL, slot->sum);
	fake_x86_in(kind->kind, slots, rows);
	fake_x86_rows_aim(kind->kind, slots, kind->row, 100);
	KUNIT_EXPECT_EQ(test, kind->kind == X86_FIXED ? kind->new : kind->new | ON,
			selected(kind));
	fake_x86_pass(39);
	KUNIT_EXPECT_FALSE(test, overflowed(kind));
	fake_x86_pass(1);
	KUNIT_EXPECT_TRUE(test, overflowed(kind));
	/* Parked after it wrapped: the sum is right, and it does not run. */
	fake_x86_rows_park(kind->kind, rows);
	fake_x86_fold(kind->kind, slots, rows);
	fake_x86_pass(5);
	fake_x86_fold(kind->kind, slots, rows);
	KUNIT_EXPECT_EQ(test, 100ULL, slot->sum);
	KUNIT_EXPECT_FALSE(test, fake_x86_runs(place_of(kind)));
}

/* What a row refuses, it does not count; the next selection works again. */
static void program_refused(struct kunit *test)
{
	const struct program_kind *kind = program_begin(test);
	struct hwpmc_slot slots[32] = {};
	unsigned long refused = fake_x86_rows_refused();

	fake_x86.refuses = kind->kind == X86_FIXED ? 0x309 + kind->row : 0x1a6;
	if (kind->kind == X86_FIXED) {
		program_row(kind, kind->new, 0);
	} else {
		const struct x86_counter_setting set = { .select = kind->new, .extra_msr = 0x1a6,
						 .extra = 1 };

		fake_x86_rows_program(kind->kind, kind->row, &set, 0);
	}
	KUNIT_EXPECT_EQ(test, refused + 1, fake_x86_rows_refused());
	KUNIT_EXPECT_FALSE(test, fake_x86_runs(place_of(kind)));
	fake_x86.refuses = 0;
	fake_x86_rows_aim(kind->kind, slots, kind->row, 100);
	KUNIT_EXPECT_FALSE(test, fake_x86_runs(place_of(kind)));
	program_row(kind, kind->new, 0);
	KUNIT_EXPECT_TRUE(test, fake_x86_runs(place_of(kind)));
}

/* One row's life leaves the others alone. */
static void program_neighbours(struct kunit *test)
{
	const struct x86_counter_setting old = { .select = 0xb }, set = { .select = 0xa };
	unsigned int row, other;

	program_new(test, "Sapphire Rapids");
	for (row = 0; row < 4; row++)
		fake_x86_rows_program(X86_FIXED, row, &old, 0);
	for (row = 0; row < 8; row++)
		fake_x86_rows_program(X86_PROGRAMMABLE, row, &old, 0);
	KUNIT_EXPECT_EQ(test, 0xbbbbULL, fake_x86.fixed_ctl);
	for (row = 0; row < 4; row++) {
		fake_x86_rows_program(X86_FIXED, row, &set, 0);
		KUNIT_EXPECT_EQ(test, 0xbbbbULL - (0x1111ULL & GENMASK_ULL(4 * row + 3, 0)),
				fake_x86.fixed_ctl);
	}
	for (row = 0; row < 8; row++) {
		fake_x86_rows_program(X86_PROGRAMMABLE, row, &set, 0);
		for (other = 0; other < 8; other++)
			KUNIT_EXPECT_EQ(test, ON | (other <= row ? 0xa : 0xb),
					fake_x86.select[other]);
	}
	fake_x86_rows_clear(X86_FIXED, 1);
	fake_x86_rows_clear(X86_PROGRAMMABLE, 1);
	KUNIT_EXPECT_EQ(test, 0xaa0aULL, fake_x86.fixed_ctl);
	for (row = 0; row < 8; row++)
		KUNIT_EXPECT_EQ(test, row != 1, fake_x86_runs(row));
}

/* Whatever somebody left behind: up stops all, down stops all and gives back what was. */
static void program_up_down(struct kunit *test)
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
	/* And up again. */
	fake_x86_rows_up(fake_x86_places());
	program_row(kind, kind->new, 0);
	KUNIT_EXPECT_TRUE(test, fake_x86_runs(place_of(kind)));
}

/* Up drops the flags that it found, where there are any. */
static void program_flags(struct kunit *test)
{
	struct x86_id id = fake_cpu_id(test, "Zen 4");

	fake_x86_reset(test, &id);
	fake_x86.status = 0x3f;
	fake_x86_rows_up(0x3f);
	KUNIT_EXPECT_EQ(test, 0ULL, fake_x86.status);
	KUNIT_EXPECT_EQ(test, 0x3fULL, fake_x86.global_ctl);
}

/* Somebody's freeze on interrupt does not keep ours from counting. */
static void program_frozen(struct kunit *test)
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
		fake_x86_rows_program(X86_PROGRAMMABLE, 0, &set, 0);
		KUNIT_EXPECT_TRUE(test, fake_x86_runs(0));
	}
}

/* A switch writes no register and reads each counter once. */
static void program_cheap_switch(struct kunit *test)
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
	KUNIT_CASE_PARAM(program_first, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_again, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_value, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_clear, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_aim, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_sum, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_park, program_kind_gen_params),
	KUNIT_CASE_PARAM(program_refused, program_kind_gen_params),
	KUNIT_CASE(program_least),
	KUNIT_CASE(program_neighbours),
	KUNIT_CASE_PARAM(program_up_down, program_kind_gen_params),
	KUNIT_CASE(program_flags),
	KUNIT_CASE(program_frozen),
	KUNIT_CASE_PARAM(program_cheap_switch, program_kind_gen_params),
	{}
};

struct kunit_suite hwpmc_x86_program_suite = {
	.name		= "hwpmc_x86_program",
	.test_cases	= program_cases,
};
