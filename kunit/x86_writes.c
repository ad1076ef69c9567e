// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_x86_writes: the exact sequence of MSR writes that program, set the period of, stop
 * and clear a row (arch/x86/counter.c, rows.c).
 * Run by kunit/run.c in KUnit's thread, on fake registers.
 */
#include <kunit/test.h>

#include "fake_x86.h"
#include "fixture.h"

static void writes_begin(struct kunit *test, const char *cpu)
{
	struct x86_id id = fake_cpu_id(test, cpu);

	fake_x86_reset(test, &id);
	fake_x86_rows_up(fake_x86_places());
	fake_x86.write_count = 0;
}

/* Expects that the @count writes since write number @from are @writes, and no more. */
static void writes_compare(struct kunit *test, const char *cpu, unsigned int from,
			   const struct fake_write *writes, unsigned int count)
{
	unsigned int i;

	KUNIT_ASSERT_EQ_MSG(test, from + count, fake_x86.write_count, "%s", cpu);
	for (i = 0; i < count; i++) {
		const struct fake_write *got = &fake_x86.writes[from + i];

		KUNIT_EXPECT_EQ_MSG(test, writes[i].msr, got->msr, "%s, write %u", cpu, i);
		KUNIT_EXPECT_EQ_MSG(test, writes[i].value, got->value, "%s, write %u", cpu, i);
	}
}

/* The writes that program a row. */
static const struct writes_program_and_clear {
	const char *cpu;
	enum x86_kind kind;
	unsigned int row;
	struct x86_counter_setting set;
	unsigned int count;
	struct fake_write writes[4];
} writes_programs[] = {
	{ "Core 2", X86_PROGRAMMABLE, 1, { 0x100c0 }, 3,
	  { { 0x187, 0 }, { 0xc2, 0xff80000000ULL }, { 0x187, 0x5100c0 } } },
	{ "Silvermont", X86_PROGRAMMABLE, 1, { 0x300c0 }, 3,
	  { { 0x187, 0 }, { 0x4c2, 0x8000000000ULL }, { 0x187, 0x5300c0 } } },
	{ "Haswell", X86_PROGRAMMABLE, 0, { 0x101b7, 0x1a6, 0x10001 }, 4,
	  { { 0x186, 0 }, { 0x1a6, 0x10001 }, { 0x4c1, 0x800000000000ULL },
	    { 0x186, 0x5101b7 } } },
	{ "Haswell", X86_FIXED, 2, { 0xa }, 3,
	  { { 0x38d, 0 }, { 0x30b, 0x800000000000ULL }, { 0x38d, 0xa00 } } },
	{ "Skylake-SP", X86_PROGRAMMABLE, 3, { 0x101c6, 0x3f7, 0x11 }, 4,
	  { { 0x189, 0 }, { 0x3f7, 0x11 }, { 0x4c4, 0x800000000000ULL },
	    { 0x189, 0x5101c6 } } },
	{ "Ice Lake-SP", X86_PROGRAMMABLE, 4, { 0x200c0 }, 3,
	  { { 0x18a, 0 }, { 0x4c5, 0x800000000000ULL }, { 0x18a, 0x5200c0 } } },
	{ "Ice Lake-SP", X86_FIXED, 3, { 0xb }, 3,
	  { { 0x38d, 0 }, { 0x30c, 0x800000000000ULL }, { 0x38d, 0xb000 } } },
	{ "Sapphire Rapids", X86_PROGRAMMABLE, 7, { 0x100c0 }, 3,
	  { { 0x18d, 0 }, { 0x4c8, 0x800000000000ULL }, { 0x18d, 0x5100c0 } } },
	{ "Alder Lake P", X86_PROGRAMMABLE, 2, { 0x1012a, 0x1a6, 0x10001 }, 4,
	  { { 0x188, 0 }, { 0x1a6, 0x10001 }, { 0x4c3, 0x800000000000ULL },
	    { 0x188, 0x51012a } } },
	{ "Alder Lake E", X86_PROGRAMMABLE, 5, { 0x102b7, 0x1a7, 0x10001 }, 4,
	  { { 0x18b, 0 }, { 0x1a7, 0x10001 }, { 0x4c6, 0x800000000000ULL },
	    { 0x18b, 0x5102b7 } } },
	{ "K8", X86_PROGRAMMABLE, 3, { 0x10076 }, 3,
	  { { 0xc0010003, 0 }, { 0xc0010007, 0x800000000000ULL }, { 0xc0010003, 0x510076 } } },
	{ "Bulldozer", X86_PROGRAMMABLE, 1, { 0x1000100c0ULL }, 3,
	  { { 0xc0010202, 0 }, { 0xc0010203, 0x800000000000ULL },
	    { 0xc0010202, 0x1005100c0ULL } } },
	{ "Zen 1", X86_PROGRAMMABLE, 0, { 0x300c0 }, 3,
	  { { 0xc0010200, 0 }, { 0xc0010201, 0x800000000000ULL }, { 0xc0010200, 0x5300c0 } } },
	{ "Zen 4", X86_PROGRAMMABLE, 5, { 0x100c0 }, 3,
	  { { 0xc001020a, 0 }, { 0xc001020b, 0x800000000000ULL }, { 0xc001020a, 0x5100c0 } } },
};

