// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_pmuv3_event: which events are accepted and how they are encoded, and what CPUs
 * have in common (arch/arm64/pmuv3_event.c, pmuv3_id.c; pure functions).
 * Run by kunit/run.c in KUnit's thread.
 */
#include <kunit/test.h>
#include <uapi/linux/hwpmc.h>

#include "../arch/arm64/pmuv3_event.h"
#include "fixture.h"

#define CAPS_U		HWPMC_CAP_USER
#define CAPS_K		HWPMC_CAP_SYSTEM
#define CAPS_UK		(HWPMC_CAP_USER | HWPMC_CAP_SYSTEM)

/* ID_AA64DFR0_EL1.PMUVer, as the Arm ARM numbers them. */
#define VER_V8_0	1
#define VER_V8_1	4
#define VER_V8_4	5
#define VER_V8_5	6

/* PMCEID lists every event that it can, except for 0x21 and 0x4005. */
static const struct pmuv3_id event_v8_1 = {
	.midr = 1, .version = VER_V8_1, .events = 6,
	.ceid = { ~BIT_ULL(32 + 5), ~BIT_ULL(1) },
};

static struct pmuv3_id event_id(unsigned int version, unsigned int events, bool el2)
{
	struct pmuv3_id id = event_v8_1;

	id.version = version;
	id.events = events;
	id.el2 = el2;
	return id;
}

/* A request on some PMU: an errno, or the value of the type register. */
static const struct event_case {
	const char *what;
	unsigned int version;
	bool el2;
	u64 event;
	u64 caps;
	int error;
	u32 sel;
} event_table[] = {
	{ "instructions", VER_V8_0, false, 0x08, CAPS_UK, 0, 0x08 },
	{ "user only", VER_V8_0, false, 0x08, CAPS_U, 0, 0x80000008 },
	{ "kernel only", VER_V8_0, false, 0x08, CAPS_K, 0, 0x40000008 },
	{ "EL2: both", VER_V8_1, true, 0x08, CAPS_UK, 0, 0x08000008 },
	{ "EL2: user only", VER_V8_1, true, 0x08, CAPS_U, 0, 0x80000008 },
	{ "EL2: kernel only", VER_V8_1, true, 0x08, CAPS_K, 0, 0x48000008 },
	{ "software increment", VER_V8_0, false, 0x00, CAPS_UK, 0, 0x00 },
	{ "v8.0: the last event", VER_V8_0, false, 0x3ff, CAPS_UK, 0, 0x3ff },
	{ "v8.0: beyond the last", VER_V8_0, false, 0x400, CAPS_UK, -EINVAL, 0 },
	{ "v8.0: an event of v8.1", VER_V8_0, false, 0x4000, CAPS_UK, -EINVAL, 0 },
	{ "v8.0: 16 bits", VER_V8_0, false, 0xffff, CAPS_UK, -EINVAL, 0 },
	{ "v8.1: beyond v8.0's last", VER_V8_1, false, 0x400, CAPS_UK, 0, 0x400 },
	{ "v8.1: 0x4000", VER_V8_1, false, 0x4000, CAPS_UK, 0, 0x4000 },
	{ "v8.1: the last event", VER_V8_1, false, 0xffff, CAPS_UK, 0, 0xffff },
	{ "v8.1: beyond the last", VER_V8_1, false, 0x10000, CAPS_UK, -EINVAL, 0 },
	{ "v8.4: beyond the last", VER_V8_4, false, 0x10000, CAPS_UK, -EINVAL, 0 },
	{ "v8.5: the last event", VER_V8_5, false, 0xffff, CAPS_UK, 0, 0xffff },
	{ "v8.5: beyond the last", VER_V8_5, false, 0x10000, CAPS_UK, -EINVAL, 0 },
	{ "a filter bit as event", VER_V8_5, false, BIT(30), CAPS_U, -EINVAL, 0 },
	{ "beyond 32 bits", VER_V8_5, false, BIT_ULL(32) | 0x08, CAPS_UK, -EINVAL, 0 },
	{ "all bits", VER_V8_5, false, U64_MAX, CAPS_UK, -EINVAL, 0 },
	{ "CHAIN", VER_V8_0, false, 0x1e, CAPS_UK, -EINVAL, 0 },
	{ "CHAIN on v8.5", VER_V8_5, false, 0x1e, CAPS_UK, -EINVAL, 0 },
	{ "not in PMCEID1", VER_V8_1, false, 0x21, CAPS_UK, -EINVAL, 0 },
	{ "in PMCEID1", VER_V8_1, false, 0x22, CAPS_UK, 0, 0x22 },
	{ "not in PMCEID0's upper half", VER_V8_1, false, 0x4005, CAPS_UK, -EINVAL, 0 },
	{ "in PMCEID0's upper half", VER_V8_1, false, 0x4004, CAPS_UK, 0, 0x4004 },
	{ "upper half, lower event", VER_V8_1, false, 0x05, CAPS_UK, 0, 0x05 },
	{ "PMCEID has no bit for it", VER_V8_1, false, 0x40, CAPS_UK, 0, 0x40 },
	{ "PMCEID has no bit, upper half", VER_V8_1, false, 0x4040, CAPS_UK, 0, 0x4040 },
	{ "PMCEID's bits do not repeat", VER_V8_1, false, 0x8021, CAPS_UK, 0, 0x8021 },
	{ "READ and WRITE", VER_V8_1, false, 0x08, CAPS_UK | HWPMC_CAP_READ | HWPMC_CAP_WRITE, 0,
	  0x08 },
	{ "INTERRUPT", VER_V8_1, false, 0x08, CAPS_UK | HWPMC_CAP_INTERRUPT, 0, 0x08 },
	{ "EDGE", VER_V8_1, false, 0x08, CAPS_UK | HWPMC_CAP_EDGE, -EOPNOTSUPP, 0 },
	{ "THRESHOLD", VER_V8_1, false, 0x08, CAPS_UK | HWPMC_CAP_THRESHOLD, -EOPNOTSUPP, 0 },
	{ "INVERT", VER_V8_1, false, 0x08, CAPS_UK | HWPMC_CAP_INVERT, -EOPNOTSUPP, 0 },
	{ "QUALIFIER", VER_V8_1, false, 0x08, CAPS_UK | HWPMC_CAP_QUALIFIER, -EOPNOTSUPP, 0 },
	{ "PRECISE", VER_V8_1, false, 0x08, CAPS_UK | HWPMC_CAP_PRECISE, -EOPNOTSUPP, 0 },
	{ "TAGGING", VER_V8_1, false, 0x08, CAPS_UK | HWPMC_CAP_TAGGING, -EOPNOTSUPP, 0 },
	{ "SYSWIDE", VER_V8_1, false, 0x08, CAPS_UK | HWPMC_CAP_SYSWIDE, -EOPNOTSUPP, 0 },
};

