/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Permission checks: which caller may count, sample or attach what. Called by call/ and pmc/
 * for the caller of an ioctl, and by task/ when a target calls exec.
 */
#ifndef HWPMC_RIGHTS_H
#define HWPMC_RIGHTS_H

#include <linux/types.h>

struct cred;
struct hwpmc_owner;
struct task_struct;
struct user_namespace;

/* kmod/base/rights.c */
bool hwpmc_rights_perfmon(void);
bool hwpmc_rights_count_system(void);
bool hwpmc_rights_sample_kernel(void);
bool hwpmc_rights_attach(struct task_struct *task);
bool hwpmc_rights_keep(const struct hwpmc_owner *owner, const struct cred *theirs,
		       bool dumpable, const struct user_namespace *ns);

#endif /* HWPMC_RIGHTS_H */
