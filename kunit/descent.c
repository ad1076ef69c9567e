// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite hwpmc_descent: a walk of processes that loses its place (kmod/task/descent.c). Run by
 * kunit/run.c in KUnit's thread. The processes are not in the kernel's lists.
 */
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/signal.h>
#include <linux/slab.h>

#include "../kmod/task/descent.h"
#include "fixture.h"

/* Steps after which a walk drops RCU, at least. */
#define DESCENT_STEPS	1000

/* A living process with one thread, and with too many references to be freed by a put. */
static struct task_struct *descent_process(struct kunit *test)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, task);
	refcount_set(&task->usage, DESCENT_STEPS);
	task->exit_signal = SIGCHLD;
	task->thread_pid = task_pid(current);
	task->signal = kunit_kzalloc(test, sizeof(*task->signal), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, task->signal);
	RCU_INIT_POINTER(task->real_parent, current);
	return task;
}

/* Visits @task until RCU is dropped. Return: whether the walk can continue from it. */
static bool descent_continues(struct task_struct *task)
{
	unsigned int steps = 0, i;
	bool listed = true;

	rcu_read_lock();
	for (i = 0; listed && i < DESCENT_STEPS; i++)
		listed = hwpmc_descent_resched(&steps, task, true);
	rcu_read_unlock();
	return listed;
}

static void descent_walk_continues_from_leader(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, descent_continues(descent_process(test)));
}

/* Another thread of the process executed a program, and is now the leader in the list. */
static void descent_walk_ends_at_replaced_leader(struct kunit *test)
{
	struct task_struct *task = descent_process(test);

	task->exit_signal = -1;
	KUNIT_EXPECT_TRUE(test, pid_alive(task));
	KUNIT_EXPECT_FALSE(test, descent_continues(task));
}

static void descent_walk_ends_at_dead_leader(struct kunit *test)
{
	struct task_struct *task = descent_process(test);

	task->thread_pid = NULL;
	KUNIT_EXPECT_FALSE(test, descent_continues(task));
}

/* A table with room is walked again, and has each process once. A full one would count it twice. */
static void descent_full_table_is_not_walked_again(struct kunit *test)
{
	struct hwpmc_descent descent = { .room = 4 };
	struct task_struct *tasks[3];
	unsigned int i, turn;

	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = descent_process(test);
	descent.entries = hwpmc_descent_table(descent.room);
	KUNIT_ASSERT_NOT_NULL(test, descent.entries);
	rcu_read_lock();
	for (turn = 0; turn < 3; turn++)
		for (i = 0; i < 2; i++)
			hwpmc_descent_add(&descent, tasks[i]);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, 2U, descent.count);
	KUNIT_EXPECT_TRUE(test, hwpmc_descent_fits(&descent));
	rcu_read_lock();
	hwpmc_descent_add(&descent, tasks[2]);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, 3U, descent.count);
	KUNIT_EXPECT_FALSE(test, hwpmc_descent_fits(&descent));
	hwpmc_descent_drop(&descent);
}

static struct kunit_case descent_cases[] = {
	KUNIT_CASE(descent_walk_continues_from_leader),
	KUNIT_CASE(descent_walk_ends_at_replaced_leader),
	KUNIT_CASE(descent_walk_ends_at_dead_leader),
	KUNIT_CASE(descent_full_table_is_not_walked_again),
	{}
};

struct kunit_suite hwpmc_descent_suite = {
	.name		= "hwpmc_descent",
	.test_cases	= descent_cases,
};
