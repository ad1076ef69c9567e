// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_due: when a sample is due and with which period (kmod/pmc/period.c): across
 * context switches, after several periods at once, after a change of the period.
 * Run by kunit/run.c in KUnit's thread.
 */
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/numa.h>
#include <linux/percpu.h>
#include <linux/time64.h>

#include <hwpmc_arch_inline.h>

#include "../arch/hwpmc_arch.h"
#include "../kmod/base/defer.h"
#include "../kmod/base/owner.h"
#include "../kmod/log/log.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/period.h"
#include "../kmod/pmc/period_due.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/pmc/row.h"
#include "../kmod/pmc/sampler.h"
#include "../kmod/pmc/window.h"
#include "due.h"
#include "fixture.h"

#define DUE_ID		77
#define DUE_FIRST	10000ULL	/* the first period when a frequency is asked for */
#define DUE_AIMS_MOST	1000		/* in a test that would not end otherwise */

/*
 * The counter: due_events since the last fold, due_own_events of the module's own work before it
 * is set, the sum due_overflow_at at which it overflows, and whether it is due_stopped.
 */
static u64 due_events;
static u64 due_own_events;
u64 due_overflow_at;
bool due_over;
static bool due_stopped;
u64 due_round_events;
unsigned int due_aims;
unsigned int due_round;

static void due_fold(struct hwpmc_slot *slots, u64 rows)
{
	slots[0].sum += due_events;
	due_events = 0;
}

static u64 due_set_period(struct hwpmc_slot *slots, unsigned int row, u64 due, u64 put_off)
{
	u64 left;

	due_events += due_own_events;
	due_fold(slots, BIT_ULL(row));
	left = hwpmc_aim_left(slots[row].sum, due, put_off);
	due_overflow_at = slots[row].sum + left;
	due_stopped = false;
	due_aims++;
	if (left < due_round_events && due_aims < DUE_AIMS_MOST) {
		due_events += due_round_events;
		this_cpu_write(hwpmc_defer.overflow_pending, true);
	}
	return left;
}

static void due_stop(u64 rows)
{
	due_stopped = true;
}

static const struct hwpmc_class due_class = {
	.id = HWPMC_CLASS_MOCK, .rows = 1,
	.aim = due_set_period, .park = due_stop, .fold = due_fold,
};

static const struct hwpmc_class due_other_class = { .id = HWPMC_CLASS_MOCK };

static void due_setup(struct kunit *test, struct due_case *it)
{
	struct fixture *fx = test->priv;
	struct hwpmc_owner *owner = fx->owners[0];
	int err;

	mutex_lock(&owner->lock);
	err = hwpmc_buffer_create(owner, PAGE_SIZE, 0, HWPMC_READER_KERNEL);
	mutex_unlock(&owner->lock);
	KUNIT_ASSERT_EQ(test, 0, err);
	KUNIT_ASSERT_EQ(test, 0, hwpmc_context_setup(&it->thread.ctx, NUMA_NO_NODE));
	it->pmc.sampled = alloc_percpu(struct hwpmc_sampler_cpu);
	KUNIT_ASSERT_TRUE(test, !!it->pmc.sampled);
}

struct due_case *due_begin(struct kunit *test, u32 flags, u64 count)
{
	struct fixture *fx = test->priv;
	struct due_case *it = kunit_kzalloc(test, sizeof(*it), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, it);
	fx->due = it;
	due_setup(test, it);
	it->pmc.owner = fx->owners[0];
	it->pmc.id = DUE_ID;
	it->pmc.class = &due_class;
	it->pmc.class_index = fx->mock;
	it->pmc.row = hwpmc_class_first[fx->mock];
	it->pmc.caps = HWPMC_CAP_USER;
	it->pmc.flags = flags;
	it->pmc.count = count;
	INIT_LIST_HEAD(&it->pmc.links);
	it->link.pmc = &it->pmc;
	it->link.ctx = &it->thread.ctx;
	it->link.slot = &it->thread.ctx.slots[it->pmc.row];
	list_add(&it->link.in_pmc, &it->pmc.links);
	it->thread.ctx.recorders = &it->link;
	it->thread.ctx.in_extra = true;
	it->thread.ctx.out_flags = HWPMC_OUT_RECORDS;
	it->thread.ctx.batch[0] = (struct hwpmc_batch) {
		.rows = 1, .slots = it->thread.ctx.slots + it->pmc.row,
		.fold = due_fold, .class = &due_class,
	};
	due_events = 0;
	due_own_events = 0;
	due_over = false;
	due_round_events = 0;
	due_aims = 0;
	due_round = 0;
	hwpmc_period_begin(&it->link);
	return it;
}

