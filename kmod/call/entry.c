// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arrays of structures that calls return. The caller's entries and the module's may differ in size.
 * Called by the ioctls in kmod/call/, in process context with owner->lock held.
 */
#include <linux/minmax.h>
#include <linux/uaccess.h>

#include "../base/owner.h"
#include "call.h"

#define HWPMC_ENTRY_MAX	4096U

/**
 * hwpmc_entry_check - check the size of an entry that a caller set
 * @owner: whose call it is
 * @field: name of the field with the size
 * @size: the size, in bytes
 * @known: size of the module's entry, in bytes
 *
 * Context: process, owner->lock held. Return: 0, or -EINVAL after hwpmc_fail().
 */
int hwpmc_entry_check(struct hwpmc_owner *owner, const char *field, u32 size, u32 known)
{
	if (size && size <= HWPMC_ENTRY_MAX && !(size % 8))
		return 0;
	return hwpmc_fail(owner, -EINVAL,
			  "%s is %u: set it to the size of an entry, in bytes (%u in this module)",
			  field, size, known);
}

/**
 * hwpmc_entry_put - write one entry of a caller's array
 * @owner: whose call it is
 * @list: address of the array in the caller's memory
 * @index: of the entry
 * @size: of the caller's entries, in bytes, that hwpmc_entry_check() accepted
 * @entry: the module's entry
 * @known: its size, in bytes
 *
 * The part of the entry that the module does not have is set to 0. Context: may sleep; owner->lock
 * held. Return: 0, or -EFAULT after hwpmc_fail().
 */
int hwpmc_entry_put(struct hwpmc_owner *owner, u64 list, u32 index, u32 size, const void *entry,
		    u32 known)
{
	void __user *to = u64_to_user_ptr(list + (u64)index * size);

	if (copy_to_user(to, entry, min(size, known)))
		return hwpmc_fail_copy(owner);
	if (size > known && clear_user(to + known, size - known))
		return hwpmc_fail_copy(owner);
	return 0;
}
