// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_x86_encode: which events are accepted and how they are encoded
 * (arch/x86/intel_event.c, amd_event.c; pure functions). Run by kunit/run.c in KUnit's thread.
 */
#include <kunit/test.h>
#include <uapi/linux/hwpmc.h>

#include "../arch/x86/amd_event.h"
#include "../arch/x86/intel_event.h"
#include "../arch/x86/intel_model.h"
#include "fake_x86.h"
#include "fixture.h"

#define CAPS_U		HWPMC_CAP_USER
#define CAPS_K		HWPMC_CAP_SYSTEM
#define CAPS_UK		(HWPMC_CAP_USER | HWPMC_CAP_SYSTEM)
#define USR		0x10000ULL
#define OS		0x20000ULL
#define UK		(USR | OS)

#define SPR		"Sapphire Rapids"
#define NHM		"Nehalem"
#define HSW		"Haswell"
#define ADLP		"Alder Lake P"
#define ADLE		"Alder Lake E"
#define LNLP		"Lunar Lake P"

/* A request on some CPU: an errno, or the selection and its rows. */
static const struct encode_case {
	const char *what;
	const char *cpu;
	u64 event;
	u64 config;
	u64 caps;
	int error;
	u64 sel;
	u64 rows;
	unsigned int extra;
} iap_table[] = {
	{ "instructions", SPR, 0xc0, 0, CAPS_UK, 0, UK | 0xc0, 0xff },
	{ "user only", SPR, 0xc0, 0, CAPS_U, 0, USR | 0xc0, 0xff },
	{ "kernel only", SPR, 0xc0, 0, CAPS_K, 0, OS | 0xc0, 0xff },
	{ "umask", HSW, 0x412e, 0, CAPS_UK, 0, UK | 0x412e, 0xf },
	{ "edge", HSW, 0x4003c, 0, CAPS_UK, 0, UK | 0x4003c, 0xf },
	{ "inv and cmask", HSW, 0x0180010e, 0, CAPS_UK, 0, UK | 0x0180010e, 0xf },
	{ "all of cmask", HSW, 0xff00010e, 0, CAPS_U, 0, USR | 0xff00010e, 0xf },
	{ "EDGE sets edge", HSW, 0x3c, 0, CAPS_U | HWPMC_CAP_EDGE, 0, USR | 0x4003c, 0xf },
	{ "INVERT sets inv", HSW, 0x0100010e, 0, CAPS_U | HWPMC_CAP_INVERT, 0,
	  USR | 0x0180010e, 0xf },
	{ "THRESHOLD with cmask", HSW, 0x0100010e, 0, CAPS_U | HWPMC_CAP_THRESHOLD, 0,
	  USR | 0x0100010e, 0xf },
	{ "THRESHOLD without cmask", HSW, 0x010e, 0, CAPS_U | HWPMC_CAP_THRESHOLD, -EINVAL },
	{ "INTERRUPT, READ, WRITE", HSW, 0xc0, 0, CAPS_U | HWPMC_CAP_INTERRUPT | HWPMC_CAP_READ |
	  HWPMC_CAP_WRITE, 0, USR | 0xc0, 0xf },
	{ "QUALIFIER", HSW, 0xc0, 0, CAPS_U | HWPMC_CAP_QUALIFIER, -EOPNOTSUPP },
	{ "PRECISE", HSW, 0xc0, 0, CAPS_U | HWPMC_CAP_PRECISE, -EOPNOTSUPP },
	{ "TAGGING", HSW, 0xc0, 0, CAPS_U | HWPMC_CAP_TAGGING, -EOPNOTSUPP },
	{ "SYSWIDE", HSW, 0xc0, 0, CAPS_U | HWPMC_CAP_SYSWIDE, -EOPNOTSUPP },
	{ "usr is not the event's", HSW, 0x100c0, 0, CAPS_U, -EINVAL },
	{ "os is not the event's", HSW, 0x200c0, 0, CAPS_U, -EINVAL },
	{ "pin control", HSW, 0x800c0, 0, CAPS_U, -EINVAL },
	{ "interrupt enable", HSW, 0x1000c0, 0, CAPS_U, -EINVAL },
	{ "enable", HSW, 0x4000c0, 0, CAPS_U, -EINVAL },
	{ "in_tx", HSW, 0x1000000c0ULL, 0, CAPS_U, -EINVAL },
	{ "adaptive", SPR, 0x4000000c0ULL, 0, CAPS_U, -EINVAL },
	{ "the last bit", HSW, BIT_ULL(63) | 0xc0, 0, CAPS_U, -EINVAL },
	{ "perf's reference cycles", HSW, 0x0300, 0, CAPS_U, -EINVAL },
	{ "perf's slots", SPR, 0x0400, 0, CAPS_U, -EINVAL },
	{ "event 0", HSW, 0, 0, CAPS_U, -EINVAL },
	{ "missing: branch misses", NHM, 0xc5, 0, CAPS_U, -EINVAL },
	{ "missing: reference cycles", NHM, 0x013c, 0, CAPS_U, -EINVAL },
	{ "not missing: another umask", NHM, 0x01c5, 0, CAPS_U, 0, USR | 0x01c5, 0xf },
	{ "not missing: cycles", NHM, 0x3c, 0, CAPS_U, 0, USR | 0x3c, 0xf },
	/* CPUID lists seven architectural events here; 0x01a4, the eighth, is an ordinary one. */
	{ "an event beyond the list", HSW, 0x01a4, 0, CAPS_U, 0, USR | 0x01a4, 0xf },
	{ "any, for a task", HSW, 0x20003c, 0, CAPS_U, -EINVAL },
	{ "any, deprecated", SPR, 0x20003c, 0, CAPS_U, -EINVAL },
	{ "any, before version 3", "Core 2", 0x20003c, 0, CAPS_U, -EINVAL },

	{ "offcore 0", HSW, 0x01b7, 0x10001, CAPS_U, 0, USR | 0x01b7, 0xf,
	  INTEL_EXTRA_OFFCORE_0 },
	{ "offcore 1", HSW, 0x01bb, 0x3fffff8fffULL, CAPS_U, 0, USR | 0x01bb, 0xf,
	  INTEL_EXTRA_OFFCORE_1 },
	{ "offcore without a mask", HSW, 0x01b7, 0, CAPS_U, -EINVAL },
	{ "offcore, reserved bit", HSW, 0x01b7, 0x11001, CAPS_U, -EINVAL },
	{ "offcore, beyond", HSW, 0x01b7, BIT_ULL(38), CAPS_U, -EINVAL },
	{ "Nehalem has offcore 0", NHM, 0x01b7, 0xffff, CAPS_U, 0, USR | 0x01b7, 0xf,
	  INTEL_EXTRA_OFFCORE_0 },
	{ "Nehalem's is short", NHM, 0x01b7, 0x10001, CAPS_U, -EINVAL },
	{ "Nehalem has no offcore 1", NHM, 0x01bb, 0x1, CAPS_U, -EINVAL },
	{ "Core 2 has none", "Core 2", 0x01b7, 0x1, CAPS_U, -EINVAL },
	{ "Golden Cove: other events", SPR, 0x012a, 0x10001, CAPS_U, 0, USR | 0x012a, 0xf,
	  INTEL_EXTRA_OFFCORE_0 },
	{ "Golden Cove: not these", SPR, 0x01b7, 0x10001, CAPS_U, -EINVAL },
	{ "load latency", HSW, 0x01cd, 30, CAPS_U, -EINVAL },
	{ "load latency, no word", SPR, 0x01cd, 0, CAPS_U, -EINVAL },
	{ "load latency, Nehalem", NHM, 0x100b, 30, CAPS_U, -EINVAL },
	{ "load latency, Gracemont", ADLE, 0x05d0, 30, CAPS_U, -EINVAL },
	{ "no load latency: Gracemont", ADLE, 0x01cd, 0, CAPS_U, 0, USR | 0x01cd, 0x3f },
	{ "no load latency: Skylake", "Skylake-SP", 0x05d0, 0, CAPS_U, 0, USR | 0x05d0, 0xf },
	{ "no load latency: stores", HSW, 0x02cd, 0, CAPS_U, 0, USR | 0x02cd, 0x8 },
	{ "frontend", "Skylake-SP", 0x01c6, 0x11, CAPS_U, 0, USR | 0x01c6, 0xf,
	  INTEL_EXTRA_FRONTEND },
	{ "frontend, a bit that faults", "Skylake-SP", 0x01c6, 0x18, CAPS_U, -EINVAL },
	{ "Haswell has no frontend", HSW, 0x01c6, 0x11, CAPS_U, -EINVAL },
	{ "Gracemont: its own offcore 1", ADLE, 0x02b7, 0x10001, CAPS_U, 0, USR | 0x02b7, 0x3f,
	  INTEL_EXTRA_OFFCORE_1 },
	{ "no register, but a word", HSW, 0xc0, 1, CAPS_U, -EINVAL },

	{ "L1D_PEND_MISS", HSW, 0x0148, 0, CAPS_U, 0, USR | 0x0148, 0x4 },
	{ "with cmask as well", HSW, 0x01000148, 0, CAPS_U, 0, USR | 0x01000148, 0x4 },
	{ "MEM_UOPS, eight counters", "Haswell, one thread", 0x81d0, 0, CAPS_U, 0, USR | 0x81d0,
	  0xf },
	{ "PREC_DIST", HSW, 0x01c0, 0, CAPS_U, 0, USR | 0x01c0, 0x2 },
	{ "Core 2: MUL", "Core 2", 0x12, 0, CAPS_U, 0, USR | 0x12, 0x2 },
	{ "Core 2: DIV_BUSY", "Core 2", 0x14, 0, CAPS_U, 0, USR | 0x14, 0x1 },
	{ "Nehalem: L1D", NHM, 0x0151, 0, CAPS_U, 0, USR | 0x0151, 0x3 },
	{ "Ice Lake: low events", "Ice Lake-SP", 0x0148, 0, CAPS_U, 0, USR | 0x0148, 0xf },
	{ "Ice Lake: STALLS_TOTAL", "Ice Lake-SP", 0x04a3, 0, CAPS_U, 0, USR | 0x04a3, 0xff },
	{ "Ice Lake: other activity", "Ice Lake-SP", 0x0ca3, 0, CAPS_U, 0, USR | 0x0ca3, 0xf },
	{ "Golden Cove: low events", ADLP, 0x0148, 0, CAPS_U, 0, USR | 0x0148, 0xf },
	{ "Golden Cove: cycles", ADLP, 0x3c, 0, CAPS_U, 0, USR | 0x3c, 0xff },
	{ "Golden Cove: MEM_TRANS", ADLP, 0x02cd, 0, CAPS_U, 0, USR | 0x02cd, 0x1 },
	{ "Gracemont: anywhere", ADLE, 0x0148, 0, CAPS_U, 0, USR | 0x0148, 0x3f },
	{ "Redwood Cove: low events", "Granite Rapids", 0x0148, 0, CAPS_U, 0, USR | 0x0148, 0xf },
	{ "Redwood Cove: offcore 1", "Granite Rapids", 0x012b, 0x10001, CAPS_U, 0, USR | 0x012b,
	  0xf, INTEL_EXTRA_OFFCORE_1 },
	{ "Redwood Cove: frontend", "Granite Rapids", 0x03c6, 0x11, CAPS_U, 0, USR | 0x03c6, 0xff,
	  INTEL_EXTRA_FRONTEND },
	{ "Redwood Cove: not that one", "Granite Rapids", 0x01c6, 0x11, CAPS_U, -EINVAL },
	{ "Crestmont: anywhere", "Meteor Lake E", 0x0148, 0, CAPS_U, 0, USR | 0x0148, 0xff },
	{ "unknown core: another event", LNLP, 0xd1, 0, CAPS_U, 0, USR | 0xd1, 0xf },
	{ "unknown core: cycles", LNLP, 0x3c, 0, CAPS_U, 0, USR | 0x3c, 0x3ff },
	{ "unknown core: cycles, edge", LNLP, 0x0104003c, 0, CAPS_U, 0, USR | 0x0104003c, 0x3ff },
	{ "unknown core: slots, listed", LNLP, 0x01a4, 0, CAPS_U, 0, USR | 0x01a4, 0x3ff },
	{ "unknown core: slots, not listed", "Lunar Lake E", 0x01a4, 0, CAPS_U, 0, USR | 0x01a4,
	  0xf },
	{ "unknown core: a config word", LNLP, 0x01b7, 1, CAPS_U, -EINVAL },
};

