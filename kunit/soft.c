// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_soft: class SOFT: the requests it accepts, and that it counts what the task did
 * between in and fold (arch/soft/soft.c). Run by kunit/run.c in KUnit's thread, the task.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <uapi/linux/hwpmc.h>

#include "../arch/hwpmc_arch.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/pmc/row.h"
#include "fixture.h"

#define CAPS	(HWPMC_CAP_USER | HWPMC_CAP_SYSTEM)
#define EVENTS	(HWPMC_SOFT_OFF_CPU + 1)
#define ALL	GENMASK_ULL(EVENTS - 1, 0)

static int soft_encode(const struct hwpmc_request *req, int cpu, struct hwpmc_encoding *enc)
{
	*enc = (struct hwpmc_encoding){};
	return hwpmc_soft_class.encode(req, cpu, enc);
}

static void soft_row_per_event(struct kunit *test)
{
	struct hwpmc_encoding enc;
	char name[HWPMC_NAME_MAX];
	unsigned int i;

	KUNIT_EXPECT_EQ(test, hwpmc_soft_class.rows, (unsigned int)EVENTS);
	for (i = 0; i < EVENTS; i++) {
		const struct hwpmc_request req = { .event = i, .caps = CAPS };
		int on_cpu = i == HWPMC_SOFT_CLOCK ? 0 : -EINVAL;

		KUNIT_EXPECT_EQ(test, soft_encode(&req, -1, &enc), 0);
		KUNIT_EXPECT_EQ(test, enc.rows, BIT_ULL(i));
		KUNIT_EXPECT_EQ(test, soft_encode(&req, 0, &enc), on_cpu);
		KUNIT_EXPECT_EQ(test, !!enc.why, !!on_cpu);
		name[0] = 0;
		hwpmc_soft_class.row_name(i, name, sizeof(name));
		KUNIT_EXPECT_NE(test, name[0], 0);
	}
}

static void soft_bad_requests_refused(struct kunit *test)
{
	static const struct {
		struct hwpmc_request req;
		int err;
	} cases[] = {
		{ { .event = EVENTS, .caps = CAPS }, -EINVAL },
		{ { .event = ~0ULL, .caps = CAPS }, -EINVAL },
		{ { .caps = CAPS, .config = { 1 } }, -EINVAL },
		{ { .caps = CAPS, .config = { 0, 1 } }, -EINVAL },
		{ { .caps = HWPMC_CAP_USER }, -EOPNOTSUPP },
		{ { .caps = HWPMC_CAP_SYSTEM }, -EOPNOTSUPP },
		{ { .caps = CAPS | HWPMC_CAP_INTERRUPT, .event = HWPMC_SOFT_FAULTS }, -EOPNOTSUPP },
		{ { .caps = CAPS | HWPMC_CAP_INTERRUPT, .event = HWPMC_SOFT_MIGRATIONS },
		  -EOPNOTSUPP },
		{ { .caps = CAPS | HWPMC_CAP_EDGE }, -EOPNOTSUPP },
	};
	struct hwpmc_encoding enc;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ_MSG(test, soft_encode(&cases[i].req, -1, &enc), cases[i].err,
				    "case %u", i);
		KUNIT_EXPECT_NOT_NULL(test, enc.why);
		KUNIT_EXPECT_EQ(test, enc.rows, 0ULL);
	}
}

/* Adds to the task's counts; only the task itself writes them. */
static void soft_add_counts(unsigned int times)
{
	current->nvcsw += times;
	current->nivcsw += 10 * times;
	current->min_flt += 100 * times;
	current->maj_flt += 1000 * times;
	current->se.nr_migrations += 10000 * times;
}

/* In ns: the whole time, at least the time off the CPU, and the off-CPU count at two points. */
struct soft_times {
	u64 all, off, begun, folded;
};

static struct soft_times soft_in_and_fold(struct hwpmc_slot *slots)
{
	struct soft_times t;
	u64 before, out;

	local_irq_disable();
	soft_add_counts(7);
	before = ktime_get_mono_fast_ns();
	hwpmc_soft_class.begin(slots, ALL);
	hwpmc_soft_class.in(slots, ALL);
	t.begun = slots[HWPMC_SOFT_OFF_CPU].sum;
	soft_add_counts(1);
	hwpmc_soft_class.fold(slots, ALL);
	soft_add_counts(2);
	hwpmc_soft_class.fold(slots, ALL & ~BIT_ULL(HWPMC_SOFT_FAULTS));
	t.folded = slots[HWPMC_SOFT_OFF_CPU].sum;
	/* The task is scheduled out meanwhile: only its migrations and the time are counted. */
	out = ktime_get_mono_fast_ns();
	mdelay(1);
	t.off = ktime_get_mono_fast_ns() - out;
	soft_add_counts(5);
	hwpmc_soft_class.in(slots, ALL);
	hwpmc_soft_class.add_off(slots, ALL & hwpmc_soft_class.off_rows);
	hwpmc_soft_class.fold(slots, ALL);
	t.all = ktime_get_mono_fast_ns() - before;
	current->nvcsw -= 15;
	current->nivcsw -= 150;
	current->min_flt -= 1500;
	current->maj_flt -= 15000;
	current->se.nr_migrations -= 150000;
	local_irq_enable();
	return t;
}

