// SPDX-License-Identifier: GPL-2.0-only
/* An overflow that comes while contexts are changed (kmod/pmc/overflow.c). */
#include <linux/irqflags.h>
#include <linux/percpu.h>

#include "../arch/hwpmc_arch.h"
#include "../kmod/pmc/context.h"
#include "fixture.h"

static u64 changing_acked;

static void changing_ack(u64 rows)
{
	changing_acked |= rows;
}

static const struct hwpmc_class changing_class = { .ack = changing_ack };

/*
 * The rows may be the context's that is being folded: what they counted since
 * would be lost, and the slot's start would be of a counter that is no more.
 */
static void changing_puts_off(struct kunit *test)
{
	struct hwpmc_cpu *pc;
	unsigned long flags;
	bool missed, after;
	u64 acked;

	changing_acked = 0;
	local_irq_save(flags);
	pc = this_cpu_ptr(&hwpmc_cpus);
	hwpmc_changing_begin();
	hwpmc_overflow(&changing_class, BIT_ULL(3), NULL);
	missed = pc->missed;
	acked = changing_acked;
	hwpmc_changing_end();
	after = pc->missed || pc->changing;
	local_irq_restore(flags);

	/* An interrupt that respects closed interrupts does not come here. */
	KUNIT_EXPECT_EQ(test, HWPMC_OVERFLOW_IS_NMI ? 0 : BIT_ULL(3), acked);
	KUNIT_EXPECT_EQ(test, (bool)HWPMC_OVERFLOW_IS_NMI, missed);
	KUNIT_EXPECT_FALSE(test, after);
}

/* Rows that nobody uses are for the class. */
static void changing_over(struct kunit *test)
{
	unsigned long flags;

	changing_acked = 0;
	local_irq_save(flags);
	hwpmc_overflow(&changing_class, BIT_ULL(2), NULL);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, BIT_ULL(2), changing_acked);
}

static struct kunit_case changing_cases[] = {
	KUNIT_CASE(changing_puts_off),
	KUNIT_CASE(changing_over),
	{}
};

struct kunit_suite hwpmc_changing_suite = {
	.name		= "hwpmc_changing",
	.test_cases	= changing_cases,
};
