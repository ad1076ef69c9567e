/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooking: adding the preempt notifier of a thread record to its task's list of notifiers, and
 * removing it. Used by kmod/task/, by kmod/main.c and, for statistics, by kmod/call/info.c.
 */
#ifndef HWPMC_HOOK_H
#define HWPMC_HOOK_H

#include <linux/types.h>

struct cpumask;
struct hwpmc_owner;
struct hwpmc_target;
struct hwpmc_thread;

/* kmod/task/hook.c */
void hwpmc_hook_queue(struct hwpmc_thread *th);
bool hwpmc_hook_thread(struct hwpmc_thread *th);
bool hwpmc_hook_cancel(struct hwpmc_thread *th);
void hwpmc_hook_child(struct hwpmc_thread *th);
bool hwpmc_hook_sleeper(struct hwpmc_thread *th);
bool hwpmc_hook_remove_sleeper(struct hwpmc_thread *th);
u64 hwpmc_hook_pending(void);

/* kmod/task/hook_cpu.c */
void hwpmc_hook_cpu_call(struct cpumask *cpus, struct cpumask *again);
void hwpmc_hook_cpu_push(const struct cpumask *cpus);
int hwpmc_hook_cpu_init(void);
void hwpmc_hook_cpu_exit(void);

/* kmod/task/hook_poll.c */
void hwpmc_hook_poll_add(struct hwpmc_thread *th);
void hwpmc_hook_poll_dequeue(struct hwpmc_thread *th);
void hwpmc_hook_poll_drop(struct hwpmc_thread *th);
int hwpmc_hook_poll_begin(void);
void hwpmc_hook_poll_soon(void);
bool hwpmc_hook_poll_probing(void);
void hwpmc_hook_poll_exit(void);

/* kmod/task/hook_target.c */
int hwpmc_hook_target_now(struct hwpmc_owner *owner, struct hwpmc_target *target);

#endif /* HWPMC_HOOK_H */
