/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is followed, and the switch, as the rest of the module uses them. */
#ifndef HWPMC_TASK_INTERNAL_H
#define HWPMC_TASK_INTERNAL_H

#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/types.h>

#include "../pmc/context.h"

struct hwpmc_link;
struct hwpmc_owner;
struct hwpmc_pmc;
struct mm_struct;
struct pid;
struct task_struct;

/* A record begins as NEW: it can be found, but nobody arms it before it is queued. */
enum hwpmc_arm { HWPMC_ARM_NEW, HWPMC_ARM_PENDING, HWPMC_ARM_DONE, HWPMC_ARM_CANCELLED };

/**
 * struct hwpmc_thread - a task that some PMC follows, or followed lately
 * @notifier: on the task's list once @arm is DONE
 * @ctx: what it counts
 * @task: not referenced; the record goes before the task does (sched_process_free)
 * @arm: enum hwpmc_arm; from PENDING on changed by cmpxchg only
 * @mm: the memory that its owners may look into: the task's when it was found, or after its
 *	last exec. Never followed. Written under hwpmc_link_lock, read in NMIs
 * @exiting: it passed sched_process_exit, or is about to; guarded by hwpmc_link_lock
 * @last_pid: of an exiting task: what it was called; referenced
 * @last_tgid: likewise
 * @node: in the table of threads; changed under hwpmc_link_lock, read under RCU
 * @pending: in the list of threads to be armed; guarded by hwpmc_link_lock
 * @rcu: freed after a grace period: sched_in and sched_out run without a lock
 *
 * A record without links is dead: it takes itself off the task's list in the
 * task's next sched_in. A context switch reads @notifier and @ctx only.
 */
struct hwpmc_thread {
	struct preempt_notifier notifier;
	struct hwpmc_context ctx;
	struct task_struct *task;
	int arm;
	const struct mm_struct *mm;
	bool exiting;
	struct pid *last_pid;
	struct pid *last_tgid;
	struct hlist_node node;
	struct list_head pending;
	struct rcu_head rcu;
};

/* kmod/task/thread.c */
int hwpmc_thread_init(void);
void hwpmc_thread_exit(void);
struct hwpmc_thread *hwpmc_thread_alloc(gfp_t gfp);
void hwpmc_thread_free(struct hwpmc_thread *th);
void hwpmc_thread_free_later(struct hwpmc_thread *th);
struct hwpmc_thread *hwpmc_thread_find(const struct task_struct *task);
void hwpmc_thread_insert(struct hwpmc_thread *th, struct task_struct *task);
void hwpmc_thread_keep_pids(struct hwpmc_thread *th);
void hwpmc_thread_remove(struct hwpmc_thread *th);
struct hwpmc_link *hwpmc_thread_conflict(struct hwpmc_thread *th, const struct hwpmc_pmc *pmc);
struct hwpmc_link *hwpmc_thread_link(struct hwpmc_thread *th, const struct hwpmc_pmc *pmc);
const char *hwpmc_thread_limit(const struct hwpmc_thread *th, const struct hwpmc_pmc *pmc);
void hwpmc_thread_for_each(void (*fn)(struct hwpmc_thread *th));
u64 hwpmc_thread_count(void);

/* kmod/task/sched.c */
extern struct preempt_ops hwpmc_sched_ops;
void hwpmc_sched_on(struct hwpmc_thread *th);

/* kmod/task/arm.c */
void hwpmc_arm_queue(struct hwpmc_thread *th);
bool hwpmc_arm_hook(struct hwpmc_thread *th);
bool hwpmc_arm_cancel(struct hwpmc_thread *th);
void hwpmc_arm_dequeue(struct hwpmc_thread *th);
int hwpmc_arm_now(struct hwpmc_owner *owner);
void hwpmc_arm_child(struct hwpmc_thread *th);
void hwpmc_arm_exit(void);
u64 hwpmc_arm_pending(void);
bool hwpmc_arm_probing(void);

/* kmod/task/hook.c */
int hwpmc_hook_get(void);
void hwpmc_hook_put(void);
void hwpmc_hook_idle(void);
void hwpmc_hook_exit(void);

/* kmod/task/life.c */
int hwpmc_life_register(void);
void hwpmc_life_unregister(void);
void hwpmc_life_exiting(struct hwpmc_thread *th);

#endif /* HWPMC_TASK_INTERNAL_H */