static void encode_case_name(const struct encode_case *it, char *desc)
{
	strscpy(desc, it->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(iap_case, iap_table, encode_case_name);

static void encode_compare(struct kunit *test, const struct encode_case *it, int error,
			   const struct hwpmc_encoding *enc)
{
	KUNIT_ASSERT_EQ(test, it->error, error);
	if (error) {
		KUNIT_ASSERT_NOT_NULL(test, enc->why);
		KUNIT_EXPECT_GT(test, strlen(enc->why), 10);
		return;
	}
	KUNIT_EXPECT_EQ(test, it->sel, enc->sel.event);
	KUNIT_EXPECT_EQ(test, it->config, enc->sel.extra);
	KUNIT_EXPECT_EQ(test, it->rows, enc->rows);
	KUNIT_EXPECT_EQ(test, it->extra, enc->extra);
	KUNIT_EXPECT_EQ(test, 0ULL, enc->prefer & ~enc->rows);
}

static void encode_iap(struct kunit *test)
{
	const struct encode_case *it = test->param_value;
	const struct hwpmc_request req = { .event = it->event, .config = { it->config },
					   .caps = it->caps };
	struct x86_id id = fake_cpu_id(test, it->cpu);
	struct hwpmc_encoding enc = {};
	int error = intel_event_encode(&id, &req, 0, &enc);

	encode_compare(test, it, error, &enc);
}

/* Load latency events are refused with their own message, with and without a config word. */
static void encode_load_latency_refused(struct kunit *test)
{
	struct hwpmc_request req = { .event = 0x01cd, .caps = CAPS_U };
	struct x86_id id = fake_cpu_id(test, HSW);
	struct hwpmc_encoding enc = {};

	for (; req.config[0] < 60; req.config[0] += 30) {
		KUNIT_EXPECT_EQ(test, -EINVAL, intel_event_encode(&id, &req, INTEL_FOR_CPU, &enc));
		KUNIT_EXPECT_TRUE(test, enc.why && strstr(enc.why, "precise sampling"));
	}
}

/* AnyThread is accepted only for a CPU, not for a task, and only on CPUs that have it. */
static void encode_any_thread_for_cpu_only(struct kunit *test)
{
	const struct hwpmc_request req = { .event = 0x20003c, .caps = CAPS_UK };
	struct x86_id id = fake_cpu_id(test, HSW);
	struct hwpmc_encoding enc = {};

	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&id, &req, INTEL_FOR_CPU, &enc));
	KUNIT_EXPECT_EQ(test, UK | 0x20003cULL, enc.sel.event);
	id = fake_cpu_id(test, SPR);
	KUNIT_EXPECT_EQ(test, -EINVAL, intel_event_encode(&id, &req, INTEL_FOR_CPU, &enc));
}

