// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_defer: an overflow interrupt between hwpmc_defer_begin() and hwpmc_defer_end()
 * (kmod/pmc/overflow.c, kmod/base/defer.c). Run by kunit/run.c in KUnit's thread.
 */
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
 * An NMI is deferred: the rows may belong to the context that is being folded. To acknowledge
 * them would lose what they counted since, and leave a slot whose start is no longer valid.
 */
static void defer_nmi_overflow_deferred(struct kunit *test)
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

	/* An overflow that is no NMI cannot arrive with interrupts off, so it is not deferred. */
	KUNIT_EXPECT_EQ(test, HWPMC_OVERFLOW_IS_NMI ? 0 : BIT_ULL(3), acked);
	KUNIT_EXPECT_EQ(test, (bool)HWPMC_OVERFLOW_IS_NMI, pending);
	KUNIT_EXPECT_FALSE(test, after);
}

/* The flags of rows that no context uses are cleared by the class. */
static void defer_unused_rows_acked(struct kunit *test)
{
	unsigned long flags;

	defer_acked = 0;
	local_irq_save(flags);
	hwpmc_overflow(&defer_class, BIT_ULL(2), NULL);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, BIT_ULL(2), defer_acked);
}

static struct kunit_case defer_cases[] = {
	KUNIT_CASE(defer_nmi_overflow_deferred),
	KUNIT_CASE(defer_unused_rows_acked),
	{}
};

struct kunit_suite hwpmc_defer_suite = {
	.name		= "hwpmc_defer",
	.test_cases	= defer_cases,
};
