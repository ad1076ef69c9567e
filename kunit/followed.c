// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches a PMC to the task that runs the test, without hooking the task: see followed.h.
 * Called by suites in KUnit's thread.
 */
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "../kmod/base/user.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/task/task.h"
#include "fixture.h"
#include "followed.h"

void followed_allocate(struct kunit *test, struct followed *it, unsigned int flags)
{
	const struct fixture *fx = test->priv;
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_TC, -1);

	args.flags = flags;
	KUNIT_ASSERT_EQ(test, 0, fixture_allocate(fx->owners[0], &args, &it->pmc));
	it->th = hwpmc_thread_alloc(GFP_KERNEL);
	it->link = hwpmc_link_alloc(GFP_KERNEL);
	if (it->th && it->link)
		return;
	hwpmc_thread_free(it->th);
	hwpmc_link_free(it->link);
	kunit_err(test, "out of memory\n");
	KUNIT_ASSERT_TRUE(test, false);
}

static void followed_lock(struct followed *it, unsigned long *flags)
	__acquires(&it->th->ctx.lock)
	__acquires(&it->pmc->owner->link_lock)
{
	raw_spin_lock_irqsave(&it->th->ctx.lock, *flags);
	raw_spin_lock(&it->pmc->owner->link_lock);
}

static void followed_unlock(struct followed *it, unsigned long *flags)
	__releases(&it->pmc->owner->link_lock)
	__releases(&it->th->ctx.lock)
{
	raw_spin_unlock(&it->pmc->owner->link_lock);
	raw_spin_unlock_irqrestore(&it->th->ctx.lock, *flags);
}

void followed_attach(struct followed *it, unsigned int pf)
{
	unsigned long flags;

	followed_lock(it, &flags);
	current->flags |= pf;
	hwpmc_thread_insert(it->th, current);
	current->flags &= ~pf;
	it->link->thread = it->th;
	hwpmc_user_add(it->pmc->owner, HWPMC_USER_LINKS, 1);
	hwpmc_link_add(it->link, it->pmc, &it->th->ctx);
	followed_unlock(it, &flags);
}

void followed_kill(struct followed *it)
{
	unsigned long flags;

	followed_lock(it, &flags);
	hwpmc_link_kill(it->link);
	followed_unlock(it, &flags);
}

void followed_release(struct followed *it)
{
	unsigned long flags;

	followed_lock(it, &flags);
	hwpmc_link_remove(it->link);
	hwpmc_thread_remove(it->th);
	followed_unlock(it, &flags);
	hwpmc_link_free_later(it->link);
	hwpmc_thread_free_later(it->th);
	fixture_release(it->pmc);
}