/* Memory events that leak into the counter of the sibling thread are refused if SMT is on. */
static void encode_smt_leaking_events_refused(struct kunit *test)
{
	static const struct {
		const char *cpu;
		u64 event;
		bool leaks;
	} cases[] = {
		{ HSW, 0x81d0, true }, { HSW, 0x01d1, true }, { HSW, 0x04d2, true },
		{ HSW, 0x01d3, true }, { HSW, 0x010081d0, true }, { HSW, 0x01cf, false },
		{ HSW, 0x01d4, false }, { HSW, 0xc0, false }, { "Skylake-SP", 0x81d0, false },
		{ NHM, 0x81d0, false }, { SPR, 0x81d0, false }, { LNLP, 0x81d0, false },
	};
	struct hwpmc_encoding enc;
	unsigned int i, how;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct hwpmc_request req = { .event = cases[i].event, .caps = CAPS_U };
		struct x86_id id = fake_cpu_id(test, cases[i].cpu);
		int error = 0;

		if (cases[i].leaks)
			error = -EINVAL;
		for (how = 0; how <= INTEL_FOR_CPU; how++) {
			KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&id, &req, how, &enc));
			KUNIT_EXPECT_EQ_MSG(test, error,
					    intel_event_encode(&id, &req, how | INTEL_FOR_THREADS,
							       &enc),
					    "%s, %llx", cases[i].cpu, cases[i].event);
			if (cases[i].leaks)
				KUNIT_EXPECT_TRUE(test, enc.why && strstr(enc.why, "smt"));
		}
	}
}

