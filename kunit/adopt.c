// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_adopt: the probe of fork links what an attach in progress leaves to it
 * (kmod/task/adopt.c, life.c). Run by kunit/run.c in KUnit's thread. The target is kthreadd, which
 * no PMC follows: it creates the kernel threads of the tests.
 */
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>

#include "../kmod/base/owner.h"
#include "../kmod/base/rights.h"
#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"
#include "../kmod/task/adopt.h"
#include "../kmod/task/descent.h"
#include "../kmod/task/target.h"
#include "../kmod/task/task.h"
#include "fixture.h"

/**
 * struct adopt_case - an attach of a PMC to kthreadd that is in progress
 * @pmc: follows nobody yet
 * @creator: kthreadd
 * @descent: its descendants
 * @adoption: the adoption of the attach
 * @waiting: links of the last child that do not count before it executes a program
 */
static struct adopt_case {
	struct hwpmc_pmc *pmc;
	struct task_struct *creator;
	struct hwpmc_descent descent;
	struct hwpmc_adoption adoption;
	unsigned int waiting;
} adopt;

static struct hwpmc_target *adopt_target(struct hwpmc_pmc *pmc, struct task_struct *task)
{
	struct hwpmc_target *target;

	mutex_lock(&pmc->owner->lock);
	target = hwpmc_target_add(pmc, task_pid(task), false);
	if (target)
		hwpmc_rights_take(&target->rights, current_cred());
	mutex_unlock(&pmc->owner->lock);
	return target;
}

static int adopt_init(struct kunit *test)
{
	struct hwpmc_allocate args = FIXTURE_MOCK(HWPMC_MODE_TC, -1);
	int err = fixture_init(test);
	struct fixture *fx = test->priv;

	if (err)
		return err;
	adopt = (struct adopt_case){};
	args.flags = HWPMC_F_DESCENDANTS;
	err = fixture_allocate(fx->owners[0], &args, &adopt.pmc);
	if (err)
		return err;
	rcu_read_lock();
	adopt.creator = get_task_struct(rcu_dereference(current->real_parent));
	rcu_read_unlock();
	adopt.adoption.link.owner = fx->owners[0];
	adopt.adoption.link.pmc = adopt.pmc;
	adopt.adoption.link.target = adopt_target(adopt.pmc, adopt.creator);
	adopt.adoption.process = adopt.creator->signal;
	return adopt.adoption.link.target ? hwpmc_descent_take(&adopt.descent, adopt.creator) :
					    -ENOMEM;
}

static void adopt_exit(struct kunit *test)
{
	if (adopt.creator) {
		mutex_lock(&adopt.pmc->owner->lock);
		hwpmc_target_detach_all(adopt.pmc);
		mutex_unlock(&adopt.pmc->owner->lock);
		hwpmc_descent_drop(&adopt.descent);
		put_task_struct(adopt.creator);
	}
	fixture_exit(test);
}

static int adopt_sleep(void *unused)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* Makes kthreadd create a thread. Return: the number of links that the PMC has with it. */
static unsigned int adopt_fork(struct kunit *test)
{
	struct task_struct *task = kthread_run(adopt_sleep, NULL, "hwpmc-adopted");
	unsigned int links = READ_ONCE(adopt.pmc->link_count), found = 0;
	struct hwpmc_link *link;
	struct hwpmc_thread *th;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	adopt.waiting = 0;
	rcu_read_lock();
	th = hwpmc_thread_find(task);
	if (th)
		list_for_each_entry_rcu(link, &th->ctx.links, in_ctx) {
			found += link->pmc == adopt.pmc;
			adopt.waiting += link->pmc == adopt.pmc && READ_ONCE(link->awaits_exec);
		}
	rcu_read_unlock();
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, links, found);
	return found;
}

static void adopt_links_child_of_unlinked_creator(struct kunit *test)
{
	adopt.adoption.descent = &adopt.descent;
	KUNIT_EXPECT_EQ(test, 0U, adopt_fork(test));
	hwpmc_adopt_begin(&adopt.adoption);
	KUNIT_EXPECT_EQ(test, 1U, adopt_fork(test));
	hwpmc_adopt_end(&adopt.adoption);
}

/* After the attach, children inherit from the links that it made; none is adopted. */
static void adopt_ends(struct kunit *test)
{
	adopt.adoption.descent = &adopt.descent;
	hwpmc_adopt_begin(&adopt.adoption);
	hwpmc_adopt_end(&adopt.adoption);
	KUNIT_EXPECT_EQ(test, 0U, adopt_fork(test));
}

