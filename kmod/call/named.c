// SPDX-License-Identifier: GPL-2.0-only
/* The PMCs that a list of ids names. */
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "../pmc/owner.h"
#include "../pmc/pmc.h"
#include "call.h"

static int hwpmc_named_room(struct hwpmc_owner *owner, struct hwpmc_named *named, u32 count)
{
	named->pmcs = named->few;
	named->count = count;
	if (!count)
		return hwpmc_fail(owner, -EINVAL, "the list of ids is empty");
	if (count <= HWPMC_NAMED_FEW)
		return 0;
	/* There cannot be more different ids than PMCs. */
	if (count > owner->used)
		return hwpmc_fail(owner, -ENOENT, "more ids than this file has PMCs (%u)",
				  owner->used);
	named->pmcs = kvmalloc_array(count, sizeof(*named->pmcs), GFP_KERNEL_ACCOUNT);
	if (named->pmcs)
		return 0;
	return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
}

static int hwpmc_named_unknown(struct hwpmc_owner *owner, u32 id)
{
	return hwpmc_fail(owner, -ENOENT, "id 0x%x is no PMC of this file", id);
}

/**
 * hwpmc_named_one - the PMC of one id
 * @owner: whose; its lock is held
 * @id: as the caller has it
 * @err: set on failure, and a sentence with it; else left alone
 *
 * Return: the PMC, or NULL.
 */
struct hwpmc_pmc *hwpmc_named_one(struct hwpmc_owner *owner, u32 id, int *err)
{
	struct hwpmc_pmc *pmc = hwpmc_owner_find(owner, id);

	if (!pmc)
		*err = hwpmc_named_unknown(owner, id);
	return pmc;
}

/* Checked with access_ok(). One by one: cheaper than a copy for the usual few. */
static int hwpmc_named_resolve(struct hwpmc_owner *owner, struct hwpmc_pmc **pmcs,
			       unsigned int count, const u32 __user *ids, u32 *failed)
{
	u64 call = ++owner->call;
	struct hwpmc_pmc *pmc;
	unsigned int i;
	u32 id;
	int err;

	for (i = 0; i < count; i++) {
		if (__get_user(id, &ids[i])) {
			err = hwpmc_fail_copy(owner);
			goto refused;
		}
		pmc = hwpmc_owner_find(owner, id);
		if (!pmc) {
			err = hwpmc_named_unknown(owner, id);
			goto refused;
		}
		if (pmc->call == call) {
			err = hwpmc_fail(owner, -EINVAL, "id 0x%x stands in the list twice", id);
			goto refused;
		}
		pmc->call = call;
		pmc->index = i;
		pmcs[i] = pmc;
	}
	return 0;
refused:
	*failed = i;
	return err;
}

/**
 * hwpmc_named_get - the PMCs of a list of ids
 * @owner: whose; its lock is held
 * @named: filled; on success hwpmc_named_free() is the caller's
 * @ids: address of the list in the caller's memory
 * @count: ids in it
 * @failed: index of the one that was refused, else 0
 *
 * Each gets the number of this call and its place in the list, for a reading to
 * find it by.
 * Return: 0, or what hwpmc_fail() returned.
 */
int hwpmc_named_get(struct hwpmc_owner *owner, struct hwpmc_named *named, u64 ids, u32 count,
		    u32 *failed)
{
	const u32 __user *user = u64_to_user_ptr(ids);
	int err;

	*failed = 0;
	err = hwpmc_named_room(owner, named, count);
	if (err)
		return err;
	if (access_ok(user, count * sizeof(*user)))
		err = hwpmc_named_resolve(owner, named->pmcs, count, user, failed);
	else
		err = hwpmc_fail_copy(owner);
	if (err)
		hwpmc_named_free(named);
	return err;
}
