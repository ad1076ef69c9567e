// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies the conditions of a PMC of class PROBE in, and checks them. Called by ALLOCATE, in process
 * context with owner->lock held.
 */
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../base/owner.h"
#include "../base/rights.h"
#include "../compat/compat.h"
#include "../pmc/filter.h"
#include "call.h"

/* Check a condition. Returns 0, or what hwpmc_fail() returned. */
static int hwpmc_filter_list_check(struct hwpmc_owner *owner, const struct hwpmc_filter *it)
{
	bool is_comm = it->field == HWPMC_FILTER_COMM, is_cgroup = it->field == HWPMC_FILTER_CGROUP;

	if (it->field < HWPMC_FILTER_ARG || it->field > HWPMC_FILTER_CGROUP)
		return hwpmc_fail(owner, -EINVAL, "a filter's field %u is unknown", it->field);
	if (it->op > (is_comm || is_cgroup ? HWPMC_FILTER_NE : HWPMC_FILTER_BITS))
		return hwpmc_fail(owner, -EINVAL, "a filter on field %u has no comparison (op) %u",
				  it->field, it->op);
	if (it->arg >= (it->field == HWPMC_FILTER_ARG ? HWPMC_PROBE_ARGS_MAX : 1))
		return hwpmc_fail(owner, -EINVAL, "a filter on field %u has no argument (arg) %u",
				  it->field, it->arg);
	/* From counts of such events a user could derive values of the kernel, bit by bit. */
	if ((it->field == HWPMC_FILTER_ARG || it->field == HWPMC_FILTER_RETVAL) &&
	    !hwpmc_rights_sample_kernel())
		return hwpmc_fail(owner, -EPERM,
				  "kernel lockdown (confidentiality) forbids filters on arguments and results");
	if (is_comm && !it->comm[sizeof(it->comm) - 1] && !it->bytes && !it->value)
		return 0;
	if (is_comm)
		return hwpmc_fail(owner, -EINVAL,
				  "a filter on a thread's name (comm) must end with a NUL, and its bytes and value be 0");
	if (is_cgroup && !IS_ENABLED(CONFIG_CGROUPS))
		return hwpmc_fail(owner, -EOPNOTSUPP, "this kernel has no cgroups: CONFIG_CGROUPS is off");
	if (is_cgroup && (it->bytes || !it->value))
		return hwpmc_fail(owner, -EINVAL,
				  "a filter on a cgroup needs its id as value, and its bytes are 0");
	if (!is_cgroup && it->bytes != 1 && it->bytes != 2 && it->bytes != 4 && it->bytes != 8)
		return hwpmc_fail(owner, -EINVAL, "a filter compares 1, 2, 4 or 8 bytes, and not %u",
				  it->bytes);
	return memchr_inv(it->comm, 0, sizeof(it->comm)) ? hwpmc_fail_reserved(owner) : 0;
}

/* Look up the cgroup and store its level. Returns 0, or what hwpmc_fail() returned. */
static int hwpmc_filter_list_cgroup(struct hwpmc_owner *owner, struct hwpmc_filter *it)
{
	int level = hwpmc_cgroup_level(it->value);

	if (level < 0)
		return hwpmc_fail(owner, level,
				  "there is no cgroup %llu of version 2 that you can see: its id is the inode number of its directory",
				  it->value);
	it->bytes = level;
	return 0;
}

/* Copy one condition in. Returns 0, or what hwpmc_fail() returned. */
static int hwpmc_filter_list_copy(struct hwpmc_owner *owner, struct hwpmc_filters *filters,
				  u64 from, u32 size)
{
	struct hwpmc_filter *it = &filters->list[filters->count];
	int err = copy_struct_from_user(it, sizeof(*it), u64_to_user_ptr(from), size);

	if (err == -E2BIG)
		return hwpmc_fail(owner, err,
				  "a filter sets fields that this module does not know: load a newer module, or leave them 0");
	if (err)
		return hwpmc_fail_copy(owner);
	err = hwpmc_filter_list_check(owner, it);
	if (!err && it->field == HWPMC_FILTER_CGROUP)
		err = hwpmc_filter_list_cgroup(owner, it);
	if (err)
		return err;
	if (it->field == HWPMC_FILTER_ARG && it->arg >= filters->args)
		filters->args = it->arg + 1;
	filters->count++;
	return 0;
}

/**
 * hwpmc_filter_list_get - copy the conditions of a PMC in
 * @owner: the caller; its lock is held
 * @args: the request
 *
 * Context: may sleep. Return: the conditions, to be freed by kfree(); NULL if there are none; or an
 * error pointer after hwpmc_fail().
 */
struct hwpmc_filters *hwpmc_filter_list_get(struct hwpmc_owner *owner,
					    const struct hwpmc_allocate *args)
{
	struct hwpmc_filters *filters;
	int err;
	u32 i;

	if (!args->filters)
		return NULL;
	if (args->filters > HWPMC_FILTERS_MAX)
		return ERR_PTR(hwpmc_fail(owner, -EINVAL, "a PMC has up to %u filters",
					  HWPMC_FILTERS_MAX));
	err = hwpmc_entry_check(owner, "filter_size", args->filter_size,
				sizeof(struct hwpmc_filter));
	if (err)
		return ERR_PTR(err);
	filters = kzalloc(struct_size(filters, list, args->filters), GFP_KERNEL_ACCOUNT);
	if (!filters)
		return ERR_PTR(hwpmc_fail(owner, -ENOMEM, "out of memory; try again"));
	for (i = 0; i < args->filters && !err; i++)
		err = hwpmc_filter_list_copy(owner, filters,
					     args->filter_list + (u64)i * args->filter_size,
					     args->filter_size);
	if (!err)
		return filters;
	kfree(filters);
	return ERR_PTR(err);
}
