// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_life: a task's exit, with its thread record inserted before, during and after it
 * (kmod/task/life.c, thread.c). Run by kunit/run.c in KUnit's thread, which is the task.
 */
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/task/task.h"
#include "fixture.h"
#include "followed.h"

/* Runs the exit probe with the PMC running. Return: whether a VALUE record is pending. */
static bool life_exit(struct followed *it)
{
	it->pmc->running = true;
	rcu_read_lock();
	hwpmc_life_exiting(it->th);
	rcu_read_unlock();
	it->pmc->running = false;
	return it->link->exit_pending;
}

static void life_expect_pids_kept(struct kunit *test, const struct followed *it)
{
	KUNIT_EXPECT_PTR_EQ(test, task_pid(current), it->th->last_pid);
	KUNIT_EXPECT_PTR_EQ(test, task_tgid(current), it->th->last_tgid);
}

static void life_attached_before_exit(struct kunit *test)
{
	struct followed it = {};

	followed_allocate(test, &it, HWPMC_F_LOG_PROCEXIT);
	followed_attach(&it, 0);
	KUNIT_EXPECT_EQ(test, 1U, it.pmc->living);
	KUNIT_EXPECT_PTR_EQ(test, NULL, it.th->last_pid);
	KUNIT_EXPECT_TRUE(test, life_exit(&it));
	life_expect_pids_kept(test, &it);
	KUNIT_EXPECT_EQ(test, 0U, it.pmc->living);
	followed_release(&it);
}

/* Attached between PF_EXITING and the exit probe: not counted as living; exit is logged once. */
static void life_attached_while_exiting(struct kunit *test)
{
	struct followed it = {};

	followed_allocate(test, &it, HWPMC_F_LOG_PROCEXIT);
	followed_attach(&it, PF_EXITING);
	KUNIT_EXPECT_EQ(test, 0U, it.pmc->living);
	KUNIT_EXPECT_TRUE(test, life_exit(&it));
	life_expect_pids_kept(test, &it);
	KUNIT_EXPECT_EQ(test, 0U, it.pmc->living);
	followed_release(&it);
}

/* Attached after the exit probe, which runs once: pids are kept for the last switches. */
static void life_attached_after_exit_probe(struct kunit *test)
{
	struct followed it = {};

	followed_allocate(test, &it, HWPMC_F_LOG_PROCEXIT);
	followed_attach(&it, PF_EXITING);
	life_expect_pids_kept(test, &it);
	followed_release(&it);
}

static struct kunit_case life_cases[] = {
	KUNIT_CASE(life_attached_before_exit),
	KUNIT_CASE(life_attached_while_exiting),
	KUNIT_CASE(life_attached_after_exit_probe),
	{}
};

struct kunit_suite hwpmc_life_suite = {
	.name		= "hwpmc_life",
	.init		= fixture_init,
	.exit		= fixture_exit,
	.test_cases	= life_cases,
};
