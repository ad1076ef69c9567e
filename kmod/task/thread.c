// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of thread records: one for each monitored thread, found by its task.
 *
 * Look-ups run in probes and switches under RCU. A record is inserted and removed under the lock
 * of its context, since a removed record must not get links, and under one of many locks of the
 * table. Attach (attach_task.c) and fork (inherit.c) insert records.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../base/param.h"
#include "../pmc/context.h"
#include "../pmc/link.h"
#include "../pmc/pmc.h"
#include "hook.h"
#include "task.h"

/*
 * Each PMC that follows a thread increases what the thread costs others: its switches run with the
 * runqueue locked, its resyncs with interrupts off, and its forks take longer. On rows that are
 * not shareable the number of rows is the limit; these parameters are the limit on all shareable
 * rows together.
 */
static struct hwpmc_param max_followers = { .value = 64, .least = 1, .most = 65536 };
module_param_cb(max_followers, &hwpmc_param_ops, &max_followers, 0644);
MODULE_PARM_DESC(max_followers,
		 "PMCs of a user on shareable rows that may follow one thread (default 64, 1..65536)");

static struct hwpmc_param max_recorders = { .value = 8, .least = 1, .most = 65536 };
module_param_cb(max_recorders, &hwpmc_param_ops, &max_recorders, 0644);
MODULE_PARM_DESC(max_recorders,
		 "of these PMCs (max_followers), those that write records of the thread's switches or exit (default 8, 1..65536)");

/*
 * The table has a bucket for this many bytes of the machine's memory. The kernel stack and the
 * task_struct of a task take about half as many. So even if all memory were used for tasks, each of
 * them followed, a chain would have two records on average, and the table need not grow.
 */
#define HWPMC_THREAD_BYTES	SZ_64K
#define HWPMC_THREAD_BITS_MIN	10
#define HWPMC_THREAD_BITS_MAX	22

/* Locks shared by all buckets: more than the CPUs that change the table at the same time. */
#define HWPMC_THREAD_LOCKS	256

struct hwpmc_thread_lock {
	raw_spinlock_t lock;
} ____cacheline_aligned_in_smp;

static struct hlist_head *hwpmc_threads;
static unsigned int hwpmc_thread_bits;
static struct hwpmc_thread_lock *hwpmc_thread_locks;
static struct kmem_cache *hwpmc_thread_cache;
static atomic64_t hwpmc_threads_hashed ____cacheline_aligned_in_smp = ATOMIC64_INIT(0);

static unsigned int hwpmc_thread_bucket(const struct task_struct *task)
{
	return hash_ptr(task, hwpmc_thread_bits);
}