static void encode_second_config_word_refused(struct kunit *test)
{
	struct hwpmc_request req = { .event = 0x01b7, .config = { 1, 1 }, .caps = CAPS_UK };
	struct x86_id id = fake_cpu_id(test, HSW);
	struct hwpmc_encoding enc = {};

	KUNIT_EXPECT_EQ(test, -EINVAL, intel_event_encode(&id, &req, INTEL_FOR_CPU, &enc));
	req = (struct hwpmc_request){ .event = 0, .config = { 0, 1 }, .caps = CAPS_UK };
	KUNIT_EXPECT_EQ(test, -EINVAL, intel_event_encode_fixed(&id, &req, &enc));
	req.event = 0x76;
	id = fake_cpu_id(test, "Zen 4");
	KUNIT_EXPECT_EQ(test, -EINVAL, amd_event_encode(&id, &req, &enc));
}

/* Each bit from 8 up alone is encoded unchanged, or refused. */
static void encode_each_bit_kept_or_refused(struct kunit *test)
{
	struct x86_id intel = fake_cpu_id(test, "Ice Lake-SP"), amd = fake_cpu_id(test, "Zen 4");
	unsigned int bit;

	for (bit = 8; bit < 64; bit++) {
		const struct hwpmc_request req = { .event = BIT_ULL(bit) | 0xc0, .caps = CAPS_U };
		bool ours = bit < 16 || bit == 18 || bit == 23 || (bit >= 24 && bit < 32);
		struct hwpmc_encoding enc = {};
		int err = intel_event_encode(&intel, &req, INTEL_FOR_CPU, &enc);

		KUNIT_EXPECT_EQ_MSG(test, ours ? 0 : -EINVAL, err, "Intel, bit %u", bit);
		if (!err)
			KUNIT_EXPECT_EQ(test, req.event | USR, enc.sel.event);
		ours |= bit >= 32 && bit < 36;
		err = amd_event_encode(&amd, &req, &enc);
		KUNIT_EXPECT_EQ_MSG(test, ours ? 0 : -EINVAL, err, "AMD, bit %u", bit);
		if (!err)
			KUNIT_EXPECT_EQ(test, req.event | USR, enc.sel.event);
	}
}

