// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_walk: a walk along a list of links that changes while the walk has released the
 * lock (kmod/pmc/walk.c). Run by kunit/run.c in KUnit's thread.
 */
#include <linux/list.h>
#include <linux/spinlock.h>

#include "../kmod/base/owner.h"
#include "../kmod/pmc/walk.h"
#include "fixture.h"

#define WALK_LINKS	3

static struct hwpmc_owner walk_owner;
static struct list_head walk_list, walk_links[WALK_LINKS];

static int walk_init(struct kunit *test)
{
	unsigned int i;

	raw_spin_lock_init(&walk_owner.link_lock);
	INIT_LIST_HEAD(&walk_list);
	for (i = 0; i < WALK_LINKS; i++)
		list_add_tail(&walk_links[i], &walk_list);
	return 0;
}

/* The index of the next link; WALK_LINKS at the end. */
static unsigned int walk_step(struct hwpmc_walk *walk)
{
	struct list_head *at = hwpmc_walk_next(walk);

	return at ? at - walk_links : WALK_LINKS;
}

/* Visits @steps links, removes @links while the lock is released, and returns the next link. */
static unsigned int walk_next_after_removal(unsigned int steps, unsigned int links)
{
	struct hwpmc_walk walk;
	unsigned int i, found;

	walk_init(NULL);
	hwpmc_walk_begin(&walk, &walk_owner, &walk_list);
	for (i = 0; i < steps; i++)
		walk_step(&walk);
	hwpmc_walk_unlock(&walk);
	for (i = 0; i < WALK_LINKS; i++)
		if (links & BIT(i))
			list_del(&walk_links[i]);
	hwpmc_walk_relock(&walk);
	found = walk_step(&walk);
	hwpmc_walk_end(&walk);
	return found;
}

/* Whichever links are removed, the walk continues with the first unvisited one that remains. */
static void walk_continues_after_removals(struct kunit *test)
{
	unsigned int steps, links, left;

	for (steps = 0; steps <= WALK_LINKS; steps++) {
		for (links = 0; links < BIT(WALK_LINKS); links++) {
			left = ~links & GENMASK(WALK_LINKS - 1, 0) & ~(BIT(steps) - 1);
			KUNIT_EXPECT_EQ_MSG(test, left ? __ffs(left) : WALK_LINKS,
					    walk_next_after_removal(steps, links),
					    "%u steps, then links 0x%x removed", steps, links);
		}
	}
}

/* A link added at the end of the list is visited, even if the walk had reached the end. */
static void walk_visits_added_link(struct kunit *test)
{
	unsigned int steps, i, found[WALK_LINKS + 1];
	struct hwpmc_walk walk;

	for (steps = 0; steps < WALK_LINKS; steps++) {
		walk_init(test);
		list_del(&walk_links[WALK_LINKS - 1]);
		hwpmc_walk_begin(&walk, &walk_owner, &walk_list);
		for (i = 0; i < steps; i++)
			found[i] = walk_step(&walk);
		hwpmc_walk_unlock(&walk);
		list_add_tail(&walk_links[WALK_LINKS - 1], &walk_list);
		hwpmc_walk_relock(&walk);
		for (; i <= WALK_LINKS; i++)
			found[i] = walk_step(&walk);
		hwpmc_walk_end(&walk);
		for (i = 0; i <= WALK_LINKS; i++)
			KUNIT_EXPECT_EQ(test, i, found[i]);
	}
}

/* The caller of the walk may remove each link that it visits. */
static void walk_removes_each_link(struct kunit *test)
{
	struct hwpmc_walk walk;
	struct list_head *at;
	unsigned int n = 0;

	hwpmc_walk_begin(&walk, &walk_owner, &walk_list);
	while ((at = hwpmc_walk_next(&walk))) {
		list_del(at);
		n++;
		hwpmc_walk_spend(&walk, HWPMC_WALK_STEPS);
	}
	hwpmc_walk_end(&walk);
	KUNIT_EXPECT_EQ(test, WALK_LINKS, n);
	KUNIT_EXPECT_TRUE(test, list_empty(&walk_list));
}

static struct kunit_case walk_cases[] = {
	KUNIT_CASE(walk_continues_after_removals),
	KUNIT_CASE(walk_visits_added_link),
	KUNIT_CASE(walk_removes_each_link),
	{}
};

struct kunit_suite hwpmc_walk_suite = {
	.name		= "hwpmc_walk",
	.init		= walk_init,
	.test_cases	= walk_cases,
};