static void event_case_name(const struct event_case *it, char *desc)
{
	strscpy(desc, it->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(event_case, event_table, event_case_name);

static void event_encoding(struct kunit *test)
{
	const struct event_case *it = test->param_value;
	struct pmuv3_id id = event_id(it->version, 6, it->el2);
	const struct hwpmc_request req = { .event = it->event, .caps = it->caps };
	struct hwpmc_encoding enc = {};

	KUNIT_ASSERT_EQ(test, it->error, pmuv3_event_encode(&id, &req, &enc));
	if (it->error) {
		KUNIT_ASSERT_NOT_NULL(test, enc.why);
		KUNIT_EXPECT_GT(test, strlen(enc.why), 10);
		return;
	}
	KUNIT_EXPECT_EQ(test, it->sel, enc.sel.event);
	/* The six event counters; rows number them from 1. */
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(6, 1), enc.rows);
	KUNIT_EXPECT_EQ(test, 0, enc.prefer);
}

/* Each of the 128 events that PMCEID has a bit for: accepted exactly if its bit is set. */
static void event_accepted_if_in_pmceid(struct kunit *test)
{
	static const u64 first[] = { 0x00, 0x20, 0x4000, 0x4020 };
	unsigned int part, bit;

	for (part = 0; part < ARRAY_SIZE(first); part++) {
		for (bit = 0; bit < 32; bit++) {
			const u64 event = first[part] + bit;
			const struct hwpmc_request req = { .event = event, .caps = CAPS_UK };
			struct pmuv3_id id = event_id(VER_V8_1, 6, false);
			struct hwpmc_encoding enc = {};
			u64 mine = BIT_ULL(bit + (part >= 2 ? 32 : 0));

			if (event == PMUV3_EVENT_CHAIN)
				continue;
			id.ceid[0] = part % 2 ? 0 : mine;
			id.ceid[1] = part % 2 ? mine : 0;
			KUNIT_EXPECT_EQ_MSG(test, 0, pmuv3_event_encode(&id, &req, &enc),
					    "event %llx", event);
			id.ceid[0] = ~id.ceid[0];
			id.ceid[1] = ~id.ceid[1];
			KUNIT_EXPECT_EQ_MSG(test, -EINVAL, pmuv3_event_encode(&id, &req, &enc),
					    "event %llx", event);
		}
	}
}

static void event_config_words_refused(struct kunit *test)
{
	const struct pmuv3_id id = event_id(VER_V8_5, 6, false);
	struct hwpmc_request req = { .event = 0x08, .caps = CAPS_UK, .config = { 1, 0 } };
	struct hwpmc_encoding enc = {};

	KUNIT_EXPECT_EQ(test, -EINVAL, pmuv3_event_encode(&id, &req, &enc));
	req.config[0] = 0;
	req.config[1] = BIT_ULL(63);
	KUNIT_EXPECT_EQ(test, -EINVAL, pmuv3_event_encode(&id, &req, &enc));
	KUNIT_EXPECT_NOT_NULL(test, enc.why);
}

/* Cycles prefer the cycle counter, and can use an event counter too. */
static void event_cycles_prefer_cycle_counter(struct kunit *test)
{
	static const unsigned int counts[] = { 0, 1, 6, 31 };
	const struct hwpmc_request req = { .event = 0x11, .caps = CAPS_U };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		const struct pmuv3_id id = event_id(VER_V8_1, counts[i], false);
		struct hwpmc_encoding enc = {};

		KUNIT_EXPECT_EQ(test, 0, pmuv3_event_encode(&id, &req, &enc));
		KUNIT_EXPECT_EQ(test, GENMASK_ULL(counts[i], 0), enc.rows);
		KUNIT_EXPECT_EQ(test, BIT_ULL(PMUV3_ROW_CYCLES), enc.prefer);
		KUNIT_EXPECT_EQ(test, 0x80000011, enc.sel.event);
	}
}

