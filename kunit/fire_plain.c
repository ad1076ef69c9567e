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
#include "fixture.h"

/**
 * struct plain_case - a probe, and a link of it in the context of this CPU
 * @probe: the probe
 * @pmc: of the link: it counts
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
	plain_it.probe.cpu = alloc_percpu(struct hwpmc_probe_cpu);
	if (!plain_it.probe.cpu || hwpmc_fire_enable())
		return -ENOMEM;
	return 0;
}

static void plain_exit(struct kunit *test)
{
	if (plain_it.probe.cpu)
		hwpmc_fire_disable();
	free_percpu(plain_it.probe.cpu);
}

static void plain_add_to(struct hwpmc_link *link, struct hwpmc_context *ctx)
{
	plain_it.pmc.cpu = smp_processor_id();
	link->pmc = &plain_it.pmc;
	link->ctx = ctx;
	link->probe = &plain_it.probe;
	link->slot = &link->own;
	link->active = true;
	hwpmc_fire_add(link);
}

static void plain_add(struct hwpmc_link *link)
{
	plain_add_to(link, &this_cpu_ptr(&hwpmc_cpus)->sys);
}

/* Adds the link, fires once, and removes it. Returns whether the event was handled inline. */
static bool plain_fire(void)
{
	struct hwpmc_cpu *pc;
	struct hwpmc_thread *before;
	unsigned long flags;
	bool done;

	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	before = pc->thread;
	pc->thread = NULL;
	plain_add(&plain_it.link);
	done = hwpmc_fire_plain(&plain_it.probe);
	hwpmc_fire_remove(&plain_it.link);
	pc->thread = before;
	local_irq_restore(flags);
	return done;
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
	plain_add(&idle);
	plain_add(&other);
	idle.active = false;
	KUNIT_EXPECT_TRUE(test, plain_fire());
	hwpmc_fire_remove(&idle);
	hwpmc_fire_remove(&other);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, 1ULL, plain_it.link.own.sum);
	KUNIT_EXPECT_EQ(test, 1ULL, other.own.sum);
	KUNIT_EXPECT_EQ(test, 0ULL, idle.own.sum);
}

/* What is left to hwpmc_fire() is not counted here. */
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

/* In a change of the CPU's contexts, or in the handling of another event. */
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
	struct hwpmc_cpu *pc;
	unsigned long flags;
	u64 saved;

	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	saved = pc->offline_since;
	pc->offline_since = 1;
	plain_leaves(test);
	pc->offline_since = saved;
	local_irq_restore(flags);
}

/* Fires with a thread on the CPU whose link counts, too. Returns whether it was handled inline. */
static bool plain_fire_thread(struct hwpmc_thread *th, struct hwpmc_link *link)
{
	struct hwpmc_thread *before;
	struct hwpmc_cpu *pc;
	unsigned long flags;
	bool done;

	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	before = pc->thread;
	pc->thread = th;
	link->thread = th;
	plain_add_to(link, &th->ctx);
	done = hwpmc_fire_plain(&plain_it.probe);
	hwpmc_fire_remove(link);
	pc->thread = before;
	local_irq_restore(flags);
	return done;
}

/* The link of a thread counts, unless one of its links, of any probe, does more than that. */
static void plain_counts_for_thread(struct kunit *test)
{
	struct hwpmc_thread *th = kunit_kzalloc(test, sizeof(*th), GFP_KERNEL);
	struct hwpmc_filters filters = {};
	struct hwpmc_link link = {};

	KUNIT_ASSERT_NOT_NULL(test, th);
	KUNIT_EXPECT_TRUE(test, plain_fire_thread(th, &link));
	KUNIT_EXPECT_EQ(test, 1ULL, link.own.sum);
	link.filters = &filters;
	KUNIT_EXPECT_FALSE(test, plain_fire_thread(th, &link));
	KUNIT_EXPECT_EQ(test, 1ULL, link.own.sum);
	link.filters = NULL;
	KUNIT_EXPECT_TRUE(test, plain_fire_thread(th, &link));
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
