// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_x86_id: the rows, widths and registers that CPUID leaves decode to, and what CPUs
 * have in common (arch/x86/id.c, msr_map.c; pure functions).
 * Run by kunit/run.c in KUnit's thread.
 */
#include <kunit/test.h>
#include <uapi/linux/hwpmc.h>

#include "../arch/x86/intel_model.h"
#include "fake_x86.h"
#include "fixture.h"

static u64 first(unsigned int count)
{
	return count ? GENMASK_ULL(count - 1, 0) : 0;
}

static void id_decodes_leaves(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < fake_cpu_count; i++) {
		const struct fake_cpu *cpu = &fake_cpus[i];
		char text[HWPMC_NAME_MAX];
		struct x86_id id;

		x86_id_decode(&cpu->leaves, &id);
		KUNIT_EXPECT_EQ_MSG(test, cpu->flavour, id.flavour, "%s", cpu->name);
		KUNIT_EXPECT_EQ_MSG(test, cpu->version, id.version, "%s", cpu->name);
		KUNIT_EXPECT_EQ_MSG(test, first(cpu->rows), id.programmable, "%s", cpu->name);
		KUNIT_EXPECT_EQ_MSG(test, cpu->fixed, hweight64(id.fixed), "%s", cpu->name);
		KUNIT_EXPECT_EQ_MSG(test, cpu->width, id.width, "%s", cpu->name);
		KUNIT_EXPECT_EQ_MSG(test, cpu->fixed_width, id.fixed_width, "%s", cpu->name);
		KUNIT_EXPECT_EQ_MSG(test, cpu->wide, id.wide, "%s", cpu->name);
		KUNIT_EXPECT_EQ_MSG(test, cpu->any, id.any, "%s", cpu->name);
		KUNIT_EXPECT_EQ_MSG(test, cpu->missing, id.missing, "%s", cpu->name);
		x86_id_describe(&id, text, sizeof(text));
		KUNIT_EXPECT_STREQ(test, cpu->text, text);
	}
}

/* Family, model and kind of core. */
static void id_family_model_and_core(struct kunit *test)
{
	static const struct {
		const char *name;
		unsigned int family, model;
		u32 cores;
	} cases[] = {
		{ "Core 2", 6, 0x0f, INTEL_CORE2 }, { "Nehalem", 6, 0x1a, INTEL_NHM },
		{ "Haswell", 6, 0x3c, INTEL_HSW }, { "Skylake-SP", 6, 0x55, INTEL_SKL },
		{ "Ice Lake-SP", 6, 0x6a, INTEL_ICL }, { "Sapphire Rapids", 6, 0x8f, INTEL_GLC },
		{ "Alder Lake P", 6, 0x97, INTEL_GLC }, { "Alder Lake E", 6, 0x97, INTEL_GRT },
		{ "Silvermont", 6, 0x37, INTEL_SLM },
		{ "Granite Rapids", 6, 0xad, INTEL_RWC }, { "Meteor Lake E", 6, 0xaa, INTEL_CMT },
		{ "Lunar Lake P", 6, 0xbd, INTEL_OTHER },
		{ "Lunar Lake E", 6, 0xbd, INTEL_OTHER_ATOM },
		{ "K7", 6, 6, 0 }, { "K8", 0xf, 5, 0 }, { "Phenom", 0x10, 4, 0 },
		{ "Bulldozer", 0x15, 1, 0 }, { "Zen 1", 0x17, 1, 0 }, { "Zen 4", 0x19, 0x61, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct x86_id id = fake_cpu_id(test, cases[i].name);

		KUNIT_EXPECT_EQ_MSG(test, cases[i].family, id.family, "%s", cases[i].name);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].model, id.model, "%s", cases[i].name);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].cores, id.cores, "%s", cases[i].name);
	}
}

static void id_holes_in_fixed_counters(struct kunit *test)
{
	struct x86_id id = fake_cpu_id(test, "version 5 with holes");

	KUNIT_EXPECT_EQ(test, 0x13ULL, id.fixed);
}

