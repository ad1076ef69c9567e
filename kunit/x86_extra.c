// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_x86_extra: the bits that each core accepts in Intel's extra registers
 * (arch/x86/intel_model.c; pure functions). Run by kunit/run.c in KUnit's thread.
 */
#include <kunit/test.h>
#include <uapi/linux/hwpmc.h>

#include "../arch/x86/intel_event.h"
#include "../arch/x86/intel_model.h"
#include "fake_x86.h"
#include "fixture.h"

/*
 * The highest bit that an event's register accepts on a core, and the next higher one that it
 * refuses; -1 if it accepts all higher bits. From perf in Linux 6.1 (intel_*_extra_regs),
 * Crestmont from a later version.
 */
static const struct extra_bits {
	const char *what;
	u32 core;
	u16 event;
	int highest;
	int refused;
	enum intel_extra extra;
} extra_table[] = {
	{ "Westmere, offcore 0", INTEL_WSM, 0x01b7, 15, 16, INTEL_EXTRA_OFFCORE_0 },
	{ "Westmere, offcore 1", INTEL_WSM, 0x01bb, 15, 16, INTEL_EXTRA_OFFCORE_1 },
	{ "Sandy Bridge, offcore 0", INTEL_SNB, 0x01b7, 37, 38, INTEL_EXTRA_OFFCORE_0 },
	{ "Sandy Bridge, offcore 1", INTEL_SNB, 0x01bb, 37, 38, INTEL_EXTRA_OFFCORE_1 },
	{ "Sandy Bridge, low", INTEL_SNB, 0x01b7, 22, 23, INTEL_EXTRA_OFFCORE_0 },
	{ "Sandy Bridge-EP, offcore 0", INTEL_SNB_EP, 0x01b7, 37, 38, INTEL_EXTRA_OFFCORE_0 },
	{ "Sandy Bridge-EP, offcore 1", INTEL_SNB_EP, 0x01bb, 37, 38, INTEL_EXTRA_OFFCORE_1 },
	{ "Sandy Bridge-EP, low", INTEL_SNB_EP, 0x01b7, 11, 12, INTEL_EXTRA_OFFCORE_0 },
	{ "Ivy Bridge, offcore 0", INTEL_IVB, 0x01b7, 37, 38, INTEL_EXTRA_OFFCORE_0 },
	{ "Ivy Bridge, offcore 1", INTEL_IVB, 0x01bb, 37, 38, INTEL_EXTRA_OFFCORE_1 },
	{ "Ivy Bridge, low", INTEL_IVB, 0x01bb, 22, 23, INTEL_EXTRA_OFFCORE_1 },
	{ "Ivy Bridge-EP, low", INTEL_IVB_EP, 0x01b7, 11, 12, INTEL_EXTRA_OFFCORE_0 },
	{ "Broadwell, offcore 0", INTEL_BDW, 0x01b7, 37, 38, INTEL_EXTRA_OFFCORE_0 },
	{ "Broadwell, offcore 1", INTEL_BDW, 0x01bb, 37, 38, INTEL_EXTRA_OFFCORE_1 },
	{ "Broadwell, low", INTEL_BDW, 0x01bb, 11, 12, INTEL_EXTRA_OFFCORE_1 },
	{ "Ice Lake, offcore 0", INTEL_ICL, 0x01b7, 37, 38, INTEL_EXTRA_OFFCORE_0 },
	{ "Ice Lake, offcore 1", INTEL_ICL, 0x01bb, 37, 38, INTEL_EXTRA_OFFCORE_1 },
	{ "Ice Lake, low", INTEL_ICL, 0x01b7, 13, 14, INTEL_EXTRA_OFFCORE_0 },
	{ "Ice Lake, frontend", INTEL_ICL, 0x01c6, 22, 23, INTEL_EXTRA_FRONTEND },
	{ "Silvermont, offcore 0", INTEL_SLM, 0x01b7, 38, 39, INTEL_EXTRA_OFFCORE_0 },
	{ "Silvermont, offcore 1", INTEL_SLM, 0x02b7, 37, 38, INTEL_EXTRA_OFFCORE_1 },
	{ "Silvermont, low", INTEL_SLM, 0x02b7, 16, 17, INTEL_EXTRA_OFFCORE_1 },
	{ "Goldmont, offcore 0", INTEL_GLM, 0x01b7, 38, 39, INTEL_EXTRA_OFFCORE_0 },
	{ "Goldmont, offcore 1", INTEL_GLM, 0x02b7, 37, 38, INTEL_EXTRA_OFFCORE_1 },
	{ "Goldmont, low", INTEL_GLM, 0x01b7, 5, 6, INTEL_EXTRA_OFFCORE_0 },
	{ "Tremont, offcore 0", INTEL_TNT, 0x01b7, 63, -1, INTEL_EXTRA_OFFCORE_0 },
	{ "Tremont, offcore 0, middle", INTEL_TNT, 0x01b7, 51, 52, INTEL_EXTRA_OFFCORE_0 },
	{ "Tremont, offcore 1", INTEL_TNT, 0x02b7, 51, 63, INTEL_EXTRA_OFFCORE_1 },
	{ "Tremont, low", INTEL_TNT, 0x02b7, 39, 40, INTEL_EXTRA_OFFCORE_1 },
	{ "Crestmont, offcore 0", INTEL_CMT, 0x01b7, 63, -1, INTEL_EXTRA_OFFCORE_0 },
	{ "Crestmont, offcore 0, middle", INTEL_CMT, 0x01b7, 51, 52, INTEL_EXTRA_OFFCORE_0 },
	{ "Crestmont, offcore 1", INTEL_CMT, 0x02b7, 51, 63, INTEL_EXTRA_OFFCORE_1 },
	{ "Crestmont, low", INTEL_CMT, 0x02b7, 41, 42, INTEL_EXTRA_OFFCORE_1 },
};

static void extra_bits_name(const struct extra_bits *it, char *desc)
{
	strscpy(desc, it->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(extra_bits, extra_table, extra_bits_name);

static void extra_reserved_bits_refused(struct kunit *test)
{
	const struct extra_bits *it = test->param_value;
	struct hwpmc_request req = { .event = it->event, .caps = HWPMC_CAP_USER };
	struct x86_id id = fake_cpu_id(test, "Haswell");
	struct hwpmc_encoding enc = {};

	id.cores = it->core;
	req.config[0] = BIT_ULL(it->highest);
	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&id, &req, 0, &enc));
	KUNIT_EXPECT_EQ(test, (unsigned int)it->extra, enc.extra);
	KUNIT_EXPECT_EQ(test, BIT_ULL(it->highest), enc.sel.extra);
	if (it->refused < 0)
		return;
	/* A reserved bit is refused beside an accepted one too. */
	req.config[0] |= BIT_ULL(it->refused);
	KUNIT_EXPECT_EQ(test, -EINVAL, intel_event_encode(&id, &req, 0, &enc));
	KUNIT_EXPECT_TRUE(test, enc.why && strstr(enc.why, "reserved on this CPU"));
}

static struct kunit_case extra_cases[] = {
	KUNIT_CASE_PARAM(extra_reserved_bits_refused, extra_bits_gen_params),
	{}
};

struct kunit_suite hwpmc_x86_extra_suite = {
	.name		= "hwpmc_x86_extra",
	.test_cases	= extra_cases,
};
