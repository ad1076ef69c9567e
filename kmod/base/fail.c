// SPDX-License-Identifier: GPL-2.0-only
/*
 * Refusal of a call: an errno and a sentence, which kmod/ioctl.c copies to the caller. Called
 * by every file that checks an ioctl's arguments, in process context with owner->lock held.
 */
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#include "owner.h"

/**
 * hwpmc_fail - refuse a call and store the reason
 * @owner: owner whose call it is
 * @error: negative errno
 * @fmt: format of one sentence, without a full stop, that names the cause and the remedy
 *
 * Context: process, owner->lock held. Return: @error.
 */
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

/** hwpmc_fail_copy - refuse a call with -EFAULT; otherwise as hwpmc_fail() */
int hwpmc_fail_copy(struct hwpmc_owner *owner)
{
	return hwpmc_fail(owner, -EFAULT, "a pointer does not point to the caller's memory");
}

/** hwpmc_fail_reserved - refuse a call with a reserved field that is not 0; as hwpmc_fail() */
int hwpmc_fail_reserved(struct hwpmc_owner *owner)
{
	return hwpmc_fail(owner, -EINVAL, "a reserved field is not 0");
}