/* Events that every counter counts prefer those above the first four, which others need. */
static void encode_prefers_upper_counters(struct kunit *test)
{
	struct hwpmc_request req = { .event = 0xc0, .caps = CAPS_U };
	struct x86_id id = fake_cpu_id(test, "Ice Lake-SP");
	struct hwpmc_encoding enc = {};

	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&id, &req, 0, &enc));
	KUNIT_EXPECT_EQ(test, 0xf0ULL, enc.prefer);
	req.event = 0x0148;
	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&id, &req, 0, &enc));
	KUNIT_EXPECT_EQ(test, 0ULL, enc.prefer);
	/* On an unknown core only the first four counters are safe for every event. */
	id = fake_cpu_id(test, LNLP);
	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&id, &req, 0, &enc));
	KUNIT_EXPECT_EQ(test, 0xfULL, enc.prefer);
	req.event = 0xc0;
	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&id, &req, 0, &enc));
	KUNIT_EXPECT_EQ(test, 0xfULL, enc.prefer);
	KUNIT_EXPECT_EQ(test, 0x3ffULL, enc.rows);
}

/* PMCs of tasks on a hybrid CPU accept only events that mean the same on both kinds of core. */
static void encode_hybrid_accepts_common_events(struct kunit *test)
{
	const struct x86_id big = fake_cpu_id(test, ADLP), small = fake_cpu_id(test, ADLE);
	struct hwpmc_request req = { .event = 0x0148, .caps = CAPS_U };
	struct hwpmc_encoding enc = {};
	struct x86_id both = {};

	x86_id_intersect(&both, &big);
	x86_id_intersect(&both, &small);
	/* A number that is another event on each kind is accepted for a CPU only. */
	KUNIT_EXPECT_EQ(test, -EINVAL, intel_event_encode(&both, &req, 0, &enc));
	KUNIT_EXPECT_TRUE(test, enc.why && strstr(enc.why, "cores differ"));
	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&big, &req, INTEL_FOR_CPU, &enc));
	KUNIT_EXPECT_EQ(test, 0xfULL, enc.rows);
	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&small, &req, INTEL_FOR_CPU, &enc));
	KUNIT_EXPECT_EQ(test, 0x3fULL, enc.rows);
	/* CPUID of the small cores does not list slots. */
	req.event = 0x01a4;
	KUNIT_EXPECT_EQ(test, -EINVAL, intel_event_encode(&both, &req, 0, &enc));
	req.event = 0x010400c4;
	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&both, &req, 0, &enc));
	req.event = 0xc0;
	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&both, &req, 0, &enc));
	KUNIT_EXPECT_EQ(test, 0x3fULL, enc.rows);
	req.event = 0x01b7;
	req.config[0] = 0x10001;
	KUNIT_EXPECT_EQ(test, -EINVAL, intel_event_encode(&both, &req, 0, &enc));
	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&small, &req, INTEL_FOR_CPU, &enc));
	req = (struct hwpmc_request){ .event = 3, .caps = CAPS_U };
	KUNIT_EXPECT_EQ(test, -EINVAL, intel_event_encode_fixed(&both, &req, &enc));
	KUNIT_EXPECT_EQ(test, 0, intel_event_encode_fixed(&big, &req, &enc));
}

