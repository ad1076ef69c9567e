/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Permission checks: the rights of a caller to count, sample and attach. Called by call/ and pmc/
 * for the caller of an ioctl, and by task/ when a target calls exec. docs/rights.md has the rules.
 */
#ifndef HWPMC_RIGHTS_H
#define HWPMC_RIGHTS_H

#include <linux/types.h>
#include <linux/uidgid.h>

#include "../compat/compat.h"

struct cred;
struct hwpmc_owner;
struct pid;
struct task_struct;
struct user_namespace;

/**
 * struct hwpmc_rights - the rights of a task at the time when it opened the device or called ATTACH
 * @cred: its credentials; referenced
 * @ptrace_ns: its user namespace if it had CAP_SYS_PTRACE there, else NULL
 * @perfmon: it had CAP_PERFMON or CAP_SYS_ADMIN
 * @label: its security label
 *
 * Constant while it is in use. Capabilities are checked once and stored here: the kernel's checks
 * may take locks and write audit records, which is not possible where the rights are needed.
 */
struct hwpmc_rights {
	const struct cred *cred;
	const struct user_namespace *ptrace_ns;
	bool perfmon;
	struct hwpmc_label label;
};

/**
 * struct hwpmc_subject - the properties that determine who may follow a task
 * @cred: its credentials; the caller keeps them alive
 * @dumpable: whether its own user may inspect it
 * @ns: user namespace in which CAP_SYS_PTRACE replaces @dumpable, see hwpmc_dumpable_get()
 * @label: its security label
 */
struct hwpmc_subject {
	const struct cred *cred;
	bool dumpable;
	struct user_namespace *ns;
	struct hwpmc_label label;
};

/* kmod/base/rights.c */
bool hwpmc_rights_perfmon(void);
bool hwpmc_rights_perfmon_of(const struct cred *cred);
bool hwpmc_rights_admin(void);
bool hwpmc_rights_probes(void);
bool hwpmc_rights_count_system(void);
bool hwpmc_rights_sample_kernel(void);
const char *hwpmc_rights_hide(const struct hwpmc_owner *owner, bool perfmon);
const char *hwpmc_rights_hide_process(kuid_t uid, struct pid *pid, bool perfmon);
void hwpmc_rights_take(struct hwpmc_rights *rights, const struct cred *cred);
void hwpmc_rights_drop(struct hwpmc_rights *rights);
void hwpmc_rights_describe(struct task_struct *task, struct hwpmc_subject *subject);
bool hwpmc_rights_follow(const struct hwpmc_rights *rights, const struct hwpmc_subject *subject);
bool hwpmc_rights_copy(const struct hwpmc_rights *rights, const struct hwpmc_subject *subject);
const char *hwpmc_rights_refusal(const struct hwpmc_owner *owner, const struct hwpmc_rights *caller,
				 struct task_struct *task, bool copies);

#endif /* HWPMC_RIGHTS_H */
