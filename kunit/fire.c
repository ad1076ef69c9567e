// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_fire: which links an event of a probe is counted for, with which conditions, where it
 * is skipped, and which events are sampled (kmod/pmc/fire.c). Run by kunit/run.c in KUnit's thread:
 * the test calls hwpmc_fire() itself, as a provider does. No probe is in the kernel meanwhile.
 */
#include <linux/bits.h>
#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/numa.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../kmod/base/defer.h"
#include "../kmod/base/stat.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/filter.h"
#include "../kmod/pmc/fire.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/pmc/sampler.h"
#include "due.h"
#include "fixture.h"
#include "records.h"

#define FIRE_ARGS	3U
#define FIRE_PC		0x123456789aUL
#define FIRE_RETVAL	0xfedcba98ULL

/**
 * struct fire_case - a probe, and a link of it in the context of a thread
 * @probe: the probe
 * @th: the thread; it is on this CPU while the test fires, and on none else
 * @link: the link, which is active
 * @fired: the event: it has @args
 * @args: the arguments that events have
 * @asked: how many arguments were asked for last
 * @again: so many times one more event occurs while the arguments of an event are read
 */
struct fire_case {
	struct hwpmc_probe probe;
	struct hwpmc_thread *th;
	struct hwpmc_link *link;
	struct hwpmc_fired fired;
	u64 args[FIRE_ARGS];
	unsigned int asked;
	unsigned int again;
};

static struct fire_case fire_it;

/* Of links for which a test has no other: it only counts. */
static struct hwpmc_pmc fire_counter;

static void fire_get_args(const struct hwpmc_fired *fired, u64 *to, unsigned int count)
{
	fire_it.asked = count;
	memcpy(to, fire_it.args, min(count, FIRE_ARGS) * sizeof(*to));
	if (!fire_it.again)
		return;
	fire_it.again--;
	hwpmc_fire(&fire_it.probe, fired);
}

/* The context of a CPU has no thread; that of a thread is an address, and no more. */
static void fire_add(struct hwpmc_link *link, struct hwpmc_context *ctx, struct hwpmc_probe *probe)
{
	bool of_cpu = ctx == &raw_cpu_ptr(&hwpmc_cpus)->sys;
	unsigned long flags;

	link->thread = of_cpu ? NULL : container_of(ctx, struct hwpmc_thread, ctx);
	if (!link->pmc)
		link->pmc = &fire_counter;
	link->ctx = ctx;
	link->probe = probe;
	link->slot = &link->own;
	link->active = true;
	local_irq_save(flags);
	hwpmc_fire_add(link);
	local_irq_restore(flags);
}

static void fire_remove(struct hwpmc_link *link)
{
	unsigned long flags;

	local_irq_save(flags);
	hwpmc_fire_remove(link);
	local_irq_restore(flags);
}

static int fire_init(struct kunit *test)
{
	struct fire_case *it = &fire_it;
	struct records *records;
	int err = records_init(test);

	memset(it, 0, sizeof(*it));
	if (err)
		return err;
	records = records_of(test);
	records->pmc.class = &hwpmc_fire_class;
	records->pmc.caps = HWPMC_CAP_SYSTEM;
	records->link.owner = records->owner;
	it->th = kunit_kzalloc(test, sizeof(*it->th), GFP_KERNEL);
	it->probe.cpu = alloc_percpu(struct hwpmc_probe_cpu);
	if (!it->th || !it->probe.cpu || hwpmc_fire_enable() ||
	    hwpmc_context_setup(&it->th->ctx, NUMA_NO_NODE))
		return -ENOMEM;
	it->fired = (struct hwpmc_fired) {
		.pc = FIRE_PC, .retval = FIRE_RETVAL, .get_args = fire_get_args,
	};
	fire_add(&records->link, &it->th->ctx, &it->probe);
	it->link = &records->link;
	return 0;
}

