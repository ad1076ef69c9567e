// SPDX-License-Identifier: GPL-2.0-only
/* The records of monitored threads, found by task. */
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../base/param.h"
#include "../pmc/context.h"
#include "../pmc/link.h"
#include "../pmc/pmc.h"
#include "task.h"

/*
 * What a thread costs others by being followed: its switches under the runqueue's
 * lock, its forks and its readings with interrupts off. Rows that are not shareable
 * bound that by themselves.
 */
static struct hwpmc_param max_followers = { .value = 64, .least = 1, .most = 65536 };
module_param_cb(max_followers, &hwpmc_param_ops, &max_followers, 0644);
MODULE_PARM_DESC(max_followers,
		 "PMCs of a user on a shareable row that may follow one thread (default 64, 1..65536)");

static struct hwpmc_param max_recorders = { .value = 8, .least = 1, .most = 65536 };
module_param_cb(max_recorders, &hwpmc_param_ops, &max_recorders, 0644);
MODULE_PARM_DESC(max_recorders,
		 "of these, PMCs that write records of its switches or its exit (default 8, 1..65536)");

/* Chains grow with the number of records; the table does not limit it. */
#define HWPMC_THREAD_BITS	12

static struct hlist_head hwpmc_threads[1 << HWPMC_THREAD_BITS];
static struct kmem_cache *hwpmc_thread_cache;
static u64 hwpmc_threads_hashed;

static struct hlist_head *hwpmc_thread_bucket(const struct task_struct *task)
{
	return &hwpmc_threads[hash_ptr(task, HWPMC_THREAD_BITS)];
}

struct hwpmc_thread *hwpmc_thread_alloc(gfp_t gfp)
{
	struct hwpmc_thread *th = kmem_cache_zalloc(hwpmc_thread_cache, gfp);

	if (!th)
		return NULL;
	hwpmc_context_place(&th->ctx, th + 1);
	preempt_notifier_init(&th->notifier, &hwpmc_sched_ops);
	INIT_LIST_HEAD(&th->pending);
	return th;
}

void hwpmc_thread_free(struct hwpmc_thread *th)
{
	if (!th)
		return;
	put_pid(th->last_pid);
	put_pid(th->last_tgid);
	kmem_cache_free(hwpmc_thread_cache, th);
}

static void hwpmc_thread_free_rcu(struct rcu_head *rcu)
{
	hwpmc_thread_free(container_of(rcu, struct hwpmc_thread, rcu));
}

/* After whoever found it, or walks a list of notifiers over it, is done. */
void hwpmc_thread_free_later(struct hwpmc_thread *th)
{
	call_rcu(&th->rcu, hwpmc_thread_free_rcu);
}

/**
 * hwpmc_thread_find - the record of a task
 * @task: the task
 *
 * Return: it, or NULL. Context: any but NMI; preemption off or RCU held. Without
 * hwpmc_link_lock the record may be leaving the table.
 */
struct hwpmc_thread *hwpmc_thread_find(const struct task_struct *task)
{
	struct hwpmc_thread *th;

	/* notrace: it is called in the sched_switch probe. */
	hlist_for_each_entry_rcu_notrace(th, hwpmc_thread_bucket(task), node)
		if (th->task == task)
			return th;
	return NULL;
}

/* Of an exiting task: samples and values come until its last switch, when it has no pid. */
void hwpmc_thread_keep_pids(struct hwpmc_thread *th)
{
	lockdep_assert_held(&hwpmc_link_lock);
	if (th->last_pid)
		return;
	th->last_tgid = get_task_pid(th->task, PIDTYPE_TGID);
	WRITE_ONCE(th->last_pid, get_task_pid(th->task, PIDTYPE_PID));
}

