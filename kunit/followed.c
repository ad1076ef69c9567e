// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches a PMC to the task that runs the test, without hooking the task: see followed.h.
 * Called by suites in KUnit's thread.
 */
#include <linux/sched.h>
#include <linux/spinlock.h>

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

void followed_attach(struct followed *it, unsigned int pf)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	current->flags |= pf;
	hwpmc_thread_insert(it->th, current);
	current->flags &= ~pf;
	it->link->thread = it->th;
	hwpmc_link_add(it->link, it->pmc, &it->th->ctx);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

void followed_kill(struct followed *it)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	hwpmc_link_kill(it->link);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

void followed_release(struct followed *it)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	hwpmc_link_remove(it->link);
	hwpmc_thread_remove(it->th);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
	hwpmc_link_free(it->link);
	hwpmc_thread_free_later(it->th);
	fixture_release(it->pmc);
}
