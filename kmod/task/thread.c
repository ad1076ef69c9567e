// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of thread records: one for each monitored thread, found by its task.
 *
 * Look-ups run in probes and switches under RCU; changes are made under hwpmc_link_lock.
 * Attach (target.c) and fork (life.c) insert records.
 */
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
 * Each PMC that follows a thread makes it costlier for others: its switches run with the
 * runqueue locked, its forks and readings with interrupts off. On rows that are not
 * shareable the number of rows is the limit; these parameters are the limit on shareable
 * rows.
 */
static struct hwpmc_param max_followers = { .value = 64, .least = 1, .most = 65536 };
module_param_cb(max_followers, &hwpmc_param_ops, &max_followers, 0644);
MODULE_PARM_DESC(max_followers,
		 "PMCs of a user on a shareable row that may follow one thread (default 64, 1..65536)");

static struct hwpmc_param max_recorders = { .value = 8, .least = 1, .most = 65536 };
module_param_cb(max_recorders, &hwpmc_param_ops, &max_recorders, 0644);
MODULE_PARM_DESC(max_recorders,
		 "of these, PMCs that write records of its switches or its exit (default 8, 1..65536)");

/* Not a limit: more records than buckets make the chains longer. */
#define HWPMC_THREAD_BITS	12

static struct hlist_head hwpmc_threads[1 << HWPMC_THREAD_BITS];
static struct kmem_cache *hwpmc_thread_cache;
static u64 hwpmc_threads_hashed;

static struct hlist_head *hwpmc_thread_bucket(const struct task_struct *task)
{
	return &hwpmc_threads[hash_ptr(task, HWPMC_THREAD_BITS)];
}

/**
 * hwpmc_thread_alloc - allocate a thread record
 * @gfp: flags of the allocation
 *
 * Context: any that @gfp allows. Return: a record without task and links, or NULL.
 */
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

/**
 * hwpmc_thread_free - free a thread record at once
 * @th: not in the table and on no list of notifiers; or NULL
 *
 * Context: any but NMI.
 */
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

/**
 * hwpmc_thread_free_later - free a thread record after a grace period
 * @th: removed from the table
 *
 * Code that found it under RCU, or walks a list of notifiers that it was on, is done by
 * then. Context: any but NMI.
 */
void hwpmc_thread_free_later(struct hwpmc_thread *th)
{
	call_rcu(&th->rcu, hwpmc_thread_free_rcu);
}

/**
 * hwpmc_thread_find - find the record of a task
 * @task: the task
 *
 * Context: any but NMI; preemption off or RCU held. Without hwpmc_link_lock the record may
 * be removed from the table meanwhile.
 * Return: the record, or NULL.
 */
struct hwpmc_thread *hwpmc_thread_find(const struct task_struct *task)
{
	struct hwpmc_thread *th;

	/* notrace, since the sched_switch probe calls this function. */
	hlist_for_each_entry_rcu_notrace(th, hwpmc_thread_bucket(task), node)
		if (th->task == task)
			return th;
	return NULL;
}

/**
 * hwpmc_thread_keep_pids - keep the pids of an exiting task for later records
 * @th: its record
 *
 * The task has samples and values until its last switch-out, and no pid any more by then.
 * Context: any but NMI; hwpmc_link_lock held.
 */
void hwpmc_thread_keep_pids(struct hwpmc_thread *th)
{
	lockdep_assert_held(&hwpmc_link_lock);
	if (th->last_pid)
		return;
	th->last_tgid = get_task_pid(th->task, PIDTYPE_TGID);
	WRITE_ONCE(th->last_pid, get_task_pid(th->task, PIDTYPE_PID));
}

/**
 * hwpmc_thread_insert - add a record to the table
 * @th: a new record
 * @task: its task, found alive under RCU, which is still held: so the task is not
 *	freed meanwhile
 *
 * Context: any but NMI; hwpmc_link_lock held, interrupts off.
 */
void hwpmc_thread_insert(struct hwpmc_thread *th, struct task_struct *task)
{
	lockdep_assert_held(&hwpmc_link_lock);
	th->task = task;
	hlist_add_head_rcu(&th->node, hwpmc_thread_bucket(task));
	/*
	 * Pairs with the barriers in the probes of exit and exec (life.c): either the probe
	 * finds the record, or the task's new state is seen here.
	 */
	smp_mb();
	th->exiting = READ_ONCE(task->flags) & PF_EXITING;
	/* The exit probe may have run already, and it runs once only. */
	if (th->exiting)
		hwpmc_thread_keep_pids(th);
	WRITE_ONCE(th->mm, READ_ONCE(task->mm));
	WRITE_ONCE(hwpmc_threads_hashed, hwpmc_threads_hashed + 1);
}