/* The child is a new process: without DESCENDANTS the PMC does not follow it. */
static void adopt_leaves_out_processes(struct kunit *test)
{
	hwpmc_adopt_begin(&adopt.adoption);
	KUNIT_EXPECT_EQ(test, 0U, adopt_fork(test));
	hwpmc_adopt_end(&adopt.adoption);
}

/* The creator descends from another process. */
static void adopt_leaves_out_others(struct kunit *test)
{
	struct hwpmc_descent descent = {};

	KUNIT_ASSERT_EQ(test, 0, hwpmc_descent_take(&descent, current));
	adopt.adoption.process = current->signal;
	adopt.adoption.descent = &descent;
	hwpmc_adopt_begin(&adopt.adoption);
	KUNIT_EXPECT_EQ(test, 0U, adopt_fork(test));
	hwpmc_adopt_end(&adopt.adoption);
	hwpmc_descent_drop(&descent);
}

static void adopt_leaves_out_what_may_not_be_followed(struct kunit *test)
{
	struct hwpmc_rights *rights = &adopt.adoption.link.target->rights;
	const struct user_namespace *ns = rights->ptrace_ns;

	adopt.adoption.descent = &adopt.descent;
	/* A kernel thread is not dumpable. */
	rights->ptrace_ns = NULL;
	hwpmc_adopt_begin(&adopt.adoption);
	KUNIT_EXPECT_EQ(test, 0U, adopt_fork(test));
	hwpmc_adopt_end(&adopt.adoption);
	rights->ptrace_ns = ns;
}

/* Two adoptions, as if the creator had also been linked meanwhile: the child gets one link. */
static void adopt_links_once(struct kunit *test)
{
	struct hwpmc_adoption again;

	adopt.adoption.descent = &adopt.descent;
	again = adopt.adoption;
	hwpmc_adopt_begin(&adopt.adoption);
	hwpmc_adopt_begin(&again);
	KUNIT_EXPECT_EQ(test, 1U, adopt_fork(test));
	hwpmc_adopt_end(&again);
	hwpmc_adopt_end(&adopt.adoption);
}

/* As if an early pass of the attach had linked the creator, which then executed a program. */
static void adopt_counts_if_creator_executed(struct kunit *test)
{
	struct hwpmc_adoption again;
	unsigned int order;

	adopt.adoption.descent = &adopt.descent;
	again = adopt.adoption;
	for (order = 0; order < 2; order++) {
		adopt.adoption.link.awaits_exec = !order;
		again.link.awaits_exec = order;
		hwpmc_adopt_begin(&adopt.adoption);
		hwpmc_adopt_begin(&again);
		KUNIT_EXPECT_EQ(test, 1U, adopt_fork(test));
		KUNIT_EXPECT_EQ(test, 0U, adopt.waiting);
		hwpmc_adopt_end(&again);
		hwpmc_adopt_end(&adopt.adoption);
	}
}

static void adopt_knows_newer_tasks(struct kunit *test)
{
	struct task_struct *task;

	hwpmc_adopt_begin(&adopt.adoption);
	task = kthread_run(adopt_sleep, NULL, "hwpmc-newer");
	hwpmc_adopt_end(&adopt.adoption);
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_TRUE(test, hwpmc_adopt_is_newer(&adopt.adoption, task));
	KUNIT_EXPECT_FALSE(test, hwpmc_adopt_is_newer(&adopt.adoption, current));
	KUNIT_EXPECT_FALSE(test, hwpmc_adopt_is_newer(&adopt.adoption, adopt.creator));
	kthread_stop(task);
}

static struct kunit_case adopt_cases[] = {
	KUNIT_CASE(adopt_links_child_of_unlinked_creator),
	KUNIT_CASE(adopt_ends),
	KUNIT_CASE(adopt_leaves_out_processes),
	KUNIT_CASE(adopt_leaves_out_others),
	KUNIT_CASE(adopt_leaves_out_what_may_not_be_followed),
	KUNIT_CASE(adopt_links_once),
	KUNIT_CASE(adopt_counts_if_creator_executed),
	KUNIT_CASE(adopt_knows_newer_tasks),
	{}
};

struct kunit_suite hwpmc_adopt_suite = {
	.name		= "hwpmc_adopt",
	.init		= adopt_init,
	.exit		= adopt_exit,
	.test_cases	= adopt_cases,
};
