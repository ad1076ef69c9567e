// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who descends from whom. Each process is asked once, and what its ancestors have
 * answered is not asked again: so long chains of forks cost no more than others.
 *
 * A process that did not descend never will; one that did may be orphaned, and
 * descends all the same: either is right, since it happens meanwhile.
 */
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "descent.h"

enum hwpmc_descends { HWPMC_DESCENDS_UNASKED, HWPMC_DESCENDS_NOT, HWPMC_DESCENDS };

/**
 * struct hwpmc_kin - a process
 * @leader: the thread it was found by; referenced; NULL: a free entry
 * @parent: the process that it is a child of
 * @descends: whether it descends
 *
 * Its struct signal_struct stands for a process: it stays when exec gives it
 * another leader.
 */
struct hwpmc_kin {
	struct task_struct *leader;
	const struct signal_struct *parent;
	enum hwpmc_descends descends;
};

/* The entry of @process, or the free one where it would be. */
static struct hwpmc_kin *hwpmc_kin_find(const struct hwpmc_descent *descent,
					const struct signal_struct *process)
{
	unsigned int i = hash_ptr(process, 32);
	struct hwpmc_kin *kin;

	/* At most half of them are taken. */
	do {
		kin = &descent->kin[i++ & (descent->room - 1)];
	} while (kin->leader && kin->leader->signal != process);
	return kin;
}

/* RCU held. Without room it is counted only. */
static void hwpmc_descent_add(struct hwpmc_descent *descent, struct task_struct *leader)
{
	struct hwpmc_kin *kin;

	if (descent->count++ >= descent->room / 2)
		return;
	kin = hwpmc_kin_find(descent, leader->signal);
	/* exec changed its leader, and it was met twice. */
	if (kin->leader)
		return;
	kin->leader = get_task_struct(leader);
	kin->parent = rcu_dereference(leader->real_parent)->signal;
}

static int hwpmc_descent_scan(struct hwpmc_descent *descent)
{
	struct task_struct *leader;

	for (descent->room = 256;; descent->room = roundup_pow_of_two(4 * descent->count)) {
		descent->count = 0;
		descent->kin = kvcalloc(descent->room, sizeof(*descent->kin), GFP_KERNEL_ACCOUNT);
		if (!descent->kin)
			return -ENOMEM;
		rcu_read_lock();
		for_each_process(leader)
			hwpmc_descent_add(descent, leader);
		rcu_read_unlock();
		if (descent->count <= descent->room / 2)
			return 0;
		hwpmc_descent_drop(descent);
	}
}

/* Up to an ancestor that has been asked, or that there is none of; then down again. */
static void hwpmc_kin_ask(const struct hwpmc_descent *descent, struct hwpmc_kin *kin)
{
	struct hwpmc_kin *end = kin;

	while (end->leader && end->descends == HWPMC_DESCENDS_UNASKED) {
		end->descends = HWPMC_DESCENDS_NOT;
		end = hwpmc_kin_find(descent, end->parent);
	}
	if (end->descends != HWPMC_DESCENDS)
		return;
	for (; kin != end; kin = hwpmc_kin_find(descent, kin->parent))
		kin->descends = HWPMC_DESCENDS;
}

/**
 * hwpmc_descent_take - look at all processes
 * @descent: zeroed; whatever this returns hwpmc_descent_drop() is the caller's
 * @from: whose descendants are wanted; referenced
 *
 * Context: may sleep. Return: 0, -ENOMEM, or -EINTR when the caller is being killed.
 */
int hwpmc_descent_take(struct hwpmc_descent *descent, struct task_struct *from)
{
	int err = hwpmc_descent_scan(descent);
	struct hwpmc_kin *kin;
	unsigned int i;

	if (err)
		return err;
	kin = hwpmc_kin_find(descent, from->signal);
	if (kin->leader)
		kin->descends = HWPMC_DESCENDS;
	for (i = 0; i < descent->room; i++) {
		kin = &descent->kin[i];
		if (kin->leader)
			hwpmc_kin_ask(descent, kin);
		if (kin->descends == HWPMC_DESCENDS)
			descent->threads += get_nr_threads(kin->leader);
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

void hwpmc_descent_drop(struct hwpmc_descent *descent)
{
	unsigned int i;

	for (i = 0; descent->kin && i < descent->room; i++) {
		if (descent->kin[i].leader)
			put_task_struct(descent->kin[i].leader);
		cond_resched();
	}
	kvfree(descent->kin);
	descent->kin = NULL;
}

/* The next process that descends, or the one they descend from: from *@at on, which is moved. */
struct task_struct *hwpmc_descent_next(const struct hwpmc_descent *descent, unsigned int *at)
{
	while (*at < descent->room) {
		const struct hwpmc_kin *kin = &descent->kin[(*at)++];

		if (kin->descends == HWPMC_DESCENDS)
			return kin->leader;
	}
	return NULL;
}

/* Of one that is there by now. RCU held. */
bool hwpmc_descent_includes(const struct hwpmc_descent *descent, struct task_struct *task)
{
	for (; task->pid; task = rcu_dereference(task->real_parent)) {
		const struct hwpmc_kin *kin = hwpmc_kin_find(descent, task->signal);

		if (kin->leader)
			return kin->descends == HWPMC_DESCENDS;
	}
	return false;
}