/**
 * hwpmc_thread_remove - remove a record from the table and the queue of hook.c
 * @th: the record
 *
 * The caller frees it with hwpmc_thread_free_later(), once it is on no list of notifiers.
 * Context: any but NMI; hwpmc_link_lock held, interrupts off.
 */
void hwpmc_thread_remove(struct hwpmc_thread *th)
{
	lockdep_assert_held(&hwpmc_link_lock);
	hlist_del_rcu(&th->node);
	hwpmc_hook_dequeue(th);
	WRITE_ONCE(hwpmc_threads_hashed, hwpmc_threads_hashed - 1);
	if (!hwpmc_threads_hashed)
		hwpmc_probes_idle();
}

/** hwpmc_thread_count - number of records in the table; any context */
u64 hwpmc_thread_count(void)
{
	return READ_ONCE(hwpmc_threads_hashed);
}

/**
 * hwpmc_thread_link - find the link between a thread and a PMC
 * @th: the thread
 * @pmc: the PMC
 *
 * Context: hwpmc_link_lock held. Return: the link, or NULL if there is none that is not
 * marked dead.
 */
struct hwpmc_link *hwpmc_thread_link(struct hwpmc_thread *th, const struct hwpmc_pmc *pmc)
{
	struct hwpmc_link *link;

	lockdep_assert_held(&hwpmc_link_lock);
	list_for_each_entry(link, &th->ctx.links, in_ctx)
		if (link->pmc == pmc && !link->dead)
			return link;
	return NULL;
}

/**
 * hwpmc_thread_conflict - find another PMC's link on the row that a PMC needs
 * @th: the thread
 * @pmc: a PMC that does not follow @th yet
 *
 * A row that is not shareable counts for one PMC in a thread. Context: hwpmc_link_lock
 * held.
 * Return: the link that holds the row, or NULL.
 */
struct hwpmc_link *hwpmc_thread_conflict(struct hwpmc_thread *th, const struct hwpmc_pmc *pmc)
{
	struct hwpmc_link *link;

	lockdep_assert_held(&hwpmc_link_lock);
	if (pmc->class->shareable)
		return NULL;
	list_for_each_entry(link, &th->ctx.links, in_ctx)
		if (link->pmc->row == pmc->row && !READ_ONCE(link->pmc->evicted))
			return link;
	return NULL;
}

/**
 * hwpmc_thread_limit - check the limits of PMCs on a shareable row of a thread
 * @th: the thread
 * @pmc: a PMC that does not follow @th yet
 *
 * Context: hwpmc_link_lock held. Return: the name of the module parameter that forbids one
 * more PMC of that user, or NULL.
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

/**
 * hwpmc_thread_for_each - call a function for each record
 * @fn: may remove the record from the table
 *
 * Context: every CPU is stopped, or the module exits: no other code uses the table.
 */
void hwpmc_thread_for_each(void (*fn)(struct hwpmc_thread *th))
{
	struct hlist_node *next;
	struct hwpmc_thread *th;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hwpmc_threads); i++)
		hlist_for_each_entry_safe(th, next, &hwpmc_threads[i], node)
			fn(th);
}

/* Buckets that a walk of the table visits before it reschedules. */
#define HWPMC_THREAD_STEPS	256

/**
 * hwpmc_thread_visit_all - call a function for each record, while others use the table
 * @fn: is called under RCU; may not change the table
 *
 * A record that is inserted meanwhile may be left out. Context: process; may sleep.
 */
void hwpmc_thread_visit_all(void (*fn)(struct hwpmc_thread *th))
{
	struct hwpmc_thread *th;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hwpmc_threads); i++) {
		rcu_read_lock();
		hlist_for_each_entry_rcu(th, &hwpmc_threads[i], node)
			fn(th);
		rcu_read_unlock();
		if (i % HWPMC_THREAD_STEPS == 0)
			cond_resched();
	}
}

/** hwpmc_thread_init - create the cache of thread records; may sleep; 0 or -ENOMEM */
int hwpmc_thread_init(void)
{
	size_t size = sizeof(struct hwpmc_thread) + hwpmc_context_room();

	hwpmc_thread_cache = kmem_cache_create("hwpmc_thread", size, 0,
					       SLAB_HWCACHE_ALIGN, NULL);
	return hwpmc_thread_cache ? 0 : -ENOMEM;
}

/** hwpmc_thread_exit - destroy the cache; all records are freed; may sleep */
void hwpmc_thread_exit(void)
{
	kmem_cache_destroy(hwpmc_thread_cache);
}
