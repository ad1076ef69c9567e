// SPDX-License-Identifier: GPL-2.0-only
/* The end of a task, by when its record is found (kmod/task/life.c, thread.c). */
#include <linux/pid.h>
#include <linux/sched.h>

#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/task/task.h"
#include "fixture.h"
#include "followed.h"

/* The task's exit, with the PMC running; whether its value is to be told. */
static bool life_exit(struct followed *it)
{
	it->pmc->running = true;
	hwpmc_life_exiting(it->th);
	it->pmc->running = false;
	return it->link->exit_pending;
}

static void life_expect_named(struct kunit *test, const struct followed *it)
{
	KUNIT_EXPECT_PTR_EQ(test, task_pid(current), it->th->last_pid);
	KUNIT_EXPECT_PTR_EQ(test, task_tgid(current), it->th->last_tgid);
}

static void life_found_before(struct kunit *test)
{
	struct followed it = {};

	followed_allocate(test, &it, HWPMC_F_LOG_PROCEXIT);
	followed_attach(&it, 0);
	KUNIT_EXPECT_EQ(test, 1U, it.pmc->living);
	KUNIT_EXPECT_PTR_EQ(test, NULL, it.th->last_pid);
	KUNIT_EXPECT_TRUE(test, life_exit(&it));
	life_expect_named(test, &it);
	KUNIT_EXPECT_EQ(test, 0U, it.pmc->living);
	followed_release(&it);
}

/* Between PF_EXITING and the probe of exit: it counts as gone, once, and all else is as ever. */
static void life_found_late(struct kunit *test)
{
	struct followed it = {};

	followed_allocate(test, &it, HWPMC_F_LOG_PROCEXIT);
	followed_attach(&it, PF_EXITING);
	KUNIT_EXPECT_EQ(test, 0U, it.pmc->living);
	KUNIT_EXPECT_TRUE(test, life_exit(&it));
	life_expect_named(test, &it);
	KUNIT_EXPECT_EQ(test, 0U, it.pmc->living);
	followed_release(&it);
}

/* Behind the probe, which does not come again: its last switches have its name all the same. */
static void life_found_behind(struct kunit *test)
{
	struct followed it = {};

	followed_allocate(test, &it, HWPMC_F_LOG_PROCEXIT);
	followed_attach(&it, PF_EXITING);
	life_expect_named(test, &it);
	followed_release(&it);
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
