// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_reading: a link that is removed while its PMC is being read is counted exactly
 * once (hwpmc_count_exited() in kmod/pmc/count.c). Run by kunit/run.c in KUnit's thread.
 */
#include <linux/spinlock.h>

#include "../kmod/base/owner.h"
#include "../kmod/base/user.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/task/target.h"
#include "fixture.h"

#define READING_VISIT	77
#define READING_VALUE	1000
#define READING_LINK	5	/* events of the link */
#define READING_EXITED	30	/* events of earlier links of its target */

static struct hwpmc_owner reading_owner;
static u64 reading_value;
static struct hwpmc_reading reading;
static struct hwpmc_target reading_target;
static struct hwpmc_user reading_user;
static struct hwpmc_owner reading_owner = { .user = &reading_user };
static struct hwpmc_pmc reading_pmc;
static struct hwpmc_link reading_link;

static int reading_init(struct kunit *test)
{
	raw_spin_lock_init(&reading_owner.link_lock);
	reading_value = READING_VALUE;
	reading = (struct hwpmc_reading){
		.values = &reading_value, .visit = READING_VISIT,
	};
	reading_target = (struct hwpmc_target){ .exited = READING_EXITED };
	reading_pmc = (struct hwpmc_pmc){
		.owner = &reading_owner, .exited = READING_EXITED, .reading = &reading,
	};
	reading_link = (struct hwpmc_link){ .pmc = &reading_pmc, .target = &reading_target };
	return 0;
}

/* Removes the link; the reading then has @value more, and @part for its target. */
static void reading_remove(struct kunit *test, u64 value, u64 part)
{
	raw_spin_lock_irq(&reading_owner.link_lock);
	hwpmc_count_exited(&reading_link, READING_LINK);
	raw_spin_unlock_irq(&reading_owner.link_lock);
	KUNIT_EXPECT_EQ(test, READING_VALUE + value, reading_value);
	KUNIT_EXPECT_EQ(test, part, reading_target.seen);
	KUNIT_EXPECT_EQ(test, READING_EXITED + READING_LINK, reading_target.exited);
	KUNIT_EXPECT_EQ(test, READING_EXITED + READING_LINK, reading_pmc.exited);
}

static void reading_adds_unvisited_link(struct kunit *test)
{
	reading_remove(test, READING_LINK, READING_EXITED + READING_LINK);
	KUNIT_EXPECT_EQ(test, READING_VISIT, reading_target.visit);
}

/* The reading already has a removed link of the same target. */
static void reading_adds_second_link_of_target(struct kunit *test)
{
	reading_target.visit = READING_VISIT;
	reading_target.seen = 7;
	reading_remove(test, READING_LINK, 7 + READING_LINK);
}

static void reading_skips_visited_link(struct kunit *test)
{
	reading_link.visit = READING_VISIT;
	reading_remove(test, 0, READING_EXITED);
}

/* A link added during the reading and removed before its end is left out. */
static void reading_skips_new_link(struct kunit *test)
{
	static struct hwpmc_context ctx;
	static struct hwpmc_slot slot;

	raw_spin_lock_init(&ctx.lock);
	INIT_LIST_HEAD(&ctx.links);
	ctx.slots = &slot;
	INIT_LIST_HEAD(&reading_pmc.links);
	INIT_LIST_HEAD(&reading_target.links);
	raw_spin_lock_irq(&ctx.lock);
	raw_spin_lock(&reading_owner.link_lock);
	hwpmc_link_add(&reading_link, &reading_pmc, &ctx);
	hwpmc_link_remove(&reading_link);
	raw_spin_unlock(&reading_owner.link_lock);
	raw_spin_unlock_irq(&ctx.lock);
	reading_remove(test, 0, READING_EXITED);
}

/* No reading is in progress: only the totals of exited links change. */
static void reading_absent(struct kunit *test)
{
	reading_pmc.reading = NULL;
	reading_remove(test, 0, 0);
}

static struct kunit_case reading_cases[] = {
	KUNIT_CASE(reading_adds_unvisited_link),
	KUNIT_CASE(reading_adds_second_link_of_target),
	KUNIT_CASE(reading_skips_visited_link),
	KUNIT_CASE(reading_skips_new_link),
	KUNIT_CASE(reading_absent),
	{}
};

struct kunit_suite hwpmc_reading_suite = {
	.name		= "hwpmc_reading",
	.init		= reading_init,
	.test_cases	= reading_cases,
};