/* With the TSX microcode counter 3 of eight is missing, and the others remain. */
static void id_tsx_counter_3_missing(struct kunit *test)
{
	struct x86_leaves leaves = {
		.vendor = X86_ID_VENDOR_INTEL, .leaf1_eax = 0x506e3, .leaf7_edx = BIT(13),
		.leaf_a = { 0x07300804, 0, 0, 0x0603 },
	};
	struct x86_id id, all = {};

	x86_id_decode(&leaves, &id);
	KUNIT_EXPECT_EQ(test, 0xf7ULL, id.programmable);
	KUNIT_EXPECT_TRUE(test, id.tsx);
	/* With two counters none is missing. */
	leaves.leaf_a[0] = 0x07300204;
	x86_id_decode(&leaves, &id);
	KUNIT_EXPECT_EQ(test, 0x3ULL, id.programmable);
	KUNIT_EXPECT_FALSE(test, id.tsx);
	id = fake_cpu_id(test, "Skylake-SP");
	x86_id_intersect(&all, &id);
	id = fake_cpu_id(test, "Skylake-SP, TSX");
	x86_id_intersect(&all, &id);
	KUNIT_EXPECT_TRUE(test, all.tsx);
	KUNIT_EXPECT_EQ(test, 0x7ULL, all.programmable);
}

/* Big and small cores: the intersection has what both support, in either order. */
static void id_hybrid_intersection(struct kunit *test)
{
	const struct x86_id big = fake_cpu_id(test, "Alder Lake P");
	const struct x86_id small = fake_cpu_id(test, "Alder Lake E");
	struct x86_id all[2] = {};
	unsigned int i;

	x86_id_intersect(&all[0], &big);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&all[0], &big, sizeof(big)));
	x86_id_intersect(&all[0], &small);
	x86_id_intersect(&all[1], &small);
	x86_id_intersect(&all[1], &big);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, 0x3fULL, all[i].programmable);
		KUNIT_EXPECT_EQ(test, 0x7ULL, all[i].fixed);
		KUNIT_EXPECT_EQ(test, (u32)(INTEL_GLC | INTEL_GRT), all[i].cores);
		KUNIT_EXPECT_TRUE(test, x86_id_fits(&all[i], &big));
		KUNIT_EXPECT_TRUE(test, x86_id_fits(&all[i], &small));
	}
	KUNIT_EXPECT_FALSE(test, x86_id_fits(&big, &small));
	KUNIT_EXPECT_TRUE(test, x86_id_fits(&small, &big));
}

/* An unknown core in the intersection keeps the known one in the set of cores. */
static void id_unknown_core_in_intersection(struct kunit *test)
{
	const struct x86_id known = fake_cpu_id(test, "Alder Lake P");
	const struct x86_id other = fake_cpu_id(test, "Lunar Lake E");
	struct x86_id all = {};

	x86_id_intersect(&all, &known);
	x86_id_intersect(&all, &other);
	KUNIT_EXPECT_EQ(test, (u32)(INTEL_GLC | INTEL_OTHER_ATOM), all.cores);
	/* Only one of them has the architectural event slots. */
	KUNIT_EXPECT_EQ(test, 0xffU, known.architectural);
	KUNIT_EXPECT_EQ(test, 0x7fU, all.architectural);
}

/* CPUs with incompatible registers have no common counters. */
static void id_incompatible_cpus_share_nothing(struct kunit *test)
{
	const struct x86_id narrow = fake_cpu_id(test, "Nehalem");
	const struct x86_id wide = fake_cpu_id(test, "Haswell");
	struct x86_id all = {};

	x86_id_intersect(&all, &narrow);
	x86_id_intersect(&all, &wide);
	KUNIT_EXPECT_EQ(test, 0ULL, all.programmable);
	KUNIT_EXPECT_EQ(test, 0ULL, all.fixed);
	KUNIT_EXPECT_FALSE(test, x86_id_compatible(&narrow, &wide));
	/* Nothing is announced, so every CPU fits. */
	KUNIT_EXPECT_TRUE(test, x86_id_fits(&all, &wide));
}

