// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_offline: what the context of a CPU refers to while the CPU is offline
 * (kmod/hotplug.c). Run by kunit/run.c in KUnit's thread; takes CPU 1 offline.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "fixture.h"

#define OFFLINE_CPU	1

static struct hwpmc_pmc offline_pmc;
static struct hwpmc_slot offline_slot;
static struct hwpmc_link offline_link = { .pmc = &offline_pmc, .slot = &offline_slot };

/* The CPU's context has a link that records, and counts on a row. */
static void offline_begin(void *unused)
{
	struct hwpmc_context *ctx = &this_cpu_ptr(&hwpmc_cpus)->sys;

	ctx->recorders = &offline_link;
	ctx->sampling_only = 1;
}

/*
 * The link may be freed while the CPU is offline. Later the CPU's clock interrupts before the
 * context resyncs, so the context must not refer to the link.
 */
static void offline_cpu_forgets_recorders(struct kunit *test)
{
	struct hwpmc_context *ctx;

	if (!cpu_online(OFFLINE_CPU))
		kunit_skip(test, "cpu 1 is not online");
	ctx = &per_cpu(hwpmc_cpus, OFFLINE_CPU).sys;
	KUNIT_ASSERT_EQ(test, 0, smp_call_function_single(OFFLINE_CPU, offline_begin, NULL, 1));
	KUNIT_ASSERT_EQ(test, 0, remove_cpu(OFFLINE_CPU));
	KUNIT_EXPECT_PTR_EQ(test, NULL, ctx->recorders);
	KUNIT_EXPECT_EQ(test, 0ULL, ctx->sampling_only);
	KUNIT_EXPECT_EQ(test, 0ULL, ctx->batch[0].rows);
	/* Clear it before the CPU is online again, so that a failure does not crash the kernel. */
	ctx->recorders = NULL;
	KUNIT_EXPECT_EQ(test, 0, add_cpu(OFFLINE_CPU));
}

static struct kunit_case offline_cases[] = {
	KUNIT_CASE(offline_cpu_forgets_recorders),
	{}
};

struct kunit_suite hwpmc_offline_suite = {
	.name		= "hwpmc_offline",
	.test_cases	= offline_cases,
};