static void fire_exit(struct kunit *test)
{
	struct fire_case *it = &fire_it;

	if (it->link) {
		fire_remove(it->link);
		hwpmc_context_teardown(&it->th->ctx);
	}
	if (it->probe.cpu)
		hwpmc_fire_disable();
	free_percpu(it->probe.cpu);
	records_exit(test);
}

/* Fires @events times on this CPU, whose window the caller has begun, with the thread on it. */
static void fire_here(struct hwpmc_probe *probe, unsigned int events)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	struct hwpmc_thread *before = pc->thread;

	pc->thread = fire_it.th;
	while (events--)
		hwpmc_fire(probe, &fire_it.fired);
	pc->thread = before;
}

static void fire_events(unsigned int events)
{
	unsigned long flags;

	local_irq_save(flags);
	due_begin_window(U64_MAX);
	fire_here(&fire_it.probe, events);
	due_end_window();
	local_irq_restore(flags);
}

/* One event with this first argument. */
static void fire_arg(u64 arg)
{
	fire_it.args[0] = arg;
	fire_events(1);
}

static u64 fire_count(void)
{
	return fire_it.link->own.sum;
}

static u64 fire_skipped(void)
{
	return hwpmc_fire_skipped(&fire_it.probe, -1);
}

/* Makes each @period events a sample. */
static void fire_set_period(u64 period)
{
	fire_it.link->period = period;
	fire_it.link->due = fire_count() + period;
}

/* How many samples were recorded, held and throttled. */
static struct hwpmc_sampler_cpu fire_samples(struct kunit *test)
{
	struct hwpmc_sampler_cpu sum;

	hwpmc_sampler_sum(&records_of(test)->pmc, -1, &sum);
	return sum;
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
	/* One that only counts has no samples. */
	KUNIT_EXPECT_EQ(test, 0ULL, fire_samples(test).recorded);
}

/*
 * Links of another context or probe are left alone, also in the same bucket, where @twin is: see
 * hwpmc_fire_bucket(). What is elsewhere is an address and no more.
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

/* An event counts for the thread, and for its CPU, each once. One of another CPU does not. */
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

/* Where contexts may be half changed an event is skipped, and counted as such. */
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

/* The event of a function that handles an event is skipped: it would not end. */
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

/* A CPU that goes offline has counted for the last time. */
static void fire_skips_offline(struct kunit *test)
{
	struct hwpmc_cpu *pc;
	unsigned long flags;
	u64 saved;

	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	saved = pc->offline_since;
	pc->offline_since = 1;
	fire_here(&fire_it.probe, 2);
	pc->offline_since = saved;
	fire_here(&fire_it.probe, 1);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, 1ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 2ULL, fire_skipped());
}

static u64 fire_missed(const struct hwpmc_probe *probe)
{
	return 100;
}

/* The skipped events of one CPU, of all, and with those that the kernel did not report. */
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

/* Of two links of a context each has its own conditions. */
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

/* Every third event is sampled: the third, the sixth and the ninth of eleven. */
static void fire_samples_each_period(struct kunit *test)
{
	struct hwpmc_log_probe *got = kunit_kzalloc(test, RECORDS_MAX_LENGTH, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, got);
	fire_set_period(3);
	fire_events(2);
	KUNIT_EXPECT_EQ(test, 0ULL, fire_samples(test).recorded);
	fire_events(1);
	KUNIT_EXPECT_EQ(test, 1ULL, fire_samples(test).recorded);
	fire_events(8);
	KUNIT_EXPECT_EQ(test, 11ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 12ULL, fire_it.link->due);
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, (u32)sizeof(*got), records_next(test, (void *)got));
		KUNIT_EXPECT_EQ(test, HWPMC_LOG_PROBE, got->sample.h.type);
		KUNIT_EXPECT_EQ(test, FIRE_PC, (unsigned long)got->sample.pc);
		KUNIT_EXPECT_EQ(test, 3ULL, got->sample.period);
		KUNIT_EXPECT_EQ(test, FIRE_RETVAL, got->retval);
	}
	KUNIT_EXPECT_EQ(test, 0U, records_next(test, (void *)got));
	KUNIT_EXPECT_EQ(test, 9ULL, fire_samples(test).events);
}

