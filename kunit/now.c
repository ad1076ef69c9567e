// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_now: the time of samples is the kernel's (kmod/base/now.h). Run by kunit/run.c in
 * KUnit's thread.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/smp.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include "../kmod/base/now.h"
#include "fixture.h"

/* Expects a time between two readings of the kernel's clock on the same CPU. */
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

/* Runs for ten jiffies, because several updates of the kernel's clock must occur meanwhile. */
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

/* Whether the kernel updates the copies, as it does at each tick, whichever clock it uses. */
static bool now_is_updated(void)
{
	unsigned int seq = READ_ONCE(hwpmc_now.seq);
	unsigned long end = jiffies + HZ / 10;

	while (READ_ONCE(hwpmc_now.seq) == seq && time_before(jiffies, end))
		usleep_range(1000, 2000);
	return READ_ONCE(hwpmc_now.seq) != seq;
}

/*
 * While the machine prepares to sleep, the kernel's clock is read. Then the copies are used again.
 */
static void now_across_sleep(struct kunit *test)
{
	bool known = hwpmc_now.copies[0].last != HWPMC_NOW_NEVER;

	KUNIT_EXPECT_TRUE(test, now_is_updated());
	now_sleep(test, PM_SUSPEND_PREPARE);
	KUNIT_EXPECT_EQ(test, hwpmc_now.copies[0].last, HWPMC_NOW_NEVER);
	KUNIT_EXPECT_EQ(test, hwpmc_now.copies[1].last, HWPMC_NOW_NEVER);
	KUNIT_EXPECT_FALSE(test, now_is_updated());
	now_sleep(test, PM_POST_SUSPEND);
	KUNIT_EXPECT_TRUE(test, now_is_updated());
	KUNIT_EXPECT_EQ(test, known, hwpmc_now.copies[0].last != HWPMC_NOW_NEVER);
	/* The kernel may make a second call after a failed preparation. */
	now_sleep(test, PM_POST_SUSPEND);
}

/* A base that no machine's clock has: a time with it was read from the copy */
#define NOW_MARK	BIT_ULL(62)

/* The time that is read if the last update was @ago ticks ago; NOW_MARK if the copy was used. */
static u64 now_read(s64 ago)
{
	unsigned long flags;
	u64 now;

	local_irq_save(flags);
	hwpmc_now_write(&(struct hwpmc_now_base){
		.last = hwpmc_arch_kernel_clock() - ago, .base = NOW_MARK,
	});
	now = hwpmc_now_nmi();
	local_irq_restore(flags);
	return now;
}

/*
 * After a long time without an update, as when all CPUs are idle, the product would be too large.
 * And this CPU's clock may be behind that of the CPU which updated last. In both cases the kernel's
 * clock is read.
 */
static void now_asks_the_kernel(struct kunit *test)
{
	static const s64 used[] = { 0, BIT_ULL(20), BIT_ULL(30) };
	static const s64 asked[] = { BIT_ULL(31), BIT_ULL(32), BIT_ULL(40), -(s64)BIT_ULL(30) };
	unsigned int i;

	hwpmc_now_sleep(NULL, PM_SUSPEND_PREPARE, NULL);
	for (i = 0; i < ARRAY_SIZE(used); i++)
		KUNIT_EXPECT_EQ(test, NOW_MARK, now_read(used[i]));
	for (i = 0; i < ARRAY_SIZE(asked); i++) {
		u64 before = ktime_get_mono_fast_ns(), now = now_read(asked[i]);

		KUNIT_EXPECT_LE(test, before, now);
		KUNIT_EXPECT_LE(test, now, ktime_get_mono_fast_ns());
	}
	hwpmc_now_sleep(NULL, PM_POST_SUSPEND, NULL);
}

/* An update that an NMI interrupted: one copy is half written, and readers use the other one. */
static void now_in_an_update(struct kunit *test)
{
	const struct hwpmc_now_base half = { .last = hwpmc_arch_kernel_clock() };
	unsigned long flags;
	unsigned int i;
	u64 now[2];

	hwpmc_now_sleep(NULL, PM_SUSPEND_PREPARE, NULL);
	for (i = 0; i < 2; i++) {
		local_irq_save(flags);
		now_read(0);
		hwpmc_now.seq += i;
		hwpmc_now.copies[(hwpmc_now.seq & 1) ^ 1] = half;
		now[i] = hwpmc_now_nmi();
		hwpmc_now.seq += i;
		local_irq_restore(flags);
	}
	hwpmc_now_sleep(NULL, PM_POST_SUSPEND, NULL);
	KUNIT_EXPECT_EQ(test, NOW_MARK, now[0]);
	KUNIT_EXPECT_EQ(test, NOW_MARK, now[1]);
}

/* Writes times whose base and fraction are equal, until @end is set. */
struct now_writer {
	struct work_struct work;
	bool begun;
	bool end;
};

static void now_write(struct work_struct *work)
{
	struct now_writer *writer = container_of(work, struct now_writer, work);
	u64 n;

	for (n = 0; !READ_ONCE(writer->end); n++) {
		hwpmc_now_write(&(struct hwpmc_now_base){
			.last = hwpmc_arch_kernel_clock(), .base = n, .fraction = n,
		});
		WRITE_ONCE(writer->begun, true);
		/* Without a pause a slow reading would always find that its copy has changed. */
		ndelay(n % 8 * 1000);
	}
}

/* Another CPU writes all the time: each time is from one update, or from the kernel's clock. */
static void now_is_of_one_update(struct kunit *test)
{
	unsigned int cpu, used = 0, torn = 0;
	struct now_writer writer = {};
	unsigned long end;

	hwpmc_now_sleep(NULL, PM_SUSPEND_PREPARE, NULL);
	INIT_WORK_ONSTACK(&writer.work, now_write);
	cpus_read_lock();
	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	if (cpu < nr_cpu_ids) {
		schedule_work_on(cpu, &writer.work);
		/* A slow host may run the other CPU late. */
		while (!READ_ONCE(writer.begun))
			usleep_range(100, 200);
		end = jiffies + HZ / 2;
		while (time_before(jiffies, end) ||
		       (!used && time_before(jiffies, end + 5 * HZ))) {
			u64 asked = ktime_get_mono_fast_ns(), now = hwpmc_now_nmi();

			if (now >= asked)
				continue;
			used++;
			torn += now & 1;
		}
		WRITE_ONCE(writer.end, true);
		flush_work(&writer.work);
		KUNIT_EXPECT_GT(test, used, 0U);
	}
	migrate_enable();
	cpus_read_unlock();
	destroy_work_on_stack(&writer.work);
	KUNIT_EXPECT_EQ(test, torn, 0U);
	hwpmc_now_sleep(NULL, PM_POST_SUSPEND, NULL);
}

static struct kunit_case now_cases[] = {
	KUNIT_CASE(now_is_the_kernels),
	KUNIT_CASE(now_knows_the_clock),
	KUNIT_CASE(now_across_sleep),
	KUNIT_CASE(now_asks_the_kernel),
	KUNIT_CASE(now_in_an_update),
	KUNIT_CASE(now_is_of_one_update),
	{}
};

struct kunit_suite hwpmc_now_suite = {
	.name		= "hwpmc_now",
	.test_cases	= now_cases,
};
