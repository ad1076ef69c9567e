// SPDX-License-Identifier: GPL-2.0-only
/*
 * The label of a task by security modules (SELinux, AppArmor, Smack), to be compared with another
 * task's: older kernels return a number, newer ones a structure of all modules' labels. Called by
 * the checks of rights in kmod/base/ and by the probe of exec.
 */
#include <linux/security.h>
#include <linux/string.h>
#include <linux/version.h>

#include "compat.h"

void hwpmc_label_get(struct task_struct *task, struct hwpmc_label *label)
{
	/* With its padding, since labels are compared as memory. */
	memset(label, 0, sizeof(*label));
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	security_task_getlsmprop_obj(task, &label->of);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0)
	security_task_getsecid_obj(task, &label->of);
#else
	security_task_getsecid(task, &label->of);
#endif
}

bool hwpmc_label_same(const struct hwpmc_label *a, const struct hwpmc_label *b)
{
	return !memcmp(a, b, sizeof(*a));
}
