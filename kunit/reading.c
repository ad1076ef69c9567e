// SPDX-License-Identifier: GPL-2.0-only
/* What a link leaves that goes in the middle of a reading (kmod/pmc/count.c). */
#include <linux/spinlock.h>

#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/task/target.h"
#include "fixture.h"

#define READING_VISIT	77
#define READING_VALUE	1000
#define READING_LINK	5	/* what it counted */
#define READING_GONE	30	/* what others of its target left */

static u64 reading_value;
static struct hwpmc_reading reading;
static struct hwpmc_target reading_target;
static struct hwpmc_pmc reading_pmc;
static struct hwpmc_link reading_link;

static int reading_init(struct kunit *test)
{
	reading_value = READING_VALUE;
	reading = (struct hwpmc_reading){
		.values = &reading_value, .visit = READING_VISIT,
	};
	reading_target = (struct hwpmc_target){ .exited = READING_GONE };
	reading_pmc = (struct hwpmc_pmc){ .exited = READING_GONE, .reading = &reading };
	reading_link = (struct hwpmc_link){ .pmc = &reading_pmc, .target = &reading_target };
	return 0;
}

/* It goes; what the reading has of it is @value more, and @part of its target. */
static void reading_goes(struct kunit *test, u64 value, u64 part)
{
	raw_spin_lock_irq(&hwpmc_link_lock);
	hwpmc_count_exited(&reading_link, READING_LINK);
	raw_spin_unlock_irq(&hwpmc_link_lock);
	KUNIT_EXPECT_EQ(test, READING_VALUE + value, reading_value);
	KUNIT_EXPECT_EQ(test, part, reading_target.seen);
	KUNIT_EXPECT_EQ(test, READING_GONE + READING_LINK, reading_target.exited);
	KUNIT_EXPECT_EQ(test, READING_GONE + READING_LINK, reading_pmc.exited);
}

static void reading_unseen(struct kunit *test)
{
	reading_goes(test, READING_LINK, READING_GONE + READING_LINK);
	KUNIT_EXPECT_EQ(test, READING_VISIT, reading_target.visit);
}

/* Another of the same target went before. */
static void reading_unseen_again(struct kunit *test)
{
	reading_target.visit = READING_VISIT;
	reading_target.seen = 7;
	reading_goes(test, READING_LINK, 7 + READING_LINK);
}

static void reading_seen(struct kunit *test)
{
	reading_link.visit = READING_VISIT;
	reading_goes(test, 0, READING_GONE);
}

/* It comes while the reading is under way, and goes before that is over. */
static void reading_comes(struct kunit *test)
{
	static struct hwpmc_context ctx;
	static struct hwpmc_slot slot;

	INIT_LIST_HEAD(&ctx.links);
	ctx.slots = &slot;
	INIT_LIST_HEAD(&reading_pmc.links);
	INIT_LIST_HEAD(&reading_target.links);
	raw_spin_lock_irq(&hwpmc_link_lock);
	hwpmc_link_add(&reading_link, &reading_pmc, &ctx);
	hwpmc_link_remove(&reading_link);
	raw_spin_unlock_irq(&hwpmc_link_lock);
	reading_goes(test, 0, READING_GONE);
}

/* Its value is asked for by nobody. */
static void reading_none(struct kunit *test)
{
	reading_pmc.reading = NULL;
	reading_goes(test, 0, 0);
}

static struct kunit_case reading_cases[] = {
	KUNIT_CASE(reading_unseen),
	KUNIT_CASE(reading_unseen_again),
	KUNIT_CASE(reading_seen),
	KUNIT_CASE(reading_comes),
	KUNIT_CASE(reading_none),
	{}
};

struct kunit_suite hwpmc_reading_suite = {
	.name		= "hwpmc_reading",
	.init		= reading_init,
	.test_cases	= reading_cases,
};