void due_exit(struct kunit *test)
{
	struct fixture *fx = test->priv;

	if (fx && fx->due) {
		free_percpu(fx->due->pmc.sampled);
		hwpmc_context_teardown(&fx->due->thread.ctx);
	}
	fixture_exit(test);
}

static void due_count_record(const struct hwpmc_log_header *record, struct due_case *it)
{
	const struct hwpmc_log_sample *sample = (const void *)record;

	if (record->id != DUE_ID)
		return;
	if (record->type == HWPMC_LOG_SAMPLE) {
		it->samples++;
		it->late += !!(record->flags & HWPMC_SAMPLE_LATE);
		it->last = sample->period;
		it->represented += sample->period;
	}
	if (record->type == HWPMC_LOG_THROTTLE) {
		it->throttles++;
		it->logged = ((const struct hwpmc_log_throttle *)record)->period;
	}
}

/* Reads the rings of all CPUs: the test may have run on any of them. */
void due_read(struct due_case *it)
{
	struct hwpmc_rings *rings = it->pmc.owner->rings;
	unsigned int cpu;
	u64 size, at;
	void *from;

	for (cpu = 0; cpu < rings->count; cpu++) {
		struct hwpmc_buffer *buffer = rings->buffers[cpu];

		while (buffer && (from = hwpmc_reader_next(buffer, U64_MAX, &size))) {
			for (at = 0; at < size;
			     at += ((const struct hwpmc_log_header *)(from + at))->length)
				due_count_record(from + at, it);
			hwpmc_reader_done(buffer, size);
		}
	}
}

void due_run(struct due_case *it, enum due_event what, u64 counted, unsigned int taken)
{
	struct hwpmc_cpu *pc;
	unsigned long flags;

	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	hwpmc_defer_begin();
	pc->window = (struct hwpmc_window){
		.begin = hwpmc_arch_clock(), .limit = U64_MAX, .over = due_over, .full = due_over,
		.samples = taken, .pmcs = 1,
	};
	this_cpu_ptr(it->pmc.sampled)->window = pc->window.begin;
	this_cpu_ptr(it->pmc.sampled)->taken = taken;
	due_events += counted;
	this_cpu_write(hwpmc_defer.rounds, due_round);
	switch (what) {
	case DUE_SCHED_IN:
		hwpmc_period_sched_in(&it->thread.ctx);
		break;
	case DUE_OVERFLOW:
		hwpmc_context_fold(&it->thread.ctx);
		hwpmc_period_overflow(pc, &it->thread.ctx, &due_class, 1, NULL);
		break;
	case DUE_FLUSH:
		hwpmc_context_flush(&it->thread.ctx);
		break;
	case DUE_SCHED_OUT:
		hwpmc_context_fold(&it->thread.ctx);
		hwpmc_period_sched_out(&it->thread.ctx);
		break;
	}
	this_cpu_write(hwpmc_defer.rounds, 0);
	hwpmc_defer_end();
	local_irq_restore(flags);
	due_read(it);
}

