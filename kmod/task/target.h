/* SPDX-License-Identifier: GPL-2.0-only */
/* What was attached to a PMC by name. */
#ifndef HWPMC_TARGET_H
#define HWPMC_TARGET_H

#include <linux/types.h>

struct hwpmc_pmc;
struct pid;

/* kmod/task/target.c */
int hwpmc_target_attach(struct hwpmc_pmc *pmc, struct pid *pid, bool single);
int hwpmc_target_detach(struct hwpmc_pmc *pmc, struct pid *pid, bool single);
void hwpmc_target_detach_all(struct hwpmc_pmc *pmc);

#endif /* HWPMC_TARGET_H */
