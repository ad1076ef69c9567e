// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_now: the time of samples is the kernel's (kmod/base/now.h). Run by kunit/run.c in
 * KUnit's thread.
 */
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/suspend.h>

#include "../kmod/base/now.h"
#include "fixture.h"

/* Between two readings of the kernel's clock, on the same CPU. */
static void now_check(struct kunit *test)
{
	unsigned long flags;
	u64 before, now, after;

	local_irq_save(flags);
	before = ktime_get_mono_fast_ns();
	now = hwpmc_now_nmi();
	after = ktime_get_mono_fast_ns();
	local_irq_restore(flags);
	KUNIT_ASSERT_LE(test, before, now);
	KUNIT_ASSERT_LE(test, now, after);
}

/* Several updates of the kernel's clock are in between: it is the time that has to pass. */
static void now_is_the_kernels(struct kunit *test)
{
	unsigned long end = jiffies + 10;

	while (time_before(jiffies, end))
		now_check(test);
}

/* The machines of the tests have arm64's counter for a clock; x86 may have another clock. */
static void now_knows_the_clock(struct kunit *test)
{
	if (IS_ENABLED(CONFIG_ARM64))
		KUNIT_EXPECT_NE(test, hwpmc_now.copies[0].last, HWPMC_NOW_NEVER);
}

static void now_sleep(struct kunit *test, unsigned long event)
{
	hwpmc_now_sleep(NULL, event, NULL);
	now_check(test);
}

/* The kernel is asked while the machine prepares to sleep. Afterwards the copies are used again. */
static void now_across_sleep(struct kunit *test)
{
	bool known = hwpmc_now.copies[0].last != HWPMC_NOW_NEVER;

	now_sleep(test, PM_SUSPEND_PREPARE);
	KUNIT_EXPECT_EQ(test, hwpmc_now.copies[0].last, HWPMC_NOW_NEVER);
	KUNIT_EXPECT_EQ(test, hwpmc_now.copies[1].last, HWPMC_NOW_NEVER);
	now_sleep(test, PM_POST_SUSPEND);
	KUNIT_EXPECT_EQ(test, known, hwpmc_now.copies[0].last != HWPMC_NOW_NEVER);
	/* Once more: the kernel may call it so where the preparation failed. */
	now_sleep(test, PM_POST_SUSPEND);
}

static struct kunit_case now_cases[] = {
	KUNIT_CASE(now_is_the_kernels),
	KUNIT_CASE(now_knows_the_clock),
	KUNIT_CASE(now_across_sleep),
	{}
};

struct kunit_suite hwpmc_now_suite = {
	.name		= "hwpmc_now",
	.test_cases	= now_cases,
};