static void writes_program_and_clear(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(writes_programs); i++) {
		const struct writes_program_and_clear *it = &writes_programs[i];
		const struct fake_write end = { it->writes[0].msr, 0 };

		writes_begin(test, it->cpu);
		fake_x86_counter_program(it->kind, it->row, &it->set, 0);
		writes_compare(test, it->cpu, 0, it->writes, it->count);
		/* Clearing a row is one write: the selection becomes 0. */
		fake_x86_counter_clear(it->kind, it->row);
		writes_compare(test, it->cpu, it->count, &end, 1);
	}
}

/* The writes that set a running row to overflow after 100 events: stop, set counter, start. */
static const struct writes_set_period_and_stop {
	const char *cpu;
	enum x86_kind kind;
	unsigned int row;
	u64 select;
	struct fake_write writes[3];
} writes_periods[] = {
	{ "Core 2", X86_PROGRAMMABLE, 1, 0x100c0,
	  { { 0x187, 0x1100c0 }, { 0xc2, 0xffffffff9cULL }, { 0x187, 0x5100c0 } } },
	{ "Skylake-SP", X86_FIXED, 1, 0xa,
	  { { 0x38d, 0 }, { 0x30a, 0xffffffffff9cULL }, { 0x38d, 0xa0 } } },
	{ "Ice Lake-SP", X86_PROGRAMMABLE, 2, 0x100c0,
	  { { 0x188, 0x1100c0 }, { 0x4c3, 0xffffffffff9cULL }, { 0x188, 0x5100c0 } } },
	{ "K8", X86_PROGRAMMABLE, 2, 0x100c0,
	  { { 0xc0010002, 0x1100c0 }, { 0xc0010006, 0xffffffffff9cULL },
	    { 0xc0010002, 0x5100c0 } } },
	{ "Zen 1", X86_PROGRAMMABLE, 2, 0x100c0,
	  { { 0xc0010204, 0x1100c0 }, { 0xc0010205, 0xffffffffff9cULL },
	    { 0xc0010204, 0x5100c0 } } },
	{ "Zen 4", X86_PROGRAMMABLE, 5, 0x200c0,
	  { { 0xc001020a, 0x1200c0 }, { 0xc001020b, 0xffffffffff9cULL },
	    { 0xc001020a, 0x5200c0 } } },
};

static void writes_set_period_and_stop(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(writes_periods); i++) {
		const struct writes_set_period_and_stop *it = &writes_periods[i];
		const struct x86_counter_setting set = { .select = it->select };
		struct hwpmc_slot slots[32] = {};

		writes_begin(test, it->cpu);
		fake_x86_counter_program(it->kind, it->row, &set, 0);
		fake_x86_in(it->kind, slots, BIT_ULL(it->row));
		/* While it runs. */
		fake_x86.write_count = 0;
		fake_x86_set_period(it->kind, slots, it->row, 100, 0);
		writes_compare(test, it->cpu, 0, it->writes, 3);
		/* A stop is one write. A schedule-in sets the period again. */
		fake_x86.write_count = 0;
		fake_x86_rows_stop(it->kind, BIT_ULL(it->row));
		writes_compare(test, it->cpu, 0, it->writes, 1);
		fake_x86_rows_stop(it->kind, BIT_ULL(it->row));
		fake_x86_set_period(it->kind, slots, it->row, 100, 0);
		writes_compare(test, it->cpu, 1, it->writes + 1, 2);
	}
}

static struct kunit_case writes_cases[] = {
	KUNIT_CASE(writes_program_and_clear),
	KUNIT_CASE(writes_set_period_and_stop),
	{}
};

struct kunit_suite hwpmc_x86_writes_suite = {
	.name		= "hwpmc_x86_writes",
	.test_cases	= writes_cases,
};