/* A sample takes more events than a period has: the interrupted code executes between samples. */
static void due_put_off_by_own_work(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	u64 work = 2 * DUE_PERIOD + 500, sum = DUE_PERIOD + work;

	due_run(it, DUE_SCHED_IN, 0, 0);
	due_own_events = work;
	due_run(it, DUE_OVERFLOW, DUE_PERIOD, 0);
	KUNIT_EXPECT_EQ(test, DUE_PERIOD, it->last);
	/* The next sample was due after two periods; the work ended 1.25 periods later. */
	KUNIT_EXPECT_EQ(test, sum + DUE_PERIOD + sum - 2 * DUE_PERIOD, due_overflow_at);
	due_run(it, DUE_OVERFLOW, due_overflow_at - sum, 0);
	/* 5.5 periods have passed: the first sample has one of them, and this one has four. */
	KUNIT_EXPECT_EQ(test, 4 * DUE_PERIOD, it->last);
	KUNIT_EXPECT_EQ(test, 2, it->samples);
}

static void due_remainder_kept_across_switches(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, DUE_PERIOD, it->link.due);
	/* A tenth of the period in each turn on the CPU; one event less in the last. */
	for (i = 0; i < 10; i++) {
		due_run(it, DUE_SCHED_IN, 0, 0);
		KUNIT_EXPECT_EQ(test, DUE_PERIOD, due_overflow_at);
		KUNIT_EXPECT_FALSE(test, due_stopped);
		due_run(it, DUE_SCHED_OUT, DUE_PERIOD / 10 - (i == 9), 0);
		KUNIT_EXPECT_TRUE(test, due_stopped);
	}
	KUNIT_EXPECT_EQ(test, 0, it->samples);
	due_run(it, DUE_SCHED_IN, 0, 0);
	due_run(it, DUE_OVERFLOW, 1, 0);
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	KUNIT_EXPECT_EQ(test, 0, it->late);
	KUNIT_EXPECT_EQ(test, DUE_PERIOD, it->last);
	KUNIT_EXPECT_EQ(test, 2 * DUE_PERIOD, due_overflow_at);
}

/* Events counted between the overflow and its interrupt belong to the next period. */
static void due_overshoot_is_of_next_period(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	unsigned int i;

	due_run(it, DUE_SCHED_IN, 0, 0);
	for (i = 1; i <= 10; i++) {
		due_run(it, DUE_OVERFLOW, DUE_PERIOD + 42, 0);
		KUNIT_EXPECT_EQ(test, i, it->samples);
		KUNIT_EXPECT_EQ(test, DUE_PERIOD, it->last);
		KUNIT_EXPECT_EQ(test, (i + 1) * DUE_PERIOD, due_overflow_at);
	}
}

/* If several periods have passed, one sample is taken, whose period is their sum. */
static void due_one_sample_for_several_periods(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);

	due_run(it, DUE_SCHED_IN, 0, 0);
	due_run(it, DUE_OVERFLOW, 3 * DUE_PERIOD + 500, 0);
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	KUNIT_EXPECT_EQ(test, 3 * DUE_PERIOD, it->last);
	KUNIT_EXPECT_EQ(test, 4 * DUE_PERIOD, due_overflow_at);
	/* The sum is now exactly at the end of a period, which this sample includes. */
	due_run(it, DUE_OVERFLOW, 2 * DUE_PERIOD - 500, 0);
	KUNIT_EXPECT_EQ(test, 2, it->samples);
	KUNIT_EXPECT_EQ(test, 2 * DUE_PERIOD, it->last);
	KUNIT_EXPECT_EQ(test, 6 * DUE_PERIOD, due_overflow_at);
}

/* A flush or a switch before the interrupt takes a late sample; the interrupt takes none. */
static void due_late_sample_at_flush_and_switch(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);

	due_run(it, DUE_SCHED_IN, 0, 0);
	due_run(it, DUE_FLUSH, DUE_PERIOD, 0);
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	KUNIT_EXPECT_EQ(test, 1, it->late);
	KUNIT_EXPECT_FALSE(test, due_stopped);
	due_run(it, DUE_OVERFLOW, 0, 0);
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	KUNIT_EXPECT_EQ(test, 2 * DUE_PERIOD, due_overflow_at);
	due_run(it, DUE_SCHED_OUT, DUE_PERIOD + 1, 0);
	KUNIT_EXPECT_EQ(test, 2, it->samples);
	KUNIT_EXPECT_EQ(test, 2, it->late);
	KUNIT_EXPECT_TRUE(test, due_stopped);
	due_run(it, DUE_SCHED_IN, 0, 0);
	KUNIT_EXPECT_EQ(test, 3 * DUE_PERIOD, due_overflow_at);
}