/* With SMT the cycle counter counts for all threads of the core, so it is not used. */
static void event_cycles_smt_avoid_cycle_counter(struct kunit *test)
{
	const struct hwpmc_request req = { .event = 0x11, .caps = CAPS_U };
	struct pmuv3_id smt = event_v8_1, all = {};
	struct hwpmc_encoding enc = {};

	smt.smt = true;
	KUNIT_EXPECT_EQ(test, 0, pmuv3_event_encode(&smt, &req, &enc));
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(6, 1), enc.rows);
	KUNIT_EXPECT_EQ(test, 0, enc.prefer);
	/* One such CPU excludes it for PMCs of tasks, which may run on any CPU. */
	pmuv3_id_intersect(&all, &event_v8_1);
	KUNIT_EXPECT_FALSE(test, pmuv3_id_fits(&all, &smt));
	pmuv3_id_intersect(&all, &smt);
	KUNIT_EXPECT_TRUE(test, pmuv3_id_fits(&all, &smt));
	KUNIT_EXPECT_TRUE(test, pmuv3_id_fits(&all, &event_v8_1));
	KUNIT_EXPECT_EQ(test, 0, pmuv3_event_encode(&all, &req, &enc));
	KUNIT_EXPECT_EQ(test, GENMASK_ULL(6, 1), enc.rows);
}

/* Only the cycles event can use the cycle counter. */
static void event_others_not_on_cycle_counter(struct kunit *test)
{
	const struct pmuv3_id id = event_id(VER_V8_5, 31, false);
	struct hwpmc_encoding enc = {};
	struct hwpmc_request req = { .caps = CAPS_UK };

	for (req.event = 0; req.event < 0x10000; req.event++) {
		if (req.event == 0x11 || pmuv3_event_encode(&id, &req, &enc))
			continue;
		KUNIT_ASSERT_EQ(test, GENMASK_ULL(31, 1), enc.rows);
		KUNIT_ASSERT_EQ(test, req.event, enc.sel.event);
	}
}

