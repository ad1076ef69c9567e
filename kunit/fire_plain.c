// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_fire_plain: which events are only counted, inline, and which are left to hwpmc_fire()
 * (kmod/pmc/fire_plain.h). Run by kunit/run.c in KUnit's thread. No probe is in the kernel
 * meanwhile.
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "../kmod/base/defer.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/filter.h"
#include "../kmod/pmc/fire_plain.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/pmc/sampler.h"
#include "fire_events.h"
#include "fixture.h"

/**
 * struct plain_case - a probe, and a link of it in the context of this CPU
 * @probe: the probe
 * @pmc: the link's PMC, which only counts
 * @link: the link, which is active while the test fires
 */
struct plain_case {
	struct hwpmc_probe probe;
	struct hwpmc_pmc pmc;
	struct hwpmc_link link;
};

static struct plain_case plain_it;

static int plain_init(struct kunit *test)
{
	memset(&plain_it, 0, sizeof(plain_it));
	return fire_probe_init(&plain_it.probe);
}

static void plain_exit(struct kunit *test)
{
	fire_probe_exit(&plain_it.probe);
}

/* Interrupts off. */
static void plain_add(struct hwpmc_link *link, struct hwpmc_context *ctx)
{
	plain_it.pmc.cpu = smp_processor_id();
	link->pmc = &plain_it.pmc;
	fire_add(link, ctx, &plain_it.probe);
}

/*
 * Adds a link of @th, or of this CPU if it is NULL, fires once with @th on the CPU, and removes the
 * link. Returns whether the event was handled inline.
 */
static bool plain_fire_link(struct hwpmc_thread *th, struct hwpmc_link *link)
{
	struct hwpmc_thread *before;
	unsigned long flags;
	bool done;

	local_irq_save(flags);
	before = fire_set_thread(th);
	plain_add(link, th ? &th->ctx : &this_cpu_ptr(&hwpmc_cpus)->sys);
	done = hwpmc_fire_plain(&plain_it.probe);
	hwpmc_fire_remove(link);
	fire_set_thread(before);
	local_irq_restore(flags);
	return done;
}

static bool plain_fire(void)
{
	return plain_fire_link(NULL, &plain_it.link);
}

static void plain_counts(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, plain_fire());
	KUNIT_EXPECT_EQ(test, 1ULL, plain_it.link.own.sum);
}

/* Each link of the CPU counts, except those that are not active. */
static void plain_counts_active(struct kunit *test)
{
	struct hwpmc_link idle = {}, other = {};
	unsigned long flags;

	local_irq_save(flags);
	plain_add(&idle, &this_cpu_ptr(&hwpmc_cpus)->sys);
	plain_add(&other, &this_cpu_ptr(&hwpmc_cpus)->sys);
	idle.active = false;
	KUNIT_EXPECT_TRUE(test, plain_fire());
	hwpmc_fire_remove(&idle);
	hwpmc_fire_remove(&other);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, 1ULL, plain_it.link.own.sum);
	KUNIT_EXPECT_EQ(test, 1ULL, other.own.sum);
	KUNIT_EXPECT_EQ(test, 0ULL, idle.own.sum);
}

/* An event that is left to hwpmc_fire() is not counted inline. */
static void plain_leaves(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, plain_fire());
	KUNIT_EXPECT_EQ(test, 0ULL, plain_it.link.own.sum);
}

static void plain_leaves_filtered(struct kunit *test)
{
	struct hwpmc_filters filters = {};

	plain_it.pmc.filters = &filters;
	plain_it.link.filters = &filters;
	plain_leaves(test);
	plain_it.link.filters = NULL;
	/* The link that was removed no longer matters. */
	KUNIT_EXPECT_TRUE(test, plain_fire());
}

static void plain_leaves_sampled(struct kunit *test)
{
	plain_it.pmc.sampled = alloc_percpu(struct hwpmc_sampler_cpu);
	KUNIT_ASSERT_TRUE(test, !!plain_it.pmc.sampled);
	plain_leaves(test);
	free_percpu(plain_it.pmc.sampled);
	plain_it.pmc.sampled = NULL;
}

/* During a change of the CPU's contexts, and while another event is handled. */
static void plain_leaves_while_deferred(struct kunit *test)
{
	unsigned long flags;

	local_irq_save(flags);
	hwpmc_defer_begin();
	plain_leaves(test);
	hwpmc_defer_end();
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, 0, this_cpu_read(hwpmc_defer.depth));
}

static void plain_leaves_offline(struct kunit *test)
{
	unsigned long flags;
	u64 before;

	local_irq_save(flags);
	before = fire_set_offline(1);
	plain_leaves(test);
	fire_set_offline(before);
	local_irq_restore(flags);
}

/* A thread's link counts inline, unless any probe link of the thread does more than count. */
static void plain_counts_for_thread(struct kunit *test)
{
	struct hwpmc_thread *th = kunit_kzalloc(test, sizeof(*th), GFP_KERNEL);
	struct hwpmc_filters filters = {};
	struct hwpmc_link link = {};

	KUNIT_ASSERT_NOT_NULL(test, th);
	KUNIT_EXPECT_TRUE(test, plain_fire_link(th, &link));
	KUNIT_EXPECT_EQ(test, 1ULL, link.own.sum);
	link.filters = &filters;
	KUNIT_EXPECT_FALSE(test, plain_fire_link(th, &link));
	KUNIT_EXPECT_EQ(test, 1ULL, link.own.sum);
	link.filters = NULL;
	KUNIT_EXPECT_TRUE(test, plain_fire_link(th, &link));
	KUNIT_EXPECT_EQ(test, 2ULL, link.own.sum);
	KUNIT_EXPECT_EQ(test, 0U, th->ctx.slow_probes);
}

static struct kunit_case plain_cases[] = {
	KUNIT_CASE(plain_counts),
	KUNIT_CASE(plain_counts_active),
	KUNIT_CASE(plain_leaves_filtered),
	KUNIT_CASE(plain_leaves_sampled),
	KUNIT_CASE(plain_leaves_while_deferred),
	KUNIT_CASE(plain_leaves_offline),
	KUNIT_CASE(plain_counts_for_thread),
	{}
};

struct kunit_suite hwpmc_fire_plain_suite = {
	.name		= "hwpmc_fire_plain",
	.init		= plain_init,
	.exit		= plain_exit,
	.test_cases	= plain_cases,
};
