// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_limits: links that a DETACH or an exec has marked dead do not count for the limits
 * of a user (kmod/task/thread.c, kmod/pmc/link.c). Run by kunit/run.c in KUnit's thread.
 */
#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../arch/hwpmc_arch.h"
#include "../kmod/base/owner.h"
#include "../kmod/base/user.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/task/task.h"
#include "fixture.h"
#include "followed.h"

/* The defaults of max_followers and max_recorders. */
#define LIMITS_FOLLOWERS	64
#define LIMITS_RECORDERS	8

/* The parameter whose limit refuses one more PMC; there are @count links, the last one @dead. */
static const char *limits_of(struct kunit *test, unsigned int count, u32 flags, bool dead)
{
	const struct fixture *fx = test->priv;
	struct hwpmc_pmc pmc = {
		.class = &hwpmc_soft_class, .owner = fx->owners[0], .flags = flags,
	};
	struct hwpmc_thread *th = hwpmc_thread_alloc(GFP_KERNEL);
	struct hwpmc_link *links;
	unsigned long irq;
	const char *limit;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, th);
	links = kunit_kcalloc(test, count, sizeof(*links), GFP_KERNEL);
	for (i = 0; links && i < count; i++) {
		links[i].pmc = &pmc;
		links[i].dead = dead && i + 1 == count;
		list_add_tail(&links[i].in_ctx, &th->ctx.links);
	}
	raw_spin_lock_irqsave(&th->ctx.lock, irq);
	limit = hwpmc_thread_limit(th, &pmc);
	raw_spin_unlock_irqrestore(&th->ctx.lock, irq);
	hwpmc_thread_free(th);
	KUNIT_ASSERT_NOT_NULL(test, links);
	return limit;
}

static void limits_of_followers(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, limits_of(test, LIMITS_FOLLOWERS - 1, 0, false));
	KUNIT_EXPECT_STREQ(test, "max_followers", limits_of(test, LIMITS_FOLLOWERS, 0, false));
	KUNIT_EXPECT_NULL(test, limits_of(test, LIMITS_FOLLOWERS, 0, true));
}

static void limits_of_recorders(struct kunit *test)
{
	const u32 flags = HWPMC_F_LOG_PROCCSW;

	KUNIT_EXPECT_NULL(test, limits_of(test, LIMITS_RECORDERS - 1, flags, false));
	KUNIT_EXPECT_STREQ(test, "max_recorders", limits_of(test, LIMITS_RECORDERS, flags, false));
	KUNIT_EXPECT_NULL(test, limits_of(test, LIMITS_RECORDERS, flags, true));
}

static long limits_links(const struct fixture *fx)
{
	return atomic_long_read(&fx->owners[0]->user->counts[HWPMC_USER_LINKS]);
}

/* A link counts for its user until it is marked, once. */
static void limits_of_links(struct kunit *test)
{
	const struct fixture *fx = test->priv;
	struct followed it = {};
	long before = limits_links(fx);

	followed_allocate(test, &it, 0);
	followed_attach(&it, 0);
	KUNIT_EXPECT_EQ(test, before + 1, limits_links(fx));
	followed_kill(&it);
	KUNIT_EXPECT_EQ(test, before, limits_links(fx));
	followed_kill(&it);
	KUNIT_EXPECT_EQ(test, before, limits_links(fx));
	followed_release(&it);
	KUNIT_EXPECT_EQ(test, before, limits_links(fx));
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(limits_of_followers),
	KUNIT_CASE(limits_of_recorders),
	KUNIT_CASE(limits_of_links),
	{}
};

struct kunit_suite hwpmc_limits_suite = {
	.name		= "hwpmc_limits",
	.init		= fixture_init,
	.exit		= fixture_exit,
	.test_cases	= limits_cases,
};
