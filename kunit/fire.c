// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_fire: which links an event of a probe is counted for, with which conditions, and
 * where it is skipped (kmod/pmc/fire.c). Run by kunit/run.c in KUnit's thread: the test calls
 * hwpmc_fire() itself, as a provider does. No probe is in the kernel meanwhile.
 */
#include <linux/bits.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "../kmod/base/defer.h"
#include "../kmod/base/stat.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/filter.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "fire_events.h"
#include "fixture.h"
#include "records.h"

/* Fires one event whose first argument is @arg. */
static void fire_arg(u64 arg)
{
	fire_it.args[0] = arg;
	fire_events(1);
}

static u64 fire_skipped(void)
{
	return hwpmc_fire_skipped(&fire_it.probe, -1);
}

static void fire_counts_while_active(struct kunit *test)
{
	fire_events(5);
	KUNIT_EXPECT_EQ(test, 5ULL, fire_count());
	fire_it.link->active = false;
	fire_events(1);
	KUNIT_EXPECT_EQ(test, 5ULL, fire_count());
	fire_it.link->active = true;
	fire_events(1);
	KUNIT_EXPECT_EQ(test, 6ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 0ULL, fire_skipped());
	/* A link that only counts takes no samples. */
	KUNIT_EXPECT_EQ(test, 0ULL, fire_samples(test).recorded);
}

/*
 * Links of another context or probe do not count, not even twin, which is in the same bucket (see
 * hwpmc_fire_bucket()). The context elsewhere is only an address: there is no context at it.
 */
static void fire_leaves_others_alone(struct kunit *test)
{
	struct hwpmc_context *ctx = &fire_it.th->ctx, *elsewhere;
	struct hwpmc_probe other = {};
	struct hwpmc_link other_probe = {}, other_ctx = {}, twin = {};

	elsewhere = (void *)((unsigned long)ctx + BIT(20));
	fire_add(&other_probe, ctx, &other);
	fire_add(&other_ctx, elsewhere, &fire_it.probe);
	fire_add(&twin, elsewhere, (void *)((unsigned long)&fire_it.probe - 1));
	fire_events(3);
	fire_remove(&other_probe);
	fire_remove(&other_ctx);
	fire_remove(&twin);
	KUNIT_EXPECT_EQ(test, 3ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 0ULL, other_probe.own.sum);
	KUNIT_EXPECT_EQ(test, 0ULL, other_ctx.own.sum);
	KUNIT_EXPECT_EQ(test, 0ULL, twin.own.sum);
}

/* An event counts once for each link of the thread, and once for each link of the CPU. */
static void fire_counts_for_thread_and_cpu(struct kunit *test)
{
	struct hwpmc_link of_cpu = {}, second = {};
	unsigned long flags;

	local_irq_save(flags);
	fire_counter.cpu = smp_processor_id();
	fire_add(&of_cpu, &this_cpu_ptr(&hwpmc_cpus)->sys, &fire_it.probe);
	fire_add(&second, &fire_it.th->ctx, &fire_it.probe);
	fire_here(&fire_it.probe, 4);
	/* No thread that is followed is on the CPU. */
	hwpmc_fire(&fire_it.probe, &fire_it.fired);
	fire_remove(&of_cpu);
	fire_here(&fire_it.probe, 1);
	fire_remove(&second);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, 5ULL, of_cpu.own.sum);
	KUNIT_EXPECT_EQ(test, 5ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 5ULL, second.own.sum);
}

/* While contexts may be half changed, events are skipped, and counted as skipped. */
static void fire_skips_while_deferred(struct kunit *test)
{
	u64 before = hwpmc_stat_sum(HWPMC_STAT_PROBE_SKIPPED);
	unsigned long flags;
	int depth;

	local_irq_save(flags);
	hwpmc_defer_begin();
	fire_here(&fire_it.probe, 2);
	hwpmc_defer_end();
	fire_here(&fire_it.probe, 3);
	depth = this_cpu_read(hwpmc_defer.depth);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, 3ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 2ULL, fire_skipped());
	KUNIT_EXPECT_EQ(test, 2ULL, hwpmc_stat_sum(HWPMC_STAT_PROBE_SKIPPED) - before);
	KUNIT_EXPECT_EQ(test, 0, depth);
}

/* An event during the handling of another event is skipped: the recursion would not end. */
static void fire_does_not_recurse(struct kunit *test)
{
	records_of(test)->pmc.args = 1;
	fire_set_period(1);
	fire_it.again = 3;
	fire_events(4);
	KUNIT_EXPECT_EQ(test, 4ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 3ULL, fire_skipped());
	KUNIT_EXPECT_EQ(test, 4ULL, fire_samples(test).recorded);
}

