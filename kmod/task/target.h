/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attach and detach of targets: processes or threads that a virtual PMC follows. Used by
 * the ioctls in kmod/call/, with owner->lock held.
 */
#ifndef HWPMC_TARGET_H
#define HWPMC_TARGET_H

#include <linux/types.h>

struct hwpmc_pmc;
struct pid;

/* kmod/task/target.c */
int hwpmc_target_attach(struct hwpmc_pmc *pmc, struct pid *pid, bool single);
int hwpmc_target_detach(struct hwpmc_pmc *pmc, struct pid *pid, bool single);
u64 hwpmc_target_handle(struct hwpmc_pmc *pmc, struct pid *pid, bool single);
int hwpmc_target_detach_handle(struct hwpmc_pmc *pmc, u64 handle);
void hwpmc_target_detach_all(struct hwpmc_pmc *pmc);

#endif /* HWPMC_TARGET_H */