/* Two unknown kinds of core are two different kinds. */
static void encode_hybrid_unknown_cores_differ(struct kunit *test)
{
	const struct hwpmc_request req = { .event = 0x0148, .caps = CAPS_U };
	const struct x86_id big = fake_cpu_id(test, LNLP);
	const struct x86_id small = fake_cpu_id(test, "Lunar Lake E");
	struct hwpmc_encoding enc = {};
	struct x86_id both = {};

	x86_id_intersect(&both, &big);
	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&both, &req, 0, &enc));
	x86_id_intersect(&both, &small);
	KUNIT_EXPECT_EQ(test, -EINVAL, intel_event_encode(&both, &req, 0, &enc));
	KUNIT_EXPECT_EQ(test, 0, intel_event_encode(&both, &req, INTEL_FOR_CPU, &enc));
}

static const struct encode_case iaf_table[] = {
	{ "instructions", HSW, 0, 0, CAPS_UK, 0, 0xb, BIT(0) },
	{ "user only", HSW, 0, 0, CAPS_U, 0, 0xa, BIT(0) },
	{ "kernel only", HSW, 0, 0, CAPS_K, 0, 0x9, BIT(0) },
	{ "core cycles", HSW, 1, 0, CAPS_U, 0, 0xa, BIT(1) },
	{ "reference cycles", HSW, 2, 0, CAPS_U, 0, 0xa, BIT(2) },
	{ "slots", SPR, 3, 0, CAPS_U, 0, 0xa, BIT(3) },
	{ "no slots", HSW, 3, 0, CAPS_U, -EINVAL },
	{ "a hole", "version 5 with holes", 2, 0, CAPS_U, -EINVAL },
	{ "behind the hole", "version 5 with holes", 4, 0, CAPS_U, 0, 0xa, BIT(4) },
	{ "version 1 has none", "Core Duo", 0, 0, CAPS_U, -EINVAL },
	{ "an IAP event", HSW, 0xc0, 0, CAPS_U, -EINVAL },
	{ "beyond", HSW, 64, 0, CAPS_U, -EINVAL },
	{ "far beyond", HSW, U64_MAX, 0, CAPS_U, -EINVAL },
	{ "a config word", HSW, 0, 1, CAPS_U, -EINVAL },
	{ "EDGE", HSW, 0, 0, CAPS_U | HWPMC_CAP_EDGE, -EOPNOTSUPP },
	{ "THRESHOLD", HSW, 0, 0, CAPS_U | HWPMC_CAP_THRESHOLD, -EOPNOTSUPP },
	{ "INVERT", HSW, 0, 0, CAPS_U | HWPMC_CAP_INVERT, -EOPNOTSUPP },
	{ "INTERRUPT", HSW, 0, 0, CAPS_U | HWPMC_CAP_INTERRUPT, 0, 0xa, BIT(0) },
};

KUNIT_ARRAY_PARAM(iaf_case, iaf_table, encode_case_name);

static void encode_iaf(struct kunit *test)
{
	const struct encode_case *it = test->param_value;
	const struct hwpmc_request req = { .event = it->event, .config = { it->config },
					   .caps = it->caps };
	struct x86_id id = fake_cpu_id(test, it->cpu);
	struct hwpmc_encoding enc = {};
	int error = intel_event_encode_fixed(&id, &req, &enc);

	encode_compare(test, it, error, &enc);
}