/* @task cannot go while this runs: RCU is held, and it was found alive in it. */
void hwpmc_thread_insert(struct hwpmc_thread *th, struct task_struct *task)
{
	lockdep_assert_held(&hwpmc_link_lock);
	th->task = task;
	hlist_add_head_rcu(&th->node, hwpmc_thread_bucket(task));
	/* Either its exit, or its exec, finds the record, or it is seen here: see life.c. */
	smp_mb();
	th->exiting = READ_ONCE(task->flags) & PF_EXITING;
	/* Its exit may be behind the probe already, which then does not come again. */
	if (th->exiting)
		hwpmc_thread_keep_pids(th);
	WRITE_ONCE(th->mm, READ_ONCE(task->mm));
	WRITE_ONCE(hwpmc_threads_hashed, hwpmc_threads_hashed + 1);
}

/* Free it after a grace period, and when it is on no list of notifiers. */
void hwpmc_thread_remove(struct hwpmc_thread *th)
{
	lockdep_assert_held(&hwpmc_link_lock);
	hlist_del_rcu(&th->node);
	hwpmc_hook_dequeue(th);
	WRITE_ONCE(hwpmc_threads_hashed, hwpmc_threads_hashed - 1);
	if (!hwpmc_threads_hashed)
		hwpmc_probes_idle();
}

u64 hwpmc_thread_count(void)
{
	return READ_ONCE(hwpmc_threads_hashed);
}

struct hwpmc_link *hwpmc_thread_link(struct hwpmc_thread *th, const struct hwpmc_pmc *pmc)
{
	struct hwpmc_link *link;

	lockdep_assert_held(&hwpmc_link_lock);
	list_for_each_entry(link, &th->ctx.links, in_ctx)
		if (link->pmc == pmc && !link->dead)
			return link;
	return NULL;
}

/* A link of @th on the row of @pmc, which then cannot be followed there too. */
struct hwpmc_link *hwpmc_thread_conflict(struct hwpmc_thread *th, const struct hwpmc_pmc *pmc)
{
	struct hwpmc_link *link;

	lockdep_assert_held(&hwpmc_link_lock);
	if (pmc->class->shareable)
		return NULL;
	list_for_each_entry(link, &th->ctx.links, in_ctx)
		if (link->pmc->row == pmc->row)
			return link;
	return NULL;
}

/**
 * hwpmc_thread_limit - whether one PMC more of its user is too many for a thread
 * @th: the thread
 * @pmc: does not follow it yet
 *
 * Return: the name of the parameter that forbids it, or NULL.
 */
const char *hwpmc_thread_limit(const struct hwpmc_thread *th, const struct hwpmc_pmc *pmc)
{
	unsigned int followers = 0, recorders = 0;
	const struct hwpmc_link *link;

	lockdep_assert_held(&hwpmc_link_lock);
	if (!pmc->class->shareable)
		return NULL;
	list_for_each_entry(link, &th->ctx.links, in_ctx) {
		const struct hwpmc_pmc *other = link->pmc;

		if (other->row != pmc->row || !uid_eq(other->owner->uid, pmc->owner->uid))
			continue;
		followers++;
		recorders += hwpmc_pmc_records(other);
	}
	if (followers >= READ_ONCE(max_followers.value))
		return "max_followers";
	if (hwpmc_pmc_records(pmc) && recorders >= READ_ONCE(max_recorders.value))
		return "max_recorders";
	return NULL;
}

/* Every CPU is stopped, or the module is alone: nothing else walks the table. */
void hwpmc_thread_for_each(void (*fn)(struct hwpmc_thread *th))
{
	struct hlist_node *next;
	struct hwpmc_thread *th;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hwpmc_threads); i++)
		hlist_for_each_entry_safe(th, next, &hwpmc_threads[i], node)
			fn(th);
}

int hwpmc_thread_init(void)
{
	size_t size = sizeof(struct hwpmc_thread) + hwpmc_context_room();

	hwpmc_thread_cache = kmem_cache_create("hwpmc_thread", size, 0,
					       SLAB_HWCACHE_ALIGN, NULL);
	return hwpmc_thread_cache ? 0 : -ENOMEM;
}

void hwpmc_thread_exit(void)
{
	kmem_cache_destroy(hwpmc_thread_cache);
}
