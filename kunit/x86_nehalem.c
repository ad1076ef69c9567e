// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nehalem: a new selection is put in after the errata's sequence, and what the
 * other counters count is not disturbed (arch/x86/nehalem_workaround.c, counter.c). That the
 * sequence is run at all is looked for by the fake registers.
 */
#include <kunit/test.h>

#include "fake_x86.h"
#include "fixture.h"

#define NEW_ROW		3
#define NEAR_END	0xffffffffff00ULL

static const struct hwpmc_class nehalem_programmable, nehalem_fixed;
static struct hwpmc_slot nehalem_slots[X86_KINDS][4];
static const u64 nehalem_rows[X86_KINDS] = { [X86_PROGRAMMABLE] = 0x7, [X86_FIXED] = 0x1 };

/* The core puts off what comes while a row is programmed. */
static void nehalem_overflow(const struct hwpmc_class *class, u64 rows, struct pt_regs *regs)
{
}

static void nehalem_nmi(void)
{
	KUNIT_EXPECT_NE(fake_x86.test, 0, fake_x86_pmi_serve(NULL));
}

static void nehalem_begin(struct kunit *test, u64 value)
{
	static const struct hwpmc_class *const classes[X86_KINDS] = {
		[X86_PROGRAMMABLE] = &nehalem_programmable, [X86_FIXED] = &nehalem_fixed,
	};
	struct x86_id id = fake_cpu_id(test, "Nehalem");
	unsigned int row;

	fake_x86_reset(test, &id);
	fake_x86_rows_up(fake_x86_places());
	fake_x86_pmi_init(nehalem_overflow, classes);
	fake_x86_pmi_on();
	memset(nehalem_slots, 0, sizeof(nehalem_slots));
	for (row = 0; row < NEW_ROW; row++) {
		const struct x86_counter_setting set = { .select = 0x100c0 + row };

		fake_x86_rows_program(X86_PROGRAMMABLE, row, &set, value);
	}
	fake_x86_rows_program(X86_FIXED, 0, &(struct x86_counter_setting){ .select = 0xa }, value);
	fake_x86_in(X86_PROGRAMMABLE, nehalem_slots[X86_PROGRAMMABLE], 0x7);
	fake_x86_in(X86_FIXED, nehalem_slots[X86_FIXED], 0x1);
}

static void nehalem_expect_exact(struct kunit *test, const u64 *from)
{
	unsigned int kind, row;

	fake_x86.nmi_at = 0;
	fake_x86_idle();

	for (kind = 0; kind < X86_KINDS; kind++) {
		fake_x86_fold(kind, nehalem_slots[kind], nehalem_rows[kind]);
		for (row = 0; nehalem_rows[kind] >> row; row++) {
			unsigned int place = kind == X86_FIXED ? FAKE_FIXED + row : row;

			KUNIT_EXPECT_EQ_MSG(test, fake_x86.at_read[place] - from[place],
					    nehalem_slots[kind][row].sum, "place %u", place);
		}
	}
}

/* Every write, to the letter: as much as the errata say, and in their order. */
static void nehalem_letter(struct kunit *test)
{
	static const struct fake_write writes[] = {
		{ 0x189, 0 }, { 0x38f, 0 },
		{ 0x186, 0x4300b5 }, { 0xc1, 0 }, { 0x187, 0x4300d2 }, { 0xc2, 0 },
		{ 0x188, 0x4300b1 }, { 0xc3, 0 }, { 0x189, 0x4300b1 }, { 0xc4, 0 },
		{ 0x38f, 0xf }, { 0x38f, 0 },
		{ 0xc1, 0xffff80000000ULL }, { 0x186, 0x5100c0 },
		{ 0xc2, 0xffff80000000ULL }, { 0x187, 0x5100c1 },
		{ 0xc3, 0xffff80000000ULL }, { 0x188, 0x5100c2 }, { 0x189, 0 },
		{ 0xc4, 0xffff80000000ULL }, { 0x189, 0x51003c },
		{ 0x38f, 0x70000000fULL },
	};
	const struct x86_counter_setting set = { .select = 0x1003c };
	unsigned int i;

	nehalem_begin(test, 0);
	fake_x86.write_count = 0;
	fake_x86_rows_program(X86_PROGRAMMABLE, NEW_ROW, &set, 0);
	KUNIT_ASSERT_EQ(test, (unsigned int)ARRAY_SIZE(writes), fake_x86.write_count);
	for (i = 0; i < ARRAY_SIZE(writes); i++) {
		KUNIT_EXPECT_EQ_MSG(test, writes[i].msr, fake_x86.writes[i].msr, "write %u", i);
		KUNIT_EXPECT_EQ_MSG(test, writes[i].value, fake_x86.writes[i].value, "write %u", i);
	}
}

