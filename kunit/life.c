// SPDX-License-Identifier: GPL-2.0-only
/* The end of a task, by when its record is found (kmod/task/life.c, thread.c). */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/task/task.h"
#include "fixture.h"

/**
 * struct life - a record of the task that runs the test, which nobody arms
 * @th: it
 * @link: of @pmc, in it
 * @pmc: tells of its targets' ends, and does not run
 */
struct life {
	struct hwpmc_thread *th;
	struct hwpmc_link *link;
	struct hwpmc_pmc *pmc;
};

static void life_begin(struct kunit *test, struct life *it)
{
	const struct fixture *fx = test->priv;
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_TC, -1);

	args.flags = HWPMC_F_LOG_PROCEXIT;
	KUNIT_ASSERT_EQ(test, 0, fixture_allocate(fx->owners[0], &args, &it->pmc));
	it->th = hwpmc_thread_alloc(GFP_KERNEL);
	it->link = hwpmc_link_alloc(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, it->th);
	KUNIT_ASSERT_NOT_NULL(test, it->link);
}

/* As an attach finds it: @flags are what the task has besides. */
static void life_attach(struct life *it, unsigned int flags)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&hwpmc_link_lock, irq);
	current->flags |= flags;
	hwpmc_thread_insert(it->th, current);
	current->flags &= ~flags;
	it->link->thread = it->th;
	hwpmc_link_add(it->link, it->pmc, &it->th->ctx);
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, irq);
}

/* The task's exit, with the PMC running; whether its value is to be told. */
static bool life_exit(struct life *it)
{
	it->pmc->running = true;
	hwpmc_life_exiting(it->th);
	it->pmc->running = false;
	return it->link->ending;
}

static void life_end(struct life *it)
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

static void life_expect_named(struct kunit *test, const struct life *it)
{
	KUNIT_EXPECT_PTR_EQ(test, task_pid(current), it->th->last_pid);
	KUNIT_EXPECT_PTR_EQ(test, task_tgid(current), it->th->last_tgid);
}

static void life_found_before(struct kunit *test)
{
	struct life it = {};

	life_begin(test, &it);
	life_attach(&it, 0);
	KUNIT_EXPECT_EQ(test, 1U, it.pmc->living);
	KUNIT_EXPECT_PTR_EQ(test, NULL, it.th->last_pid);
	KUNIT_EXPECT_TRUE(test, life_exit(&it));
	life_expect_named(test, &it);
	KUNIT_EXPECT_EQ(test, 0U, it.pmc->living);
	life_end(&it);
}

/* Between PF_EXITING and the probe of exit: it counts as gone, once, and all else is as ever. */
static void life_found_late(struct kunit *test)
{
	struct life it = {};

	life_begin(test, &it);
	life_attach(&it, PF_EXITING);
	KUNIT_EXPECT_EQ(test, 0U, it.pmc->living);
	KUNIT_EXPECT_TRUE(test, life_exit(&it));
	life_expect_named(test, &it);
	KUNIT_EXPECT_EQ(test, 0U, it.pmc->living);
	life_end(&it);
}

/* Behind the probe, which does not come again: its last switches have its name all the same. */
static void life_found_behind(struct kunit *test)
{
	struct life it = {};

	life_begin(test, &it);
	life_attach(&it, PF_EXITING);
	life_expect_named(test, &it);
	life_end(&it);
}

static struct kunit_case life_cases[] = {
	KUNIT_CASE(life_found_before),
	KUNIT_CASE(life_found_late),
	KUNIT_CASE(life_found_behind),
	{}
};

struct kunit_suite hwpmc_life_suite = {
	.name		= "hwpmc_life",
	.init		= fixture_init,
	.exit		= fixture_exit,
	.test_cases	= life_cases,
};