static const struct encode_case amd_table[] = {
	{ "cycles", "Zen 4", 0x76, 0, CAPS_UK, 0, UK | 0x76, 0x3f },
	{ "user only", "Zen 1", 0xc0, 0, CAPS_U, 0, USR | 0xc0, 0x3f },
	{ "kernel only", "K8", 0xc0, 0, CAPS_K, 0, OS | 0xc0, 0xf },
	{ "twelve bits", "Zen 4", 0x1000000c7ULL, 0, CAPS_U, 0, USR | 0x1000000c7ULL, 0x3f },
	{ "all twelve bits", "Phenom", 0xf000000dfULL, 0, CAPS_U, 0, USR | 0xf000000dfULL, 0xf },
	{ "eight on K8", "K8", 0x1000000c7ULL, 0, CAPS_U, -EINVAL },
	{ "eight on K7", "K7", 0x1000000c7ULL, 0, CAPS_U, -EINVAL },
	{ "thirteen bits", "Zen 4", 0x10000000c7ULL, 0, CAPS_U, -EINVAL },
	{ "GuestOnly", "Zen 4", BIT_ULL(40) | 0xc0, 0, CAPS_U, -EINVAL },
	{ "HostOnly", "Zen 4", BIT_ULL(41) | 0xc0, 0, CAPS_U, -EINVAL },
	{ "bit 21", "Zen 4", 0x2000c0, 0, CAPS_U, -EINVAL },
	{ "usr is not the event's", "Zen 4", 0x100c0, 0, CAPS_U, -EINVAL },
	{ "interrupt enable", "Zen 4", 0x1000c0, 0, CAPS_U, -EINVAL },
	{ "enable", "Zen 4", 0x4000c0, 0, CAPS_U, -EINVAL },
	{ "pin control", "K8", 0x800c0, 0, CAPS_U, -EINVAL },
	{ "edge, inv, cmask", "Zen 4", 0x048400c0, 0, CAPS_U, 0, USR | 0x048400c0, 0x3f },
	{ "EDGE sets edge", "Zen 4", 0xc0, 0, CAPS_U | HWPMC_CAP_EDGE, 0, USR | 0x400c0, 0x3f },
	{ "THRESHOLD without cmask", "Zen 4", 0xc0, 0, CAPS_U | HWPMC_CAP_THRESHOLD, -EINVAL },
	{ "PRECISE", "Zen 4", 0xc0, 0, CAPS_U | HWPMC_CAP_PRECISE, -EOPNOTSUPP },
	{ "a config word", "Zen 4", 0xc0, 1, CAPS_U, -EINVAL },
	{ "northbridge", "Phenom", 0xe0, 0, CAPS_U, -EINVAL },
	{ "northbridge, high", "Bulldozer", 0x1000000e9ULL, 0, CAPS_U, -EINVAL },
	{ "no northbridge on Zen", "Zen 1", 0xe0, 0, CAPS_U, 0, USR | 0xe0, 0x3f },
	{ "FLOPs", "Zen 1", 0xff03, 0, CAPS_U, -EINVAL },
	{ "FLOPs, Zen 4", "Zen 4", 0xff03, 0, CAPS_U, -EINVAL },
	{ "cycles with FLOPs", "Zen 4", 0x0100ff03, 0, CAPS_U, 0, USR | 0x0100ff03, 0x3f },
	{ "not these FLOPs", "Zen 4", 0x10000ff03ULL, 0, CAPS_U, 0, USR | 0x10000ff03ULL, 0x3f },
	{ "F15h: instructions", "Bulldozer", 0xc0, 0, CAPS_U, 0, USR | 0xc0, 0x3f },
	{ "F15h: FP", "Bulldozer", 0x0102, 0, CAPS_U, 0, USR | 0x0102, 0x38 },
	{ "F15h: FP pipes", "Bulldozer", 0x0100, 0, CAPS_U, 0, USR | 0x0100, 0x38 },
	{ "F15h: FP pipes, both", "Bulldozer", 0x1100, 0, CAPS_U, 0, USR | 0x1100, 0x8 },
	{ "F15h: moves", "Bulldozer", 0x0104, 0, CAPS_U, 0, USR | 0x0104, 0x38 },
	{ "F15h: all moves", "Bulldozer", 0x0f04, 0, CAPS_U, 0, USR | 0x0f04, 0x8 },
	{ "F15h: FP flops", "Bulldozer", 0x0103, 0, CAPS_U, 0, USR | 0x0103, 0x8 },
	{ "F15h: DC refills", "Bulldozer", 0x43, 0, CAPS_U, 0, USR | 0x43, 0x7 },
	{ "F15h: LS", "Bulldozer", 0x2d, 0, CAPS_U, 0, USR | 0x2d, 0x8 },
	{ "F15h: LS, two", "Bulldozer", 0x2e, 0, CAPS_U, 0, USR | 0x2e, 0x9 },
	{ "F15h: 0x31", "Bulldozer", 0x0131, 0, CAPS_U, 0, USR | 0x0131, 0x7 },
	{ "F15h: 0x31, two masks", "Bulldozer", 0x0331, 0, CAPS_U, -EINVAL },
	{ "F15h: x87", "Bulldozer", 0x1000000c0ULL, 0, CAPS_U, 0, USR | 0x1000000c0ULL, 0x38 },
	{ "F15h: cycles", "Bulldozer", 0x76, 0, CAPS_U, 0, USR | 0x76, 0x7 },
	{ "F15h: dispatch", "Bulldozer", 0x1000000d6ULL, 0, CAPS_U, 0, USR | 0x1000000d6ULL,
	  0x3f },
	{ "F15h: 0x8f", "Bulldozer", 0x8f, 0, CAPS_U, 0, USR | 0x8f, 0x1 },
	{ "F15h: 0xdb", "Bulldozer", 0xdb, 0, CAPS_U, 0, USR | 0xdb, 0x3f },
	{ "F15h: 0xd0", "Bulldozer", 0xd0, 0, CAPS_U, 0, USR | 0xd0, 0x7 },
};