/* An overflow of other @rows of @class; the link's row counted @counted and is folded with them. */
static void due_overflow_others(struct due_case *it, const struct hwpmc_class *class, u64 rows,
				u64 counted)
{
	unsigned long flags;

	local_irq_save(flags);
	hwpmc_defer_begin();
	due_events = counted;
	hwpmc_context_fold(&it->thread.ctx);
	hwpmc_period_overflow(this_cpu_ptr(&hwpmc_cpus), &it->thread.ctx, class, rows, NULL);
	hwpmc_defer_end();
	local_irq_restore(flags);
	due_read(it);
}

/*
 * An overflow of other rows takes no sample before it is due. But the fold clears the overflow
 * of the link's row too, so a sample that became due meanwhile is taken there.
 */
static void due_sample_at_overflow_of_others(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);

	due_run(it, DUE_SCHED_IN, 0, 0);
	due_overflow_at = 0;
	due_overflow_others(it, &due_class, ~1ULL, DUE_PERIOD / 2);
	due_overflow_others(it, &due_other_class, 1, DUE_PERIOD / 2 - 1);
	KUNIT_EXPECT_EQ(test, 0, it->samples);
	KUNIT_EXPECT_EQ(test, 0, due_overflow_at);
	due_overflow_others(it, &due_class, ~1ULL, 1);
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	KUNIT_EXPECT_EQ(test, 2 * DUE_PERIOD, due_overflow_at);
	due_overflow_others(it, &due_other_class, 1, DUE_PERIOD);
	KUNIT_EXPECT_EQ(test, 2, it->samples);
	KUNIT_EXPECT_EQ(test, 3 * DUE_PERIOD, due_overflow_at);
}

/* A counter narrower than the period overflows before the sample is due, and is set again. */
static void due_set_again_before_due(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);

	due_run(it, DUE_SCHED_IN, 0, 0);
	it->link.aimed -= DUE_PERIOD / 2;
	due_overflow_at = 0;
	due_overflow_others(it, &due_class, ~1ULL, DUE_PERIOD / 2 - 1);
	KUNIT_EXPECT_EQ(test, 0, due_overflow_at);
	due_overflow_others(it, &due_class, ~1ULL, 1);
	KUNIT_EXPECT_EQ(test, 0, it->samples);
	KUNIT_EXPECT_EQ(test, DUE_PERIOD, due_overflow_at);
}

static int due_set_count(struct due_case *it, u64 count)
{
	int err;

	mutex_lock(&it->pmc.owner->lock);
	err = hwpmc_pmc_set_count(&it->pmc, count);
	mutex_unlock(&it->pmc.owner->lock);
	return err;
}

/* A new period begins at the current sum; an invalid one is refused and changes nothing. */
static void due_changed_period(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);

	due_run(it, DUE_SCHED_IN, 0, 0);
	due_run(it, DUE_SCHED_OUT, 1500, 0);
	KUNIT_EXPECT_EQ(test, -EINVAL, due_set_count(it, hwpmc_period_min() - 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, due_set_count(it, BIT_ULL(63)));
	hwpmc_period_begin(&it->link);
	KUNIT_EXPECT_EQ(test, DUE_PERIOD, it->link.due);
	KUNIT_EXPECT_EQ(test, 0, due_set_count(it, 5000));
	hwpmc_period_begin(&it->link);
	due_run(it, DUE_SCHED_IN, 0, 0);
	KUNIT_EXPECT_EQ(test, 1500 + 5000ULL, due_overflow_at);
	due_run(it, DUE_OVERFLOW, 4999, 0);
	KUNIT_EXPECT_EQ(test, 0, it->samples);
	due_run(it, DUE_OVERFLOW, 1, 0);
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	KUNIT_EXPECT_EQ(test, 5000ULL, it->last);
	KUNIT_EXPECT_EQ(test, 1500 + 2 * 5000ULL, due_overflow_at);
}

