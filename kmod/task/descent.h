/* SPDX-License-Identifier: GPL-2.0-only */
/* Who descends from whom. */
#ifndef HWPMC_DESCENT_H
#define HWPMC_DESCENT_H

#include <linux/types.h>

struct hwpmc_kin;
struct task_struct;

/**
 * struct hwpmc_descent - the processes there were at one look, and who of them descends from one
 * @kin: by process; NULL before the look
 * @room: entries in @kin, a power of two
 * @count: processes
 * @threads: of those that descend, about
 */
struct hwpmc_descent {
	struct hwpmc_kin *kin;
	unsigned int room;
	unsigned int count;
	unsigned int threads;
};

/* kmod/task/descent.c */
int hwpmc_descent_take(struct hwpmc_descent *descent, struct task_struct *from);
void hwpmc_descent_drop(struct hwpmc_descent *descent);
struct task_struct *hwpmc_descent_next(const struct hwpmc_descent *descent, unsigned int *at);
bool hwpmc_descent_includes(const struct hwpmc_descent *descent, struct task_struct *task);

#endif /* HWPMC_DESCENT_H */