static void soft_counts_between_in_and_fold(struct kunit *test)
{
	unsigned int tries = 0;

	/*
	 * This clock may go back by some us when another CPU updates the timekeeper
	 * (kernel/time/timekeeping.c): then the parts are more than the whole. Try again.
	 */
	for (;;) {
		struct hwpmc_slot slots[EVENTS] = {};
		struct soft_times t = soft_in_and_fold(slots);
		u64 parts = slots[HWPMC_SOFT_CLOCK].sum + slots[HWPMC_SOFT_OFF_CPU].sum;

		KUNIT_EXPECT_EQ(test, slots[HWPMC_SOFT_SWITCHES].sum, 33ULL);
		KUNIT_EXPECT_EQ(test, slots[HWPMC_SOFT_FAULTS_MINOR].sum, 300ULL);
		KUNIT_EXPECT_EQ(test, slots[HWPMC_SOFT_FAULTS_MAJOR].sum, 3000ULL);
		KUNIT_EXPECT_EQ(test, slots[HWPMC_SOFT_FAULTS].sum, 1100ULL);
		KUNIT_EXPECT_EQ(test, slots[HWPMC_SOFT_MIGRATIONS].sum, 80000ULL);
		if (parts > t.all && ++tries < 3)
			continue;
		KUNIT_EXPECT_GT(test, slots[HWPMC_SOFT_CLOCK].sum, 0ULL);
		/* Time on the CPU is not off-CPU time. */
		KUNIT_EXPECT_EQ(test, t.folded, t.begun);
		KUNIT_EXPECT_GE(test, slots[HWPMC_SOFT_OFF_CPU].sum - t.folded, t.off);
		KUNIT_EXPECT_LE(test, parts, t.all);
		return;
	}
}

static u64 soft_clock(void)
{
	struct hwpmc_cpu *pc = this_cpu_ptr(&hwpmc_cpus);
	int class = hwpmc_row_class(HWPMC_CLASS_SOFT);

	return pc->sys.slots[hwpmc_class_first[class] + HWPMC_SOFT_CLOCK].sum;
}

/* A CPU's clock counts on while the PMU is off and while other contexts use the CPU. */
static void soft_cpu_clock_never_stops(struct kunit *test)
{
	struct hwpmc_allocate args = {
		.class_id = HWPMC_CLASS_SOFT, .mode = HWPMC_MODE_SC, .event = HWPMC_SOFT_CLOCK,
	};
	struct fixture *fx = test->priv;
	struct hwpmc_cpu *pc;
	struct hwpmc_pmc *pmc;
	u64 before, resumed, after, began, off, passed;

	migrate_disable();
	args.cpu = smp_processor_id();
	KUNIT_EXPECT_EQ(test, 0, fixture_allocate(fx->owners[0], &args, &pmc));
	KUNIT_EXPECT_EQ(test, 0, fixture_start(pmc));
	local_irq_disable();
	pc = this_cpu_ptr(&hwpmc_cpus);
	hwpmc_context_flush(&pc->sys);
	before = soft_clock();
	began = ktime_get_mono_fast_ns();
	hwpmc_idle_enter(pc);
	mdelay(1);
	off = ktime_get_mono_fast_ns() - began;
	hwpmc_idle_exit(pc, false);
	hwpmc_context_flush(&pc->sys);
	resumed = soft_clock();
	mdelay(1);
	/* The shadow differs, as if another context had programmed the row. */
	pc->shadow[pmc->row].tag++;
	hwpmc_context_update(pc, &pc->sys);
	passed = ktime_get_mono_fast_ns() - began;
	hwpmc_context_flush(&pc->sys);
	after = soft_clock();
	local_irq_enable();
	migrate_enable();
	/* mdelay() may be inexact, so compare with the clock only. */
	KUNIT_EXPECT_GT(test, off, 0ULL);
	/* The CPU was in deep idle, and this clock does not stop there. */
	KUNIT_EXPECT_GE(test, resumed - before, off);
	KUNIT_EXPECT_GE(test, after - before, passed);
}

static struct kunit_case soft_cases[] = {
	KUNIT_CASE(soft_row_per_event),
	KUNIT_CASE(soft_bad_requests_refused),
	KUNIT_CASE(soft_counts_between_in_and_fold),
	KUNIT_CASE(soft_cpu_clock_never_stops),
	{}
};

struct kunit_suite hwpmc_soft_suite = {
	.name		= "hwpmc_soft",
	.init		= fixture_init,
	.exit		= fixture_exit,
	.test_cases	= soft_cases,
};
