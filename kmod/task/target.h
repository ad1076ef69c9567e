/* SPDX-License-Identifier: GPL-2.0-only */
/* What was attached to a PMC by name. */
#ifndef HWPMC_TARGET_H
#define HWPMC_TARGET_H

#include <linux/list.h>
#include <linux/types.h>

struct hwpmc_pmc;
struct pid;

/**
 * struct hwpmc_target - what was attached to a PMC by name
 * @node: in pmc->targets; guarded by hwpmc_link_lock
 * @pid: the process, or the thread if @single; referenced
 * @single: this one thread only
 * @gone: events of its threads and descendants that have exited; same lock
 * @links: of struct hwpmc_link; same lock
 * @visit: the last reading that looked at it, see hwpmc_reading.visit
 * @seen: @gone in that reading, with those not reaped yet
 */
struct hwpmc_target {
	struct list_head node;
	struct pid *pid;
	bool single;
	u64 gone;
	struct list_head links;
	u64 visit;
	u64 seen;
};

/* kmod/task/target.c */
int hwpmc_target_attach(struct hwpmc_pmc *pmc, struct pid *pid, bool single);
int hwpmc_target_detach(struct hwpmc_pmc *pmc, struct pid *pid, bool single);
void hwpmc_target_detach_all(struct hwpmc_pmc *pmc);

#endif /* HWPMC_TARGET_H */
