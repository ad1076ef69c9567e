/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An attach in progress: shared by attach.c, which walks the tasks, and attach_task.c, which links
 * one of them.
 */
#ifndef HWPMC_ATTACH_H
#define HWPMC_ATTACH_H

#include <linux/list.h>
#include <linux/types.h>

#include "descent.h"

struct hwpmc_adoption;
struct hwpmc_owner;
struct hwpmc_pmc;
struct hwpmc_target;
struct task_struct;

/**
 * struct hwpmc_spares - records and links allocated in advance, since a walk of tasks may not sleep
 * @threads: by hwpmc_thread.pending
 * @links: by hwpmc_link.in_pmc
 * @wanted: how many of each are allocated next
 */
struct hwpmc_spares {
	struct list_head threads;
	struct list_head links;
	unsigned int wanted;
};

/**
 * struct hwpmc_attaching - state of one ATTACH
 * @pmc: the PMC
 * @target: the target; it has the rights of the caller
 * @spares: the allocated memory of new links
 * @descent: with DESCENDANTS, the descendants of the target
 * @adoption: the adoption that has begun, or NULL
 * @begun: begin of this pass, CLOCK_MONOTONIC in ns
 * @newer: tasks visited in this pass that started after @begun
 * @found: tasks linked in this pass; not 0 either if the pass was not complete
 * @steps: for hwpmc_descent_resched()
 * @any: a task was linked, in any pass
 * @refused: a thread of the process that is visited may not be followed
 * @left_out: descendants with such a thread, in this pass
 */
struct hwpmc_attaching {
	struct hwpmc_pmc *pmc;
	struct hwpmc_target *target;
	struct hwpmc_spares spares;
	struct hwpmc_descent descent;
	struct hwpmc_adoption *adoption;
	u64 begun;
	unsigned int newer;
	unsigned int found;
	unsigned int steps;
	bool any;
	bool refused;
	unsigned int left_out;
};

/* kmod/task/attach_task.c */
void hwpmc_attach_task_drop(struct hwpmc_spares *spares);
int hwpmc_attach_task_refill(struct hwpmc_owner *owner, struct hwpmc_spares *spares);
int hwpmc_attach_task_link(struct hwpmc_attaching *at, struct task_struct *task, bool child);

#endif /* HWPMC_ATTACH_H */
