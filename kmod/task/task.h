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
