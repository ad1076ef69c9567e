/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adoption: the probe of fork links the children of an attach that is in progress. Used by attach.c
 * and, in the probe of fork, by inherit.c.
 */
#ifndef HWPMC_ADOPT_H
#define HWPMC_ADOPT_H

#include <linux/list.h>
#include <linux/types.h>

#include "../pmc/link.h"

struct hwpmc_descent;
struct signal_struct;
struct task_struct;

/**
 * struct hwpmc_adoption - an attach whose new tasks the probe of fork links
 * @node: in hwpmc_adoptions; guarded by hwpmc_adopt_lock, read under RCU
 * @link: in no list; new tasks inherit it like a link of the task that creates them
 * @process: of the target; compared, never dereferenced
 * @descent: the target's descendants, or NULL if they are not followed
 * @since: CLOCK_MONOTONIC in ns; tasks that started later have been linked by the probe
 */
struct hwpmc_adoption {
	struct list_head node;
	struct hwpmc_link link;
	const struct signal_struct *process;
	const struct hwpmc_descent *descent;
	u64 since;
};

/* kmod/task/adopt.c */
extern struct list_head hwpmc_adoptions;
void hwpmc_adopt_begin(struct hwpmc_adoption *it);
void hwpmc_adopt_end(struct hwpmc_adoption *it);
bool hwpmc_adopt_includes(const struct hwpmc_adoption *it, struct task_struct *child);
bool hwpmc_adopt_is_newer(const struct hwpmc_adoption *it, const struct task_struct *task);

#endif /* HWPMC_ADOPT_H */
