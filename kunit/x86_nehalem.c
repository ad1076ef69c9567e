// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_x86_nehalem: a new event is selected after the sequence of the Nehalem errata, and
 * the other counters count on exactly (arch/x86/nehalem_workaround.c, counter.c). The fake
 * registers check that the sequence is run. Run by kunit/run.c in KUnit's thread.
 */
#include <kunit/test.h>

#include "fake_x86.h"
#include "fixture.h"

#define NEW_ROW		3
#define NEAR_END	0xffffffffff00ULL

static const struct hwpmc_class nehalem_programmable, nehalem_fixed;
static struct hwpmc_slot nehalem_slots[X86_KINDS][4];
static const u64 nehalem_rows[X86_KINDS] = { [X86_PROGRAMMABLE] = 0x7, [X86_FIXED] = 0x1 };

/* The core defers an overflow while a row is programmed, so nothing is folded here. */
static void nehalem_overflow(const struct hwpmc_class *class, u64 rows, struct pt_regs *regs)
{
}

static void nehalem_expect_claimed(void)
{
	KUNIT_EXPECT_NE(fake_x86.test, 0, fake_x86_handle_nmi());
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
	fake_x86_set_overflow(nehalem_overflow, classes);
	fake_x86_pmi_enable();
	memset(nehalem_slots, 0, sizeof(nehalem_slots));
	for (row = 0; row < NEW_ROW; row++) {
		const struct x86_counter_setting set = { .select = 0x100c0 + row };

		fake_x86_counter_program(X86_PROGRAMMABLE, row, &set, value);
	}
	fake_x86_counter_program(X86_FIXED, 0, &(struct x86_counter_setting){ .select = 0xa },
				 value);
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

/* Every MSR write, in the order that the errata require. */
static void nehalem_write_sequence(struct kunit *test)
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
	fake_x86_counter_program(X86_PROGRAMMABLE, NEW_ROW, &set, 0);
	KUNIT_ASSERT_EQ(test, (unsigned int)ARRAY_SIZE(writes), fake_x86.write_count);
	for (i = 0; i < ARRAY_SIZE(writes); i++) {
		KUNIT_EXPECT_EQ_MSG(test, writes[i].msr, fake_x86.writes[i].msr, "write %u", i);
		KUNIT_EXPECT_EQ_MSG(test, writes[i].value, fake_x86.writes[i].value, "write %u", i);
	}
}

/*
 * While a row is programmed, three others and a fixed one wrap at any access. The NMI is
 * delivered then or later: it is claimed, and every sum is exact.
 */
static void nehalem_other_counters_exact(struct kunit *test)
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
			fake_x86.nmi = nehalem_expect_claimed;
			fake_x86.nmi_at = fake_x86.jump_at + delay;
			fake_x86_counter_program(X86_PROGRAMMABLE, NEW_ROW, &set, 0);
			KUNIT_EXPECT_TRUE(test, fake_x86_runs(NEW_ROW));
			nehalem_expect_exact(test, from);
			if (test->status == KUNIT_FAILURE)
				return;
		}
	}
}

static void nehalem_expect_not_claimed(void)
{
	KUNIT_EXPECT_EQ(fake_x86.test, 0, fake_x86_handle_nmi());
}

/* Another device's NMI at any access is not claimed because of the sequence's counters. */
static void nehalem_foreign_nmi_not_claimed(struct kunit *test)
{
	const struct x86_counter_setting set = { .select = 0x1003c };
	unsigned int at;

	for (at = 1; at < 40; at++) {
		nehalem_begin(test, 0);
		fake_x86.pending = true;
		fake_x86.nmi = nehalem_expect_not_claimed;
		fake_x86.nmi_at = fake_x86.accesses + at;
		fake_x86_counter_program(X86_PROGRAMMABLE, NEW_ROW, &set, 0);
		KUNIT_EXPECT_EQ(test, 0x70000000fULL, fake_x86.global_ctl);
	}
}

/* A stopped row remains stopped and keeps its count. */
static void nehalem_stopped_row_unchanged(struct kunit *test)
{
	const struct x86_counter_setting set = { .select = 0x1003c };
	u64 counter;

	nehalem_begin(test, 0);
	fake_x86_advance(50);
	fake_x86_rows_stop(X86_PROGRAMMABLE, BIT_ULL(1));
	counter = fake_x86.counter[1];
	fake_x86_counter_program(X86_PROGRAMMABLE, NEW_ROW, &set, 0);
	KUNIT_EXPECT_FALSE(test, fake_x86_runs(1));
	KUNIT_EXPECT_EQ(test, counter, fake_x86.counter[1]);
	fake_x86_set_period(X86_PROGRAMMABLE, nehalem_slots[X86_PROGRAMMABLE], 1, 100, 0);
	KUNIT_EXPECT_TRUE(test, fake_x86_runs(1));
	KUNIT_EXPECT_EQ(test, 50ULL, nehalem_slots[X86_PROGRAMMABLE][1].sum);
}

/* Other cores do not need the workaround, and it needs four counters. */
static void nehalem_only_where_needed(struct kunit *test)
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
	KUNIT_CASE(nehalem_write_sequence),
	KUNIT_CASE(nehalem_other_counters_exact),
	KUNIT_CASE(nehalem_foreign_nmi_not_claimed),
	KUNIT_CASE(nehalem_stopped_row_unchanged),
	KUNIT_CASE(nehalem_only_where_needed),
	{}
};

struct kunit_suite hwpmc_x86_nehalem_suite = {
	.name		= "hwpmc_x86_nehalem",
	.test_cases	= nehalem_cases,
};