/* Events on a CPU that is going offline are skipped. */
static void fire_skips_offline(struct kunit *test)
{
	unsigned long flags;
	u64 before;

	local_irq_save(flags);
	before = fire_set_offline(1);
	fire_here(&fire_it.probe, 2);
	fire_set_offline(before);
	fire_here(&fire_it.probe, 1);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, 1ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 2ULL, fire_skipped());
}

static u64 fire_missed(const struct hwpmc_probe *probe)
{
	return 100;
}

/* Skipped events: of one CPU, of all CPUs, and of all plus those that the kernel missed. */
static void fire_sums_skipped(struct kunit *test)
{
	unsigned long flags;
	int cpu;

	local_irq_save(flags);
	cpu = smp_processor_id();
	hwpmc_fire_skip(&fire_it.probe, 7);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, 7ULL, hwpmc_fire_skipped(&fire_it.probe, cpu));
	KUNIT_EXPECT_EQ(test, 0ULL, hwpmc_fire_skipped(&fire_it.probe, nr_cpu_ids));
	KUNIT_EXPECT_EQ(test, 7ULL, fire_skipped());
	fire_it.probe.missed = fire_missed;
	KUNIT_EXPECT_EQ(test, 107ULL, fire_skipped());
	KUNIT_EXPECT_EQ(test, 7ULL, hwpmc_fire_skipped(&fire_it.probe, cpu));
}

/* Has the link count only events that meet @count conditions. */
static void fire_set_filters(struct kunit *test, const struct hwpmc_filter *list, u32 count,
			     u32 args)
{
	struct hwpmc_filters *filters = kunit_kzalloc(test, struct_size(filters, list, count),
						      GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, filters);
	filters->count = count;
	filters->args = args;
	memcpy(filters->list, list, count * sizeof(*list));
	fire_it.link->filters = filters;
}

/* An event that does not meet all conditions is neither counted nor skipped, and ends no period. */
static void fire_filters_events(struct kunit *test)
{
	const struct hwpmc_filter list[] = {
		{ .field = HWPMC_FILTER_ARG, .op = HWPMC_FILTER_GT, .bytes = 4, .value = 10 },
		{ .field = HWPMC_FILTER_RETVAL, .bytes = 8, .value = FIRE_RETVAL },
	};

	fire_set_filters(test, list, ARRAY_SIZE(list), 2);
	fire_set_period(2);
	fire_arg(11);
	KUNIT_EXPECT_EQ(test, 2U, fire_it.asked);
	fire_arg(10);
	/* -1, in 4 bytes. */
	fire_arg(0x00000000ffffffff);
	KUNIT_EXPECT_EQ(test, 1ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 0ULL, fire_samples(test).recorded);
	/* The upper bytes are not compared. */
	fire_arg(0xffffffff00000020);
	KUNIT_EXPECT_EQ(test, 2ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 1ULL, fire_samples(test).recorded);
	fire_it.fired.retval++;
	fire_arg(11);
	KUNIT_EXPECT_EQ(test, 2ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 0ULL, fire_skipped());
}

/* Each of two links of one context has its own conditions. */
static void fire_filters_each_link(struct kunit *test)
{
	const struct hwpmc_filter list[] = {
		{ .field = HWPMC_FILTER_ARG, .op = HWPMC_FILTER_EQ, .bytes = 8, .value = 1 },
	};
	struct hwpmc_link all = {};

	fire_set_filters(test, list, ARRAY_SIZE(list), 1);
	fire_add(&all, &fire_it.th->ctx, &fire_it.probe);
	fire_arg(1);
	fire_arg(2);
	fire_remove(&all);
	KUNIT_EXPECT_EQ(test, 1ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 2ULL, all.own.sum);
}

static struct kunit_case fire_cases[] = {
	KUNIT_CASE(fire_counts_while_active),
	KUNIT_CASE(fire_leaves_others_alone),
	KUNIT_CASE(fire_counts_for_thread_and_cpu),
	KUNIT_CASE(fire_skips_while_deferred),
	KUNIT_CASE(fire_does_not_recurse),
	KUNIT_CASE(fire_skips_offline),
	KUNIT_CASE(fire_sums_skipped),
	KUNIT_CASE(fire_filters_events),
	KUNIT_CASE(fire_filters_each_link),
	{}
};

struct kunit_suite hwpmc_fire_suite = {
	.name		= "hwpmc_fire",
	.init		= fire_init,
	.exit		= fire_exit,
	.test_cases	= fire_cases,
};
