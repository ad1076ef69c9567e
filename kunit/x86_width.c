// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_x86_width: sums are exact although counters wrap (arch/x86/rows.c). The fake
 * registers record how many events were counted between two reads.
 * Run by kunit/run.c in KUnit's thread.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "fake_x86.h"
#include "fixture.h"

/* Counter widths of real CPUs, and others that CPUID could report. */
static const struct width_kind {
	const char *what;
	const char *cpu;
	unsigned int width;
	enum x86_kind kind;
	u64 rows;
} width_kinds[] = {
	{ "32 bits, all written", "Haswell", 32, X86_PROGRAMMABLE, 0xf },
	{ "32 bits", "Core 2", 32, X86_PROGRAMMABLE, 0x3 },
	{ "33 bits", "Core 2", 33, X86_PROGRAMMABLE, 0x2 },
	{ "40 bits", "Core 2", 40, X86_PROGRAMMABLE, 0x1 },
	{ "40 bits, fixed", "Core 2", 40, X86_FIXED, 0x7 },
	{ "40 bits, all written", "Silvermont", 40, X86_PROGRAMMABLE, 0x3 },
	{ "44 bits", "Nehalem", 44, X86_PROGRAMMABLE, 0xf },
	{ "48 bits, 32 written", "Nehalem", 48, X86_PROGRAMMABLE, 0x9 },
	{ "48 bits, version 1", "Core Duo", 48, X86_PROGRAMMABLE, 0x3 },
	{ "48 bits", "Sapphire Rapids", 48, X86_PROGRAMMABLE, 0xff },
	{ "48 bits, fixed", "Sapphire Rapids", 48, X86_FIXED, 0xf },
	{ "48 bits, last row", "Sapphire Rapids", 48, X86_PROGRAMMABLE, 0x80 },
	{ "48 bits, K8", "K8", 48, X86_PROGRAMMABLE, 0xf },
	{ "48 bits, Zen 1", "Zen 1", 48, X86_PROGRAMMABLE, 0x3f },
	{ "48 bits, Zen 4", "Zen 4", 48, X86_PROGRAMMABLE, 0x3f },
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
 * @on: the context is scheduled in
 */
struct width {
	struct hwpmc_slot slots[32];
	u64 from[32];
	u64 sum[32];
	bool on;
};

/* What the overflow handler was called with; @deferred: it defers the overflow. */
static struct {
	const struct width_kind *kind;
	struct width *width;
	unsigned int calls;
	u64 rows;
	bool deferred;
} width_nmi;

static unsigned int place_of(const struct width_kind *kind, unsigned int row)
{
	return row + (kind->kind == X86_FIXED ? FAKE_FIXED : 0);
}

static u64 mask_of(const struct width_kind *kind)
{
	return GENMASK_ULL(kind->width - 1, 0);
}

static void width_in(const struct width_kind *kind, struct width *w)
{
	u64 left;

	fake_x86_in(kind->kind, w->slots, kind->rows);
	for (left = kind->rows; left; left &= left - 1) {
		unsigned int row = __ffs64(left);

		w->from[row] = fake_x86.at_read[place_of(kind, row)];
		/* Scheduling in adds no events. */
		KUNIT_EXPECT_EQ_MSG(fake_x86.test, w->sum[row], w->slots[row].sum, "row %u", row);
	}
	w->on = true;
}

/* After a fold every sum is exact up to the last read. */
static void width_fold(const struct width_kind *kind, struct width *w)
{
	struct kunit *test = fake_x86.test;
	u64 left;

	fake_x86_fold(kind->kind, w->slots, kind->rows);
	for (left = kind->rows; left; left &= left - 1) {
		unsigned int row = __ffs64(left), place = place_of(kind, row);

		w->sum[row] += fake_x86.at_read[place] - w->from[row];
		w->from[row] = fake_x86.at_read[place];
		/* One failure per test: every later sum is wrong too. */
		if (test->status == KUNIT_FAILURE)
			return;
		KUNIT_EXPECT_EQ_MSG(test, w->sum[row], w->slots[row].sum, "row %u", row);
		KUNIT_EXPECT_NE_MSG(test, 0ULL, w->slots[row].start >> (kind->width - 1),
				    "row %u starts without its top bit", row);
	}
}

static void width_overflow(const struct hwpmc_class *class, u64 rows, struct pt_regs *regs)
{
	width_nmi.calls++;
	width_nmi.rows |= rows;
	if (width_nmi.deferred)
		return;
	if (width_nmi.width->on)
		width_fold(width_nmi.kind, width_nmi.width);
	else
		fake_x86_rows_ack(width_nmi.kind->kind, rows);
}

static const struct hwpmc_class width_class;

static struct width *width_begin(struct kunit *test, u64 value)
{
	static const struct hwpmc_class *const classes[X86_KINDS] = { &width_class, &width_class };
	const struct width_kind *kind = test->param_value;
	struct width *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	struct x86_id id = fake_cpu_id(test, kind->cpu);
	const struct x86_counter_setting set = {
		.select = kind->kind == X86_FIXED ? 0xa : 0x100c0,
	};
	u64 left;

	KUNIT_ASSERT_NOT_NULL(test, w);
	id.width = kind->width;
	id.fixed_width = kind->width;
	fake_x86_reset(test, &id);
	fake_x86_rows_up(fake_x86_places());
	width_nmi.kind = kind;
	width_nmi.width = w;
	width_nmi.calls = 0;
	width_nmi.rows = 0;
	width_nmi.deferred = false;
	fake_x86_set_overflow(width_overflow, classes);
	fake_x86_pmi_enable();
	for (left = kind->rows; left; left &= left - 1)
		fake_x86_counter_program(kind->kind, __ffs64(left), &set, value);
	fake_x86.step = 1;
	return w;
}

/* Delivers the pending interrupt, and any that it causes. */
static void width_interrupt(void)
{
	while (fake_x86.pending) {
		fake_x86.pending = false;
		KUNIT_EXPECT_NE(fake_x86.test, 0, fake_x86_handle_nmi());
		if (fake_x86.test->status == KUNIT_FAILURE)
			break;
	}
}

static void width_no_wrap(struct kunit *test)
{
	struct width *w = width_begin(test, 0);
	unsigned int i;

	width_in(test->param_value, w);
	for (i = 0; i < 5; i++) {
		fake_x86_advance(1000);
		width_fold(test->param_value, w);
	}
}

/* Just less than 2^width events between two folds, five times. */
static void width_almost_full_turn(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_begin(test, 0);
	unsigned int i;

	width_in(kind, w);
	for (i = 0; i < 5; i++) {
		fake_x86_advance(mask_of(kind) - 200);
		width_fold(kind, w);
	}
}

/* A wrap at each access of the operation in, and of the folds after it. */
static void width_wrap_at_any_access(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w;
	unsigned int at;

	for (at = 1; at < 100; at++) {
		w = width_begin(test, mask_of(kind) - 5000);
		fake_x86.jump_at = fake_x86.accesses + at;
		fake_x86.jump = 5000;
		width_in(kind, w);
		width_fold(kind, w);
		width_fold(kind, w);
		fake_x86_idle();
		width_fold(kind, w);
		kunit_kfree(test, w);
	}
}

/* The counters wrap one after the other while they are read. */
static void width_wraps_during_reads(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	const struct x86_counter_setting set = {
		.select = kind->kind == X86_FIXED ? 0xa : 0x100c0,
	};
	struct width *w;
	unsigned int spread, round;
	u64 left;

	for (spread = 1; spread < 8; spread++) {
		w = width_begin(test, 0);
		for (left = kind->rows; left; left &= left - 1)
			fake_x86_counter_program(kind->kind, __ffs64(left), &set,
						 -(u64)(100 + spread * __ffs64(left)));
		width_in(kind, w);
		for (round = 0; round < 20; round++)
			width_fold(kind, w);
		kunit_kfree(test, w);
	}
}

/* A wrap before the context is scheduled in is not counted for it. */
static void width_earlier_wrap_ignored(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_begin(test, mask_of(kind) - 100);

	fake_x86_advance(300);
	width_in(kind, w);
	width_fold(kind, w);
	fake_x86_advance(50);
	width_fold(kind, w);
}

/* A start value, with or without bits beyond the width, is not part of the sum. */
static void width_preset_not_in_sum(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	const u64 values[] = { mask_of(kind), U64_MAX, U64_MAX - 9, mask_of(kind) - 9, 5,
			       mask_of(kind) + 1, mask_of(kind) >> 1, (mask_of(kind) >> 1) + 1 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		struct width *w = width_begin(test, values[i]);

		width_in(kind, w);
		fake_x86.step = 3;
		width_fold(kind, w);
		fake_x86_advance(100000);
		width_fold(kind, w);
		KUNIT_EXPECT_LT(test, w->slots[__ffs64(kind->rows)].sum, 110000ULL);
		kunit_kfree(test, w);
	}
}

/*
 * Only the interrupt folds. It is raised after 2^(width-1) events if the counter can be written
 * in its full width, else after 2^31, ten times. With full width these are more events than the
 * counter can hold.
 */
static void width_folded_by_interrupt_only(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_begin(test, 0);
	u64 far = fake_x86.id.wide ? (mask_of(kind) >> 1) + 1 : BIT_ULL(31);
	unsigned int i;

	width_in(kind, w);
	for (i = 0; i < 10; i++) {
		/* The interrupt is raised at the wrap, not before. */
		fake_x86_advance(far - 1000);
		KUNIT_EXPECT_FALSE(test, fake_x86.pending);
		fake_x86_advance(1000 + i * 100);
		KUNIT_EXPECT_TRUE(test, fake_x86.pending);
		width_interrupt();
		KUNIT_EXPECT_EQ(test, kind->rows, width_nmi.rows);
		KUNIT_EXPECT_EQ(test, 0ULL, fake_x86.status);
		KUNIT_EXPECT_FALSE(test, fake_x86.masked);
	}
	KUNIT_EXPECT_EQ(test, 10U, width_nmi.calls);
	KUNIT_EXPECT_FALSE(test, fake_x86.lost_nmi);
	width_fold(kind, w);
}

/* Without a context the interrupt only makes the counter ready for the next overflow. */
static void width_interrupt_without_context(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_begin(test, mask_of(kind) - 50);
	u64 left;

	fake_x86_advance(100);
	KUNIT_EXPECT_TRUE(test, fake_x86.pending);
	width_interrupt();
	for (left = kind->rows; left; left &= left - 1)
		KUNIT_EXPECT_NE(test, 0ULL, fake_x86.counter[place_of(kind, __ffs64(left))] >>
				(kind->width - 1));
	width_in(kind, w);
	fake_x86_advance(100);
	width_fold(kind, w);
}

/* An interrupt during a fold is deferred: the next fold makes the sum exact. */
static void width_deferred_interrupt(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_begin(test, mask_of(kind) - 50);

	width_in(kind, w);
	fake_x86_advance(100);
	width_nmi.deferred = true;
	width_interrupt();
	KUNIT_EXPECT_NE(test, 0ULL, width_nmi.rows);
	width_fold(kind, w);
	fake_x86_advance(100);
	width_fold(kind, w);
}

/* Random switches, folds, interrupts and numbers of events. */
static void width_random_switches(struct kunit *test)
{
	const struct width_kind *kind = test->param_value;
	struct width *w = width_begin(test, mask_of(kind) - 4711);
	struct rnd_state random;
	unsigned int i;

	prandom_seed_state(&random, 20070608);
	width_in(kind, w);
	for (i = 0; i < 400; i++) {
		u32 dice = prandom_u32_state(&random);
		u64 far = prandom_u32_state(&random) | (u64)prandom_u32_state(&random) << 32;

		fake_x86.step = dice & 0xff;
		/* Wraps are far apart, so that each has its interrupt. */
		fake_x86.jump = (far >> (dice >> 26)) & (mask_of(kind) >> 1);
		if (!fake_x86.id.wide)
			fake_x86.jump &= GENMASK_ULL(30, 0);
		fake_x86.jump_at = fake_x86.accesses + 1 + (dice >> 8) % 24;
		width_fold(kind, w);
		if (dice & BIT(16))
			width_in(kind, w);
		while (fake_x86.accesses < fake_x86.jump_at)
			fake_x86_idle();
		if (dice & BIT(17))
			width_interrupt();
		width_fold(kind, w);
		width_interrupt();
	}
}

static struct kunit_case width_cases[] = {
	KUNIT_CASE_PARAM(width_no_wrap, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_almost_full_turn, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_wrap_at_any_access, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_wraps_during_reads, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_earlier_wrap_ignored, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_preset_not_in_sum, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_folded_by_interrupt_only, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_interrupt_without_context, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_deferred_interrupt, width_kind_gen_params),
	KUNIT_CASE_PARAM(width_random_switches, width_kind_gen_params),
	{}
};

struct kunit_suite hwpmc_x86_width_suite = {
	.name		= "hwpmc_x86_width",
	.test_cases	= width_cases,
};
