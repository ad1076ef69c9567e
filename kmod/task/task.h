/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations of kmod/task/: thread records, the switch, hooks and probes of process life.
 * Used by kmod/task/, by the ioctls in kmod/call/ and by kmod/main.c.
 */
#ifndef HWPMC_TASK_INTERNAL_H
#define HWPMC_TASK_INTERNAL_H

#include <linux/compiler.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

#include "../pmc/context.h"

struct hwpmc_link;
struct hwpmc_owner;
struct hwpmc_pmc;
struct hwpmc_target;
struct task_struct;

/**
 * hwpmc_task_exits - whether a task exits or has exited
 * @task: any
 *
 * It may begin to exit right after this. Context: RCU held.
 */
static inline bool hwpmc_task_exits(const struct task_struct *task)
{
	/* Other flags change meanwhile; the pid is removed once. */
	return (READ_ONCE(task->flags) & PF_EXITING) || !data_race(pid_alive(task));
}

/* kmod/task/thread.c */
int hwpmc_thread_init(void);
void hwpmc_thread_exit(void);
struct hwpmc_thread *hwpmc_thread_alloc(gfp_t gfp);
void hwpmc_thread_free(struct hwpmc_thread *th);
void hwpmc_thread_free_later(struct hwpmc_thread *th);
struct hwpmc_thread *hwpmc_thread_find(const struct task_struct *task);
bool hwpmc_thread_insert(struct hwpmc_thread *th, struct task_struct *task);
struct hwpmc_thread *hwpmc_thread_find_and_lock(struct task_struct *task,
						struct hwpmc_thread **spare, unsigned long *flags);
void hwpmc_thread_keep_pids(struct hwpmc_thread *th);
void hwpmc_thread_remove(struct hwpmc_thread *th);
struct hwpmc_link *hwpmc_thread_conflict(struct hwpmc_thread *th, const struct hwpmc_pmc *pmc);
struct hwpmc_link *hwpmc_thread_link(struct hwpmc_thread *th, const struct hwpmc_pmc *pmc);
const char *hwpmc_thread_limit(const struct hwpmc_thread *th, const struct hwpmc_pmc *pmc);
void hwpmc_thread_for_each(void (*fn)(struct hwpmc_thread *th));
void hwpmc_thread_visit_all(void (*fn)(struct hwpmc_thread *th));
u64 hwpmc_thread_count(void);

/**
 * hwpmc_thread_lock - find or insert the record of a task, and lock its context
 * @task: as for hwpmc_thread_insert()
 * @spare: a new record, or NULL; set to NULL if it was inserted
 * @flags: the interrupt state, for raw_spin_unlock_irqrestore()
 *
 * Context: any but NMI; RCU held. Return: the record, in the table and with its context's lock
 * held; NULL if the task has none and *@spare is NULL: then nothing is locked.
 */
static inline struct hwpmc_thread *hwpmc_thread_lock(struct task_struct *task,
						     struct hwpmc_thread **spare,
						     unsigned long *flags)
{
	struct hwpmc_thread *th = hwpmc_thread_find_and_lock(task, spare, flags);

	if (th)
		__acquire(&th->ctx.lock);
	return th;
}

/* kmod/task/sched.c */
extern struct preempt_ops hwpmc_sched_ops;
void hwpmc_sched_start(struct hwpmc_thread *th);

/* kmod/task/probes.c */
int hwpmc_probes_get(void);
void hwpmc_probes_put(void);
void hwpmc_probes_idle(void);
unsigned long hwpmc_probes_linger(void);
void hwpmc_probes_exit(void);

/* kmod/task/inherit.c */
void hwpmc_inherit_all(struct hwpmc_thread *parent, struct task_struct *task);

/* kmod/task/life.c */
int hwpmc_life_register(void);
void hwpmc_life_unregister(void);
void hwpmc_life_exiting(struct hwpmc_thread *th);
void hwpmc_life_recheck(struct hwpmc_thread *th);
void hwpmc_life_begin(struct hwpmc_thread *th);

#endif /* HWPMC_TASK_INTERNAL_H */