/* A link that logs its counts, and takes no samples, is due once and not again. */
static void fire_without_samples(struct kunit *test)
{
	struct hwpmc_pmc counts = { .owner = records_of(test)->owner };
	struct hwpmc_link *link = fire_it.link;

	link->pmc = &counts;
	fire_set_period(2);
	fire_events(5);
	KUNIT_EXPECT_EQ(test, 5ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 2ULL + S64_MAX, link->due);
}

/* Once the time is spent samples are held until a window begins that has time; events count on. */
static void fire_holds_samples(struct kunit *test)
{
	struct hwpmc_sampler_cpu sum;
	struct hwpmc_window *window;
	unsigned long flags;
	u64 throttled;

	fire_set_period(2);
	local_irq_save(flags);
	due_begin_window(U64_MAX);
	window = &this_cpu_ptr(&hwpmc_cpus)->window;
	window->over = true;
	fire_here(&fire_it.probe, 7);
	throttled = fire_it.link->throttled == window->begin;
	sum = fire_samples(test);
	window->begin++;
	window->over = false;
	fire_here(&fire_it.probe, 3);
	due_end_window();
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, throttled);
	KUNIT_EXPECT_EQ(test, 3ULL, sum.held);
	KUNIT_EXPECT_EQ(test, 6ULL, sum.events);
	KUNIT_EXPECT_EQ(test, 0ULL, sum.recorded);
	/* The eighth and the tenth are sampled. */
	sum = fire_samples(test);
	KUNIT_EXPECT_EQ(test, 10ULL, fire_count());
	KUNIT_EXPECT_EQ(test, 3ULL, sum.held);
	KUNIT_EXPECT_EQ(test, 2ULL, sum.recorded);
	KUNIT_EXPECT_EQ(test, 1ULL, sum.throttles);
	KUNIT_EXPECT_EQ(test, 0ULL, fire_it.link->throttled);
}

/* A throttled link does not keep another one of the same context from its samples. */
static void fire_holds_one_link(struct kunit *test)
{
	struct records *records = records_of(test);
	struct hwpmc_link free = { .owner = records->owner };
	struct hwpmc_sampler_cpu held, taken;
	struct hwpmc_pmc other = records->pmc;
	unsigned long flags;

	other.sampled = alloc_percpu(struct hwpmc_sampler_cpu);
	KUNIT_ASSERT_TRUE(test, !!other.sampled);
	free.pmc = &other;
	fire_add(&free, &fire_it.th->ctx, &fire_it.probe);
	free.period = 3;
	free.due = 3;
	fire_set_period(1);
	local_irq_save(flags);
	due_begin_window(U64_MAX);
	fire_it.link->throttled = this_cpu_ptr(&hwpmc_cpus)->window.begin;
	fire_here(&fire_it.probe, 6);
	due_end_window();
	local_irq_restore(flags);
	fire_remove(&free);
	held = fire_samples(test);
	hwpmc_sampler_sum(&other, -1, &taken);
	free_percpu(other.sampled);
	KUNIT_EXPECT_EQ(test, 6ULL, held.held);
	KUNIT_EXPECT_EQ(test, 0ULL, held.recorded);
	KUNIT_EXPECT_EQ(test, 0ULL, taken.held);
	KUNIT_EXPECT_EQ(test, 2ULL, taken.recorded);
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
	KUNIT_CASE(fire_samples_each_period),
	KUNIT_CASE(fire_without_samples),
	KUNIT_CASE(fire_holds_samples),
	KUNIT_CASE(fire_holds_one_link),
	{}
};

struct kunit_suite hwpmc_fire_suite = {
	.name		= "hwpmc_fire",
	.init		= fire_init,
	.exit		= fire_exit,
	.test_cases	= fire_cases,
};