/* A sample has the period that led to it, not the one that is adapted after it. */
static void due_period_adapts_to_frequency(struct kunit *test)
{
	struct due_case *it = due_begin(test, HWPMC_F_FREQUENCY, 1000);
	u64 next = (DUE_FIRST + DUE_FIRST / 8) / 2, due = DUE_FIRST + next;

	KUNIT_EXPECT_EQ(test, DUE_FIRST, it->link.due);
	due_run(it, DUE_SCHED_IN, 0, 0);
	/* Ten seconds for one sample: the period gets shorter, by the largest step. */
	it->link.since = ktime_get_mono_fast_ns() - 10 * NSEC_PER_SEC;
	due_run(it, DUE_OVERFLOW, DUE_FIRST, 0);
	KUNIT_EXPECT_EQ(test, DUE_FIRST, it->last);
	KUNIT_EXPECT_EQ(test, next, it->link.period);
	KUNIT_EXPECT_EQ(test, due, due_overflow_at);
	/* A million periods at once: the period gets longer, by the largest step. */
	due_run(it, DUE_OVERFLOW, 1000000 * next, 0);
	KUNIT_EXPECT_EQ(test, 2, it->samples);
	KUNIT_EXPECT_EQ(test, 1000000 * next, it->last);
	KUNIT_EXPECT_EQ(test, (next + 8 * next) / 2, it->link.period);
	due += 999999 * next + (next + 8 * next) / 2;
	KUNIT_EXPECT_EQ(test, due, due_overflow_at);
}

/* Time during which the link did not count is left out of the adaptation. */
static void due_time_off_cpu_left_out(struct kunit *test)
{
	struct due_case *it = due_begin(test, HWPMC_F_FREQUENCY, 1000);
	u64 since;

	due_run(it, DUE_SCHED_IN, 0, 0);
	since = it->link.since;
	due_run(it, DUE_SCHED_OUT, 1, 0);
	KUNIT_EXPECT_NE(test, 0ULL, it->link.off_since);
	it->link.off_since -= 5 * NSEC_PER_SEC;
	due_run(it, DUE_SCHED_IN, 0, 0);
	KUNIT_EXPECT_EQ(test, 0ULL, it->link.off_since);
	KUNIT_EXPECT_GE(test, it->link.since, since + 5 * NSEC_PER_SEC);
	/* Scheduled in without being scheduled out: no time is left out. */
	since = it->link.since;
	due_run(it, DUE_SCHED_IN, 0, 0);
	KUNIT_EXPECT_EQ(test, since, it->link.since);
}

static struct kunit_case due_cases[] = {
	KUNIT_CASE(due_put_off_by_own_work),
	KUNIT_CASE(due_remainder_kept_across_switches),
	KUNIT_CASE(due_overshoot_is_of_next_period),
	KUNIT_CASE(due_one_sample_for_several_periods),
	KUNIT_CASE(due_late_sample_at_flush_and_switch),
	KUNIT_CASE(due_sample_at_overflow_of_others),
	KUNIT_CASE(due_set_again_before_due),
	KUNIT_CASE(due_changed_period),
	KUNIT_CASE(due_period_adapts_to_frequency),
	KUNIT_CASE(due_time_off_cpu_left_out),
	{}
};

struct kunit_suite hwpmc_due_suite = {
	.name		= "hwpmc_due",
	.init		= fixture_init,
	.exit		= due_exit,
	.test_cases	= due_cases,
};

void due_begin_window(u64 limit)
{
	hwpmc_window_ticks = 1000 * hwpmc_arch_clock_khz() * 10;
	this_cpu_ptr(&hwpmc_cpus)->window = (struct hwpmc_window){
		.begin = hwpmc_arch_clock(), .limit = limit,
	};
}

void due_end_window(void)
{
	hwpmc_window_ticks = hwpmc_arch_clock_khz() * 10;
	this_cpu_ptr(&hwpmc_cpus)->window = (struct hwpmc_window){};
}