static void event_no_counters_no_rows(struct kunit *test)
{
	const struct pmuv3_id id = event_id(VER_V8_1, 0, false);
	const struct hwpmc_request req = { .event = 0x08, .caps = CAPS_UK };
	struct hwpmc_encoding enc = {};

	KUNIT_EXPECT_EQ(test, 0, pmuv3_event_encode(&id, &req, &enc));
	KUNIT_EXPECT_EQ(test, 0, enc.rows);
}

static void event_usable_versions(struct kunit *test)
{
	unsigned int version;

	for (version = 0; version < 16; version++) {
		const struct pmuv3_id id = event_id(version, 6, false);

		KUNIT_EXPECT_EQ_MSG(test, version != 0 && version != 15, pmuv3_id_usable(&id),
				    "PMUVer %u", version);
	}
}

static void event_counter_width(struct kunit *test)
{
	static const struct { unsigned int version, width; } widths[] = {
		{ VER_V8_0, 32 }, { VER_V8_1, 32 }, { VER_V8_4, 32 }, { VER_V8_5, 64 }, { 7, 64 },
		{ 8, 64 }, { 9, 64 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		const struct pmuv3_id id = event_id(widths[i].version, 6, false);

		KUNIT_EXPECT_EQ(test, widths[i].width, pmuv3_id_width(&id));
	}
}

static const struct pmuv3_id big = {
	.midr = 0xb160, .version = VER_V8_5, .events = 6, .ceid = { 0xff0f, 0x0ff0 },
};

static const struct pmuv3_id small = {
	.midr = 0x5a110, .version = VER_V8_1, .events = 4, .ceid = { 0x0fff, 0xfff0 },
};

/* Big and small CPUs: the intersection has what both support, in either order. */
static void event_common_is_intersection(struct kunit *test)
{
	struct pmuv3_id all[2] = {};
	unsigned int i;

	pmuv3_id_intersect(&all[0], &big);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&all[0], &big, sizeof(big)));
	pmuv3_id_intersect(&all[0], &small);
	pmuv3_id_intersect(&all[1], &small);
	pmuv3_id_intersect(&all[1], &big);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, VER_V8_1, all[i].version);
		KUNIT_EXPECT_EQ(test, 4, all[i].events);
		KUNIT_EXPECT_EQ(test, 0x0f0f, all[i].ceid[0]);
		KUNIT_EXPECT_EQ(test, 0x0ff0, all[i].ceid[1]);
	}
}

/*
 * If CPUs differ, PMCs of tasks accept only events that PMCEID lists on all CPUs: other event
 * numbers may mean another event on each kind of core. PMCs of one CPU accept all its events.
 */
static void event_mixed_cpus_need_pmceid(struct kunit *test)
{
	static const u64 unlisted[] = { 0x40, 0xc0, 0x3ff };
	struct pmuv3_id all = {}, revision = small;
	struct hwpmc_request req = { .event = 0x08, .caps = CAPS_U };
	struct hwpmc_encoding enc;
	unsigned int i;

	revision.midr |= 0x500003;
	pmuv3_id_intersect(&all, &small);
	pmuv3_id_intersect(&all, &revision);
	KUNIT_EXPECT_FALSE(test, all.mixed);
	for (i = 0; i < ARRAY_SIZE(unlisted); i++) {
		req.event = unlisted[i];
		KUNIT_EXPECT_EQ(test, 0, pmuv3_event_encode(&all, &req, &enc));
	}
	/* A CPU of another kind does not fit, even if it supports as much. */
	revision.midr ^= 0x10;
	KUNIT_EXPECT_FALSE(test, pmuv3_id_fits(&all, &revision));

	pmuv3_id_intersect(&all, &big);
	pmuv3_id_intersect(&all, &small);
	KUNIT_EXPECT_TRUE(test, all.mixed);
	KUNIT_EXPECT_TRUE(test, pmuv3_id_fits(&all, &revision));
	for (i = 0; i < ARRAY_SIZE(unlisted); i++) {
		req.event = unlisted[i];
		enc.why = NULL;
		KUNIT_EXPECT_EQ(test, -EINVAL, pmuv3_event_encode(&all, &req, &enc));
		KUNIT_ASSERT_NOT_NULL(test, enc.why);
		KUNIT_EXPECT_NOT_NULL(test, strstr(enc.why, "several kinds"));
		KUNIT_EXPECT_EQ(test, 0, pmuv3_event_encode(&big, &req, &enc));
		KUNIT_EXPECT_EQ(test, 0, pmuv3_event_encode(&small, &req, &enc));
	}
	req.event = 0x08;
	KUNIT_EXPECT_EQ(test, 0, pmuv3_event_encode(&all, &req, &enc));
	req.event = 0x0c;
	KUNIT_EXPECT_EQ(test, -EINVAL, pmuv3_event_encode(&all, &req, &enc));
}

