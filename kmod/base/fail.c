// SPDX-License-Identifier: GPL-2.0-only
/* Why a call was refused: for the caller's errno, and in a sentence for LAST_ERROR. */
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#include "owner.h"

int hwpmc_fail(struct hwpmc_owner *owner, int error, const char *fmt, ...)
{
	va_list args;

	lockdep_assert_held(&owner->lock);
	owner->error = -error;
	va_start(args, fmt);
	vscnprintf(owner->sentence, sizeof(owner->sentence), fmt, args);
	va_end(args);
	pr_debug("hwpmc: pid %d (%s): error %d: %s\n", pid_nr(owner->pid), owner->comm, error,
		 owner->sentence);
	return error;
}

int hwpmc_fail_copy(struct hwpmc_owner *owner)
{
	return hwpmc_fail(owner, -EFAULT, "a pointer does not point to the caller's memory");
}

int hwpmc_fail_reserved(struct hwpmc_owner *owner)
{
	return hwpmc_fail(owner, -EINVAL, "a reserved field is not 0");
}