/* The MSR numbers of each flavour, and the lowest start value of its counters. */
static void id_msr_map(struct kunit *test)
{
	static const struct {
		const char *name;
		u32 select, counter, step, global_ctl, global_status, global_ack;
		u64 min_start;
	} cases[] = {
		{ "Core Duo", 0x186, 0xc1, 1, 0, 0, 0, 0xff80000000ULL },
		{ "Core 2", 0x186, 0xc1, 1, 0x38f, 0x38e, 0x390, 0xff80000000ULL },
		{ "Nehalem", 0x186, 0xc1, 1, 0x38f, 0x38e, 0x390, 0xffff80000000ULL },
		{ "Silvermont", 0x186, 0x4c1, 1, 0x38f, 0x38e, 0x390, 0x8000000000ULL },
		{ "Sapphire Rapids", 0x186, 0x4c1, 1, 0x38f, 0x38e, 0x390, 0x800000000000ULL },
		{ "K8", 0xc0010000, 0xc0010004, 1, 0, 0, 0, 0x800000000000ULL },
		{ "Zen 1", 0xc0010200, 0xc0010201, 2, 0, 0, 0, 0x800000000000ULL },
		{ "Zen 4", 0xc0010200, 0xc0010201, 2, 0xc0000301, 0xc0000300, 0xc0000302,
		  0x800000000000ULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct x86_id id = fake_cpu_id(test, cases[i].name);
		struct x86_msr_map layout;

		x86_msr_map_init(&layout, &id);
		KUNIT_EXPECT_EQ(test, cases[i].select, layout.regs[X86_PROGRAMMABLE].select);
		KUNIT_EXPECT_EQ(test, cases[i].counter, layout.regs[X86_PROGRAMMABLE].counter);
		KUNIT_EXPECT_EQ(test, cases[i].step, layout.regs[X86_PROGRAMMABLE].step);
		KUNIT_EXPECT_EQ(test, cases[i].min_start, layout.regs[X86_PROGRAMMABLE].min_start);
		KUNIT_EXPECT_EQ(test, cases[i].global_ctl, layout.global_ctl);
		KUNIT_EXPECT_EQ(test, cases[i].global_status, layout.global_status);
		KUNIT_EXPECT_EQ(test, cases[i].global_ack, layout.global_ack);
		if (!id.fixed)
			continue;
		KUNIT_EXPECT_EQ(test, 0x309U, layout.regs[X86_FIXED].counter);
		KUNIT_EXPECT_EQ(test, cases[i].min_start, layout.regs[X86_FIXED].min_start);
	}
}

/* Perf's addresses of version 6 cannot be reserved. */
static void id_version_6_shares_with_perf(struct kunit *test)
{
	struct x86_leaves leaves = {
		.vendor = X86_ID_VENDOR_INTEL, .leaf1_eax = 0xb06d1,
		.leaf_a = { 0x07300805, 0, 0xf, 0x8604 },
	};
	struct x86_id id;

	x86_id_decode(&leaves, &id);
	KUNIT_EXPECT_FALSE(test, x86_id_shares_with_perf(&id, true));
	leaves.leaf_a[0]++;
	x86_id_decode(&leaves, &id);
	KUNIT_EXPECT_EQ(test, 6U, id.version);
	KUNIT_EXPECT_TRUE(test, x86_id_shares_with_perf(&id, true));
	KUNIT_EXPECT_FALSE(test, x86_id_shares_with_perf(&id, false));
	id = fake_cpu_id(test, "Zen 4");
	KUNIT_EXPECT_FALSE(test, x86_id_shares_with_perf(&id, true));
}

static struct kunit_case id_cases[] = {
	KUNIT_CASE(id_decodes_leaves),
	KUNIT_CASE(id_family_model_and_core),
	KUNIT_CASE(id_holes_in_fixed_counters),
	KUNIT_CASE(id_tsx_counter_3_missing),
	KUNIT_CASE(id_hybrid_intersection),
	KUNIT_CASE(id_unknown_core_in_intersection),
	KUNIT_CASE(id_incompatible_cpus_share_nothing),
	KUNIT_CASE(id_version_6_shares_with_perf),
	KUNIT_CASE(id_msr_map),
	{}
};

struct kunit_suite hwpmc_x86_id_suite = {
	.name		= "hwpmc_x86_id",
	.test_cases	= id_cases,
};