/* If one CPU has no usable PMUv3, the intersection is unusable. */
static void event_common_needs_pmuv3_everywhere(struct kunit *test)
{
	static const unsigned int versions[] = { PMUV3_VER_NONE, PMUV3_VER_IMPDEF };
	unsigned int i, place;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		for (place = 0; place < 3; place++) {
			const struct pmuv3_id none = { .midr = 0x0dd0, .version = versions[i] };
			const struct pmuv3_id *ids[] = { &big, &small, &big };
			struct pmuv3_id all = {};
			unsigned int n;

			ids[place] = &none;
			for (n = 0; n < ARRAY_SIZE(ids); n++)
				pmuv3_id_intersect(&all, ids[n]);
			KUNIT_EXPECT_FALSE_MSG(test, pmuv3_id_usable(&all),
					       "PMUVer %u in place %u", versions[i], place);
		}
	}
}

/* A CPU brought online late must support what was announced for every CPU. */
static void event_late_cpu_fits(struct kunit *test)
{
	struct pmuv3_id all = {}, late = small;

	pmuv3_id_intersect(&all, &big);
	KUNIT_EXPECT_TRUE(test, pmuv3_id_fits(&all, &big));
	KUNIT_EXPECT_FALSE(test, pmuv3_id_fits(&all, &small));
	pmuv3_id_intersect(&all, &small);
	KUNIT_EXPECT_TRUE(test, pmuv3_id_fits(&all, &big));
	KUNIT_EXPECT_TRUE(test, pmuv3_id_fits(&all, &small));

	late.version = PMUV3_VER_IMPDEF;
	KUNIT_EXPECT_FALSE(test, pmuv3_id_fits(&all, &late));
	late.version = VER_V8_0;
	KUNIT_EXPECT_FALSE(test, pmuv3_id_fits(&all, &late));
	late = small;
	late.events--;
	KUNIT_EXPECT_FALSE(test, pmuv3_id_fits(&all, &late));
	late = small;
	late.ceid[0] &= ~BIT_ULL(0);
	KUNIT_EXPECT_FALSE(test, pmuv3_id_fits(&all, &late));
	late = small;
	late.ceid[1] &= ~BIT_ULL(4);
	KUNIT_EXPECT_FALSE(test, pmuv3_id_fits(&all, &late));
	/* An event that is not common to all CPUs is not required. */
	late = small;
	late.ceid[0] &= ~BIT_ULL(4);
	KUNIT_EXPECT_TRUE(test, pmuv3_id_fits(&all, &late));
}

/* If nothing is announced for all CPUs, every CPU fits. */
static void event_late_cpu_fits_if_none_common(struct kunit *test)
{
	const struct pmuv3_id none = { .midr = 0x0dd0 };

	KUNIT_EXPECT_TRUE(test, pmuv3_id_fits(&none, &none));
	KUNIT_EXPECT_TRUE(test, pmuv3_id_fits(&none, &small));
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE_PARAM(event_encoding, event_case_gen_params),
	KUNIT_CASE(event_accepted_if_in_pmceid),
	KUNIT_CASE(event_config_words_refused),
	KUNIT_CASE(event_cycles_prefer_cycle_counter),
	KUNIT_CASE(event_cycles_smt_avoid_cycle_counter),
	KUNIT_CASE(event_others_not_on_cycle_counter),
	KUNIT_CASE(event_no_counters_no_rows),
	KUNIT_CASE(event_usable_versions),
	KUNIT_CASE(event_counter_width),
	KUNIT_CASE(event_common_is_intersection),
	KUNIT_CASE(event_common_needs_pmuv3_everywhere),
	KUNIT_CASE(event_mixed_cpus_need_pmceid),
	KUNIT_CASE(event_late_cpu_fits),
	KUNIT_CASE(event_late_cpu_fits_if_none_common),
	{}
};

struct kunit_suite hwpmc_pmuv3_event_suite = {
	.name		= "hwpmc_pmuv3_event",
	.test_cases	= event_cases,
};
