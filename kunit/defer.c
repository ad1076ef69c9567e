// SPDX-License-Identifier: GPL-2.0-only
/* An overflow that comes while it is deferred (kmod/pmc/overflow.c). */
#include <linux/irqflags.h>
#include <linux/percpu.h>

#include "../arch/hwpmc_arch.h"
#include "../kmod/pmc/context.h"
#include "fixture.h"

static u64 defer_acked;

static void defer_ack(u64 rows)
{
	defer_acked |= rows;
}

static const struct hwpmc_class defer_class = { .ack = defer_ack };

/*
 * The rows may be the context's that is being folded: what they counted since
 * would be lost, and the slot's start would be of a counter that is no more.
 */
static void defer_puts_off(struct kunit *test)
{
	unsigned long flags;
	bool pending, after;
	u64 acked;

	defer_acked = 0;
	local_irq_save(flags);
	hwpmc_defer_begin();
	hwpmc_overflow(&defer_class, BIT_ULL(3), NULL);
	pending = this_cpu_read(hwpmc_defer.overflow_pending);
	acked = defer_acked;
	hwpmc_defer_end();
	after = this_cpu_read(hwpmc_defer.overflow_pending) || this_cpu_read(hwpmc_defer.depth);
	local_irq_restore(flags);

	/* An interrupt that respects closed interrupts does not come here. */
	KUNIT_EXPECT_EQ(test, HWPMC_OVERFLOW_IS_NMI ? 0 : BIT_ULL(3), acked);
	KUNIT_EXPECT_EQ(test, (bool)HWPMC_OVERFLOW_IS_NMI, pending);
	KUNIT_EXPECT_FALSE(test, after);
}

/* Rows that nobody uses are for the class. */
static void defer_over(struct kunit *test)
{
	unsigned long flags;

	defer_acked = 0;
	local_irq_save(flags);
	hwpmc_overflow(&defer_class, BIT_ULL(2), NULL);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, BIT_ULL(2), defer_acked);
}

static struct kunit_case defer_cases[] = {
	KUNIT_CASE(defer_puts_off),
	KUNIT_CASE(defer_over),
	{}
};

struct kunit_suite hwpmc_defer_suite = {
	.name		= "hwpmc_defer",
	.test_cases	= defer_cases,
};
