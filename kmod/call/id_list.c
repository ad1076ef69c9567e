// SPDX-License-Identifier: GPL-2.0-only
/* The PMCs that a list of ids names. */
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "../base/owner.h"
#include "../pmc/id.h"
#include "../pmc/pmc.h"
#include "call.h"

static int hwpmc_id_list_room(struct hwpmc_owner *owner, struct hwpmc_id_list *list, u32 count)
{
	list->pmcs = list->few;
	list->count = count;
	if (!count)
		return hwpmc_fail(owner, -EINVAL, "the list of ids is empty");
	if (count <= HWPMC_ID_LIST_FEW)
		return 0;
	/* There cannot be more different ids than PMCs. */
	if (count > owner->used)
		return hwpmc_fail(owner, -ENOENT, "more ids than this file has PMCs (%u)",
				  owner->used);
	list->pmcs = kvmalloc_array(count, sizeof(*list->pmcs), GFP_KERNEL_ACCOUNT);
	if (list->pmcs)
		return 0;
	return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
}

static int hwpmc_id_list_unknown(struct hwpmc_owner *owner, u32 id)
{
	return hwpmc_fail(owner, -ENOENT, "id 0x%x is no PMC of this file", id);
}

/**
 * hwpmc_id_list_find - the PMC of one id
 * @owner: whose; its lock is held
 * @id: as the caller has it
 * @err: set on failure, and a sentence with it; else left alone
 *
 * Return: the PMC, or NULL.
 */
struct hwpmc_pmc *hwpmc_id_list_find(struct hwpmc_owner *owner, u32 id, int *err)
{
	struct hwpmc_pmc *pmc = hwpmc_id_find(owner, id);

	if (!pmc)
		*err = hwpmc_id_list_unknown(owner, id);
	return pmc;
}

/* Checked with access_ok(). One by one: cheaper than a copy for the usual few. */
static int hwpmc_id_list_resolve(struct hwpmc_owner *owner, struct hwpmc_pmc **pmcs,
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
		pmc = hwpmc_id_find(owner, id);
		if (!pmc) {
			err = hwpmc_id_list_unknown(owner, id);
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
 * hwpmc_id_list_get - the PMCs of a list of ids
 * @owner: whose; its lock is held
 * @list: filled; on success hwpmc_id_list_free() is the caller's
 * @ids: address of the list in the caller's memory
 * @count: ids in it
 * @failed: index of the one that was refused, else 0
 *
 * Each gets the number of this call and its place in the list, for a reading to
 * find it by.
 * Return: 0, or what hwpmc_fail() returned.
 */
int hwpmc_id_list_get(struct hwpmc_owner *owner, struct hwpmc_id_list *list, u64 ids, u32 count,
		      u32 *failed)
{
	const u32 __user *user = u64_to_user_ptr(ids);
	int err;

	*failed = 0;
	err = hwpmc_id_list_room(owner, list, count);
	if (err)
		return err;
	if (access_ok(user, count * sizeof(*user)))
		err = hwpmc_id_list_resolve(owner, list->pmcs, count, user, failed);
	else
		err = hwpmc_fail_copy(owner);
	if (err)
		hwpmc_id_list_free(list);
	return err;
}

/**
 * hwpmc_id_list_apply - do something to the PMCs of a list of ids
 * @owner: whose; its lock is held
 * @ids: as copied in; @failed is set
 * @fn: does it to all of them at once
 */
int hwpmc_id_list_apply(struct hwpmc_owner *owner, struct hwpmc_ids *ids,
			int (*fn)(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed))
{
	struct hwpmc_id_list list __uninitialized;
	int err = hwpmc_id_list_get(owner, &list, ids->ids, ids->count, &ids->failed);

	if (err)
		return err;
	err = fn(list.pmcs, list.count, &ids->failed);
	hwpmc_id_list_free(&list);
	return err;
}

/* Of a caller; it is good for an index afterwards. */
int hwpmc_id_list_check_cpu(struct hwpmc_owner *owner, u32 *cpu)
{
	if (!hwpmc_cpu_exists(cpu))
		return hwpmc_fail(owner, -EINVAL, "there is no cpu %u", *cpu);
	if (!cpu_online(*cpu))
		return hwpmc_fail(owner, -ENXIO, "cpu %u is offline", *cpu);
	return 0;
}