/*
 * A row is programmed beside three and a fixed one that run, and these wrap at
 * any access of it; the NMI comes then, or later: it is known, and no sum is
 * off.
 */
static void nehalem_others(struct kunit *test)
{
	const struct x86_counter_setting set = { .select = 0x1003c };
	unsigned int wraps_at, delay;
	u64 from[FAKE_PLACES];

	for (wraps_at = 1; wraps_at < 40; wraps_at++) {
		for (delay = 0; delay < 12; delay++) {
			nehalem_begin(test, NEAR_END);
			memcpy(from, fake_x86.at_read, sizeof(from));
			fake_x86.step = 3;
			fake_x86.jump_at = fake_x86.accesses + wraps_at;
			fake_x86.jump = 1000;
			fake_x86.nmi = nehalem_nmi;
			fake_x86.nmi_at = fake_x86.jump_at + delay;
			fake_x86_rows_program(X86_PROGRAMMABLE, NEW_ROW, &set, 0);
			KUNIT_EXPECT_TRUE(test, fake_x86_runs(NEW_ROW));
			nehalem_expect_exact(test, from);
			if (test->status == KUNIT_FAILURE)
				return;
		}
	}
}

static void nehalem_not_ours(void)
{
	KUNIT_EXPECT_EQ(fake_x86.test, 0, fake_x86_pmi_serve(NULL));
}

/* Somebody else's NMI at any access: no counter of the sequence is taken for a wrapped one. */
static void nehalem_foreign(struct kunit *test)
{
	const struct x86_counter_setting set = { .select = 0x1003c };
	unsigned int at;

	for (at = 1; at < 40; at++) {
		nehalem_begin(test, 0);
		fake_x86.pending = true;
		fake_x86.nmi = nehalem_not_ours;
		fake_x86.nmi_at = fake_x86.accesses + at;
		fake_x86_rows_program(X86_PROGRAMMABLE, NEW_ROW, &set, 0);
		KUNIT_EXPECT_EQ(test, 0x70000000fULL, fake_x86.global_ctl);
	}
}

/* A row that was parked stays so, with what it counted. */
static void nehalem_parked(struct kunit *test)
{
	const struct x86_counter_setting set = { .select = 0x1003c };
	u64 counter;

	nehalem_begin(test, 0);
	fake_x86_pass(50);
	fake_x86_rows_park(X86_PROGRAMMABLE, BIT_ULL(1));
	counter = fake_x86.counter[1];
	fake_x86_rows_program(X86_PROGRAMMABLE, NEW_ROW, &set, 0);
	KUNIT_EXPECT_FALSE(test, fake_x86_runs(1));
	KUNIT_EXPECT_EQ(test, counter, fake_x86.counter[1]);
	fake_x86_rows_aim(X86_PROGRAMMABLE, nehalem_slots[X86_PROGRAMMABLE], 1, 100);
	KUNIT_EXPECT_TRUE(test, fake_x86_runs(1));
	KUNIT_EXPECT_EQ(test, 50ULL, nehalem_slots[X86_PROGRAMMABLE][1].sum);
}

/* The errata are these cores' alone, and a hypervisor may show fewer counters. */
static void nehalem_who(struct kunit *test)
{
	static const char * const others[] = { "Core 2", "Haswell", "Sapphire Rapids", "Zen 4" };
	struct x86_id id = fake_cpu_id(test, "Nehalem");
	struct x86_msr_map layout;
	unsigned int i;

	x86_msr_map_init(&layout, &id);
	KUNIT_EXPECT_TRUE(test, layout.nehalem_workaround);
	id.programmable = 0x3;
	x86_msr_map_init(&layout, &id);
	KUNIT_EXPECT_FALSE(test, layout.nehalem_workaround);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		id = fake_cpu_id(test, others[i]);
		x86_msr_map_init(&layout, &id);
		KUNIT_EXPECT_FALSE_MSG(test, layout.nehalem_workaround, "%s", others[i]);
	}
}

static struct kunit_case nehalem_cases[] = {
	KUNIT_CASE(nehalem_letter),
	KUNIT_CASE(nehalem_others),
	KUNIT_CASE(nehalem_foreign),
	KUNIT_CASE(nehalem_parked),
	KUNIT_CASE(nehalem_who),
	{}
};

struct kunit_suite hwpmc_x86_nehalem_suite = {
	.name		= "hwpmc_x86_nehalem",
	.test_cases	= nehalem_cases,
};
