// SPDX-License-Identifier: GPL-2.0-only
/* Walks along links, while the lock is let go and links come and go (kmod/pmc/walk.c). */
#include <linux/list.h>
#include <linux/spinlock.h>

#include "../kmod/pmc/context.h"
#include "../kmod/pmc/walk.h"
#include "fixture.h"

#define WALK_LINKS	3

static struct list_head walk_list, walk_links[WALK_LINKS];

static int walk_init(struct kunit *test)
{
	unsigned int i;

	INIT_LIST_HEAD(&walk_list);
	for (i = 0; i < WALK_LINKS; i++)
		list_add_tail(&walk_links[i], &walk_list);
	return 0;
}

/* Which link comes next; WALK_LINKS if none does. */
static unsigned int walk_step(struct hwpmc_walk *walk)
{
	struct list_head *at = hwpmc_walk_next(walk);

	return at ? at - walk_links : WALK_LINKS;
}

/* In a walk that has come to the first @steps links, and has let go of the lock, @links go. */
static unsigned int walk_without(unsigned int steps, unsigned int links)
{
	struct hwpmc_walk walk;
	unsigned int i, found;

	walk_init(NULL);
	hwpmc_walk_begin(&walk, &walk_list);
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

/* Whichever go, it goes on with the first of the rest. */
static void walk_goes(struct kunit *test)
{
	unsigned int steps, links, left;

	for (steps = 0; steps <= WALK_LINKS; steps++) {
		for (links = 0; links < BIT(WALK_LINKS); links++) {
			left = ~links & GENMASK(WALK_LINKS - 1, 0) & ~(BIT(steps) - 1);
			KUNIT_EXPECT_EQ_MSG(test, left ? __ffs(left) : WALK_LINKS,
					    walk_without(steps, links),
					    "%u steps, then links 0x%x went", steps, links);
		}
	}
}

/* What comes at the end is come to, also if the walk had come there. */
static void walk_comes(struct kunit *test)
{
	unsigned int steps, i, found[WALK_LINKS + 1];
	struct hwpmc_walk walk;

	for (steps = 0; steps < WALK_LINKS; steps++) {
		walk_init(test);
		list_del(&walk_links[WALK_LINKS - 1]);
		hwpmc_walk_begin(&walk, &walk_list);
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

/* Every link may be taken out by the walk that came to it. */
static void walk_takes(struct kunit *test)
{
	struct hwpmc_walk walk;
	struct list_head *at;
	unsigned int n = 0;

	hwpmc_walk_begin(&walk, &walk_list);
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
	KUNIT_CASE(walk_goes),
	KUNIT_CASE(walk_comes),
	KUNIT_CASE(walk_takes),
	{}
};

struct kunit_suite hwpmc_walk_suite = {
	.name		= "hwpmc_walk",
	.init		= walk_init,
	.test_cases	= walk_cases,
};
