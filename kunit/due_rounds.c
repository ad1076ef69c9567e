// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_due_rounds: rows overflow again while their deferred overflow is handled; each round
 * of hwpmc_defer_run() lets those rows overflow later (kmod/pmc/period.c). Run by kunit/run.c in
 * KUnit's thread.
 */
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/percpu.h>

#include "../kmod/base/defer.h"
#include "../kmod/pmc/context.h"
#include "due.h"
#include "fixture.h"

/*
 * The row overflows again in each round, whenever it is set to fewer events than occur in a round.
 * The rounds end, and the samples represent all events.
 */
static void due_rounds_end(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	struct hwpmc_thread *before;
	struct hwpmc_cpu *pc;
	unsigned long flags;
	unsigned int rounds;

	due_run(it, DUE_SCHED_IN, DUE_PERIOD, 0);
	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	before = pc->thread;
	pc->thread = &it->thread;
	due_aims = 0;
	due_round_events = 50 * DUE_PERIOD;
	due_begin_window(U64_MAX);
	hwpmc_defer_run();
	due_end_window();
	due_round_events = 0;
	pc->thread = before;
	rounds = this_cpu_read(hwpmc_defer.rounds);
	local_irq_restore(flags);
	due_read(it);
	/* Rounds 1 to 7 set the row to 2^11 to 2^17 events; 2^17 is more than 50 periods. */
	KUNIT_EXPECT_EQ(test, 8, due_aims);
	KUNIT_EXPECT_EQ(test, it->link.slot->sum + BIT_ULL(17), due_overflow_at);
	KUNIT_EXPECT_EQ(test, 8, it->samples);
	KUNIT_EXPECT_EQ(test, 0, rounds);
	KUNIT_EXPECT_EQ(test, it->link.due - DUE_PERIOD, it->represented);
}

/* A row whose sample is not due overflows when it is due, whatever the round. */
static void due_rounds_of_another_row(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);

	due_run(it, DUE_SCHED_IN, 0, 0);
	due_round = 5;
	due_run(it, DUE_FLUSH, DUE_PERIOD - 1, 0);
	KUNIT_EXPECT_EQ(test, 0, it->samples);
	KUNIT_EXPECT_EQ(test, DUE_PERIOD, due_overflow_at);
}

/* A row that overflows later is not set earlier in rounds of other rows, but in the next run. */
static void due_rounds_keep_later(struct kunit *test)
{
	struct due_case *it = due_begin(test, 0, DUE_PERIOD);
	u64 later = DUE_PERIOD + BIT_ULL(15);

	due_run(it, DUE_SCHED_IN, 0, 0);
	due_round = 5;
	due_run(it, DUE_FLUSH, DUE_PERIOD, 0);
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	KUNIT_EXPECT_EQ(test, later, due_overflow_at);
	due_round = 6;
	due_run(it, DUE_FLUSH, 1, 0);
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	KUNIT_EXPECT_EQ(test, later, due_overflow_at);
	due_round = 0;
	due_run(it, DUE_FLUSH, 1, 0);
	KUNIT_EXPECT_EQ(test, 2 * DUE_PERIOD, due_overflow_at);
}

/* With a frequency the next period may be over already when the sample is taken. */
static void due_rounds_of_shorter_period(struct kunit *test)
{
	struct due_case *it = due_begin(test, HWPMC_F_FREQUENCY, 1000);
	u64 first = it->link.due, counted = 2 * first - 1;

	due_run(it, DUE_SCHED_IN, 0, 0);
	it->link.since = ktime_get_mono_fast_ns() - 10 * NSEC_PER_SEC;
	due_round = 8;
	due_run(it, DUE_FLUSH, counted, 0);
	KUNIT_EXPECT_EQ(test, 1, it->samples);
	KUNIT_EXPECT_LT(test, it->link.due, counted);
	KUNIT_EXPECT_EQ(test, counted + BIT_ULL(18), due_overflow_at);
}

static struct kunit_case due_rounds_cases[] = {
	KUNIT_CASE(due_rounds_end),
	KUNIT_CASE(due_rounds_of_another_row),
	KUNIT_CASE(due_rounds_keep_later),
	KUNIT_CASE(due_rounds_of_shorter_period),
	{}
};

struct kunit_suite hwpmc_due_rounds_suite = {
	.name		= "hwpmc_due_rounds",
	.init		= fixture_init,
	.exit		= due_exit,
	.test_cases	= due_rounds_cases,
};