static raw_spinlock_t *hwpmc_thread_bucket_lock(unsigned int bucket)
{
	return &hwpmc_thread_locks[bucket % HWPMC_THREAD_LOCKS].lock;
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
 * By then no code uses it that found it under RCU, or that walked a list of notifiers with it.
 * Context: any but NMI.
 */
void hwpmc_thread_free_later(struct hwpmc_thread *th)
{
	call_rcu(&th->rcu, hwpmc_thread_free_rcu);
}

/**
 * hwpmc_thread_find - find the record of a task
 * @task: the task
 *
 * Context: any but NMI; preemption off or RCU held. The record may be removed from the
 * table meanwhile, see hwpmc_thread_lock().
 * Return: the record, or NULL.
 */
struct hwpmc_thread *hwpmc_thread_find(const struct task_struct *task)
{
	struct hwpmc_thread *th;

	/* notrace, since the sched_switch probe calls this function. */
	hlist_for_each_entry_rcu_notrace(th, &hwpmc_threads[hwpmc_thread_bucket(task)], node)
		if (th->task == task)
			return th;
	return NULL;
}

/**
 * hwpmc_thread_keep_pids - keep the pids of an exiting task for later records
 * @th: its record
 *
 * The task has samples and values until its last switch-out, but loses its pids before.
 * Context: any but NMI; the lock of @th's context held.
 */
void hwpmc_thread_keep_pids(struct hwpmc_thread *th)
{
	lockdep_assert_held(&th->ctx.lock);
	if (th->last_pid)
		return;
	th->last_tgid = get_task_pid(th->task, PIDTYPE_TGID);
	WRITE_ONCE(th->last_pid, get_task_pid(th->task, PIDTYPE_PID));
}

static bool hwpmc_thread_hash(struct hwpmc_thread *th)
{
	unsigned int bucket = hwpmc_thread_bucket(th->task);
	bool first;

	raw_spin_lock(hwpmc_thread_bucket_lock(bucket));
	first = !hwpmc_thread_find(th->task);
	if (first)
		hlist_add_head_rcu(&th->node, &hwpmc_threads[bucket]);
	raw_spin_unlock(hwpmc_thread_bucket_lock(bucket));
	return first;
}

/**
 * hwpmc_thread_insert - add a record to the table
 * @th: a new record
 * @task: its task, found alive under RCU, which is still held: so the task is not
 *	freed meanwhile
 *
 * Context: any but NMI; the lock of @th's context held, interrupts off. Return: false if the task
 * has a record already.
 */
bool hwpmc_thread_insert(struct hwpmc_thread *th, struct task_struct *task)
{
	lockdep_assert_held(&th->ctx.lock);
	th->task = task;
	if (!hwpmc_thread_hash(th))
		return false;
	/*
	 * Pairs with the barriers in the probes of exit and exec (life.c): either the probe
	 * finds the record, or the task's new state is seen here.
	 */
	smp_mb();
	th->exiting = READ_ONCE(task->flags) & PF_EXITING;
	/* The probe of exit runs once, and may have run before the record was in the table. */
	if (th->exiting)
		hwpmc_thread_keep_pids(th);
	WRITE_ONCE(th->mm, READ_ONCE(task->mm));
	atomic64_inc(&hwpmc_threads_hashed);
	return true;
}

/* Calls hwpmc_thread_lock(), which declares to sparse that the lock is held on return. */
struct hwpmc_thread *hwpmc_thread_find_and_lock(struct task_struct *task,
						struct hwpmc_thread **spare, unsigned long *flags)
{
	for (;;) {
		struct hwpmc_thread *found = hwpmc_thread_find(task), *th = found ?: *spare;

		if (!th)
			return NULL;
		raw_spin_lock_irqsave(&th->ctx.lock, *flags);
		if (found ? !th->removed : hwpmc_thread_insert(th, task)) {
			if (!found)
				*spare = NULL;
			__release(&th->ctx.lock);
			return th;
		}
		/* Since the look-up it was removed, or others inserted one: look up again. */
		raw_spin_unlock_irqrestore(&th->ctx.lock, *flags);
	}
}

/**
 * hwpmc_thread_remove - remove a record from the table, and from the list of those that wait to be
 * hooked
 * @th: the record, without links; it gets none any more
 *
 * The caller frees it with hwpmc_thread_free_later(), once it is on no list of notifiers.
 * Context: any but NMI; the lock of @th's context held, interrupts off.
 */
void hwpmc_thread_remove(struct hwpmc_thread *th)
{
	unsigned int bucket = hwpmc_thread_bucket(th->task);

	lockdep_assert_held(&th->ctx.lock);
	th->removed = true;
	raw_spin_lock(hwpmc_thread_bucket_lock(bucket));
	hlist_del_rcu(&th->node);
	raw_spin_unlock(hwpmc_thread_bucket_lock(bucket));
	hwpmc_hook_poll_dequeue(th);
	if (atomic64_dec_and_test(&hwpmc_threads_hashed))
		hwpmc_probes_idle();
}

/** hwpmc_thread_count - number of records in the table; any context */
u64 hwpmc_thread_count(void)
{
	return atomic64_read(&hwpmc_threads_hashed);
}

/**
 * hwpmc_thread_link - find the link between a thread and a PMC
 * @th: the thread
 * @pmc: the PMC
 *
 * Context: the lock of @th's context held. Return: the link, or NULL if there is none that is not
 * marked dead.
 */
struct hwpmc_link *hwpmc_thread_link(struct hwpmc_thread *th, const struct hwpmc_pmc *pmc)
{
	struct hwpmc_link *link;

	lockdep_assert_held(&th->ctx.lock);
	list_for_each_entry(link, &th->ctx.links, in_ctx)
		if (link->pmc == pmc && !READ_ONCE(link->dead))
			return link;
	return NULL;
}

/**
 * hwpmc_thread_conflict - find another PMC's link on the row that a PMC needs
 * @th: the thread
 * @pmc: a PMC that does not follow @th yet
 *
 * A row that is not shareable counts for one PMC in a thread. Context: the lock of @th's context
 * held. Return: the link that holds the row, or NULL.
 */
struct hwpmc_link *hwpmc_thread_conflict(struct hwpmc_thread *th, const struct hwpmc_pmc *pmc)
{
	struct hwpmc_link *link;

	lockdep_assert_held(&th->ctx.lock);
	if (pmc->class->shareable)
		return NULL;
	list_for_each_entry(link, &th->ctx.links, in_ctx)
		if (link->pmc->row == pmc->row && !READ_ONCE(link->pmc->evicted))
			return link;
	return NULL;
}

/**
 * hwpmc_thread_limit - check the limits of PMCs on shareable rows of a thread
 * @th: the thread
 * @pmc: a PMC that does not follow @th yet
 *
 * Context: the lock of @th's context held. Return: the name of the module parameter that forbids
 * one more PMC of that user, or NULL.
 */
const char *hwpmc_thread_limit(const struct hwpmc_thread *th, const struct hwpmc_pmc *pmc)
{
	unsigned int followers = 0, recorders = 0;
	const struct hwpmc_link *link;

	lockdep_assert_held(&th->ctx.lock);
	/* A PMC of a probe adds nothing to a switch, and its owner needs a privilege. */
	if (!pmc->class->shareable || pmc->probe)
		return NULL;
	list_for_each_entry(link, &th->ctx.links, in_ctx) {
		const struct hwpmc_pmc *other = link->pmc;

		if (READ_ONCE(link->dead) || !other->class->shareable || other->probe ||
		    !uid_eq(other->owner->uid, pmc->owner->uid))
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

	for (i = 0; i < 1U << hwpmc_thread_bits; i++)
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

	for (i = 0; i < 1U << hwpmc_thread_bits; i++) {
		rcu_read_lock();
		hlist_for_each_entry_rcu(th, &hwpmc_threads[i], node)
			fn(th);
		rcu_read_unlock();
		if (i % HWPMC_THREAD_STEPS == 0)
			cond_resched();
	}
}

static int hwpmc_thread_init_table(void)
{
	u64 buckets = ((u64)totalram_pages() << PAGE_SHIFT) / HWPMC_THREAD_BYTES;
	unsigned int i;

	hwpmc_thread_bits = HWPMC_THREAD_BITS_MIN;
	while (hwpmc_thread_bits < HWPMC_THREAD_BITS_MAX && 1ULL << hwpmc_thread_bits < buckets)
		hwpmc_thread_bits++;
	hwpmc_threads = kvcalloc(1U << hwpmc_thread_bits, sizeof(*hwpmc_threads), GFP_KERNEL);
	hwpmc_thread_locks = kvcalloc(HWPMC_THREAD_LOCKS, sizeof(*hwpmc_thread_locks), GFP_KERNEL);
	if (!hwpmc_threads || !hwpmc_thread_locks)
		return -ENOMEM;
	for (i = 0; i < HWPMC_THREAD_LOCKS; i++)
		raw_spin_lock_init(&hwpmc_thread_locks[i].lock);
	return 0;
}

/** hwpmc_thread_init - create the table and the cache of thread records; may sleep; 0 or -ENOMEM */
int hwpmc_thread_init(void)
{
	size_t size = sizeof(struct hwpmc_thread) + hwpmc_context_room();
	int err = hwpmc_thread_init_table();

	if (!err) {
		hwpmc_thread_cache = kmem_cache_create("hwpmc_thread", size, 0,
						       SLAB_HWCACHE_ALIGN, NULL);
		err = hwpmc_thread_cache ? 0 : -ENOMEM;
	}
	if (err)
		hwpmc_thread_exit();
	return err;
}

/** hwpmc_thread_exit - destroy both; all records are freed; may sleep */
void hwpmc_thread_exit(void)
{
	kmem_cache_destroy(hwpmc_thread_cache);
	kvfree(hwpmc_thread_locks);
	kvfree(hwpmc_threads);
}
