/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The descendants of a process, for ATTACH of a PMC with DESCENDANTS. Used by attach.c, in
 * process context.
 */
#ifndef HWPMC_DESCENT_H
#define HWPMC_DESCENT_H

#include <linux/types.h>

struct hwpmc_descent_entry;
struct task_struct;

/**
 * struct hwpmc_descent - a snapshot of all processes: which of them descend from one
 * @entries: hash table by process; NULL before the snapshot
 * @room: entries in @entries, a power of two
 * @count: processes
 * @threads: of the process and its descendants, approximately
 */
struct hwpmc_descent {
	struct hwpmc_descent_entry *entries;
	unsigned int room;
	unsigned int count;
	unsigned int threads;
};

/* kmod/task/descent.c */
int hwpmc_descent_take(struct hwpmc_descent *descent, struct task_struct *from);
void hwpmc_descent_drop(struct hwpmc_descent *descent);
struct task_struct *hwpmc_descent_next(const struct hwpmc_descent *descent, unsigned int *at);
struct hwpmc_descent_entry *hwpmc_descent_table(unsigned int room);
void hwpmc_descent_add(struct hwpmc_descent *descent, struct task_struct *leader);
bool hwpmc_descent_fits(const struct hwpmc_descent *descent);
bool hwpmc_descent_listed(const struct task_struct *leader);
bool hwpmc_descent_resched(unsigned int *steps, struct task_struct *task, bool leader);
bool hwpmc_descent_includes(const struct hwpmc_descent *descent, struct task_struct *task);

#endif /* HWPMC_DESCENT_H */