KUNIT_ARRAY_PARAM(amd_case, amd_table, encode_case_name);

static void encode_amd(struct kunit *test)
{
	const struct encode_case *it = test->param_value;
	const struct hwpmc_request req = { .event = it->event, .config = { it->config },
					   .caps = it->caps };
	struct x86_id id = fake_cpu_id(test, it->cpu);
	struct hwpmc_encoding enc = {};
	int error = amd_event_encode(&id, &req, &enc);

	encode_compare(test, it, error, &enc);
}

/* GuestOnly and HostOnly are refused with a message that names them and KVM. */
static void encode_guest_bits_explained(struct kunit *test)
{
	static const char * const cpus[] = { "K8", "Zen 1", "Zen 4" };
	unsigned int i, bit;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		struct x86_id id = fake_cpu_id(test, cpus[i]);

		for (bit = 40; bit < 42; bit++) {
			const struct hwpmc_request req = { .event = BIT_ULL(bit) | 0xc0,
							   .caps = CAPS_U };
			struct hwpmc_encoding enc = {};

			KUNIT_EXPECT_EQ(test, -EINVAL, amd_event_encode(&id, &req, &enc));
			KUNIT_EXPECT_TRUE(test, enc.why && strstr(enc.why, "GuestOnly") &&
					  strstr(enc.why, "HostOnly") && strstr(enc.why, "KVM"));
		}
	}
}

static struct kunit_case encode_cases[] = {
	KUNIT_CASE_PARAM(encode_iap, iap_case_gen_params),
	KUNIT_CASE(encode_load_latency_refused),
	KUNIT_CASE(encode_any_thread_for_cpu_only),
	KUNIT_CASE(encode_smt_leaking_events_refused),
	KUNIT_CASE(encode_second_config_word_refused),
	KUNIT_CASE(encode_each_bit_kept_or_refused),
	KUNIT_CASE(encode_prefers_upper_counters),
	KUNIT_CASE(encode_hybrid_accepts_common_events),
	KUNIT_CASE(encode_hybrid_unknown_cores_differ),
	KUNIT_CASE_PARAM(encode_iaf, iaf_case_gen_params),
	KUNIT_CASE_PARAM(encode_amd, amd_case_gen_params),
	KUNIT_CASE(encode_guest_bits_explained),
	{}
};

struct kunit_suite hwpmc_x86_encode_suite = {
	.name		= "hwpmc_x86_encode",
	.test_cases	= encode_cases,
};
