// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the PMCs of a caller's list of ids. Used by the ioctls, in process context with owner->lock
 * held; a number that is not an id of this file is refused.
 */
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
	/* Each id is in the list once, so there are no more ids than PMCs. */
	if (count > owner->used)
		return hwpmc_fail(owner, -ENOENT, "the list has more ids than this open file has PMCs (%u)",
				  owner->used);
	list->pmcs = kvmalloc_array(count, sizeof(*list->pmcs), GFP_KERNEL_ACCOUNT);
	if (list->pmcs)
		return 0;
	return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
}

static int hwpmc_id_list_unknown(struct hwpmc_owner *owner, u32 id)
{
	return hwpmc_fail(owner, -ENOENT, "id 0x%x is not a PMC of this open file", id);
}

static int hwpmc_id_list_evicted(struct hwpmc_owner *owner, u32 id)
{
	return hwpmc_fail(owner, -ECANCELED,
			  "an administrator took the row of PMC 0x%x, or loaded KVM with its mediated PMU: release it and allocate another", id);
}

/**
 * hwpmc_id_list_check_evicted - check that an administrator has not ended a PMC
 * @pmc: the PMC; its owner's lock held
 *
 * Context: process. Return: 0, or -ECANCELED, recorded with a sentence.
 */
int hwpmc_id_list_check_evicted(struct hwpmc_pmc *pmc)
{
	return READ_ONCE(pmc->evicted) ? hwpmc_id_list_evicted(pmc->owner, pmc->id) : 0;
}

/**
 * hwpmc_id_list_find - find the PMC of one id
 * @owner: whose PMC; owner->lock held
 * @id: as the caller passed it
 * @err: 0; set to -ENOENT or -ECANCELED on failure, which is recorded with a sentence
 *
 * Context: process. Return: the PMC, or NULL.
 */
struct hwpmc_pmc *hwpmc_id_list_find(struct hwpmc_owner *owner, u32 id, int *err)
{
	struct hwpmc_pmc *pmc = hwpmc_id_find(owner, id);

	if (!pmc)
		*err = hwpmc_id_list_unknown(owner, id);
	else if (READ_ONCE(pmc->evicted))
		*err = hwpmc_id_list_evicted(owner, id);
	return *err ? NULL : pmc;
}

/*
 * The caller checked @ids with access_ok(). Loading the ids one by one is cheaper than a
 * copy for the usual few.
 */
static int hwpmc_id_list_resolve(struct hwpmc_owner *owner, struct hwpmc_pmc **pmcs,
				 unsigned int count, const u32 __user *ids, u32 *failed, bool any)
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
		if (READ_ONCE(pmc->evicted) && !any) {
			err = hwpmc_id_list_evicted(owner, id);
			goto refused;
		}
		if (pmc->call == call) {
			err = hwpmc_fail(owner, -EINVAL, "id 0x%x is in the list twice", id);
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
 * hwpmc_id_list_get - find the PMCs of a list of ids
 * @owner: whose PMCs; owner->lock held
 * @list: filled; after success the caller calls hwpmc_id_list_free()
 * @ids: address of the list in the caller's memory
 * @count: ids in it
 * @failed: index of the id that was refused, else 0
 * @any: also ids of PMCs that an administrator ended
 *
 * Sets @call and @index of each PMC to this call and its place in the list, by which a
 * reading finds it.
 * Context: may sleep. Return: 0, or an error that hwpmc_fail() recorded.
 */
int hwpmc_id_list_get(struct hwpmc_owner *owner, struct hwpmc_id_list *list, u64 ids, u32 count,
		      u32 *failed, bool any)
{
	const u32 __user *user = u64_to_user_ptr(ids);
	int err;

	*failed = 0;
	err = hwpmc_id_list_room(owner, list, count);
	if (err)
		return err;
	if (access_ok(user, count * sizeof(*user)))
		err = hwpmc_id_list_resolve(owner, list->pmcs, count, user, failed, any);
	else
		err = hwpmc_fail_copy(owner);
	if (err)
		hwpmc_id_list_free(list);
	return err;
}

/**
 * hwpmc_id_list_apply - apply a function to the PMCs of a list of ids
 * @owner: whose PMCs; owner->lock held
 * @ids: as copied in; @ids->failed is set
 * @any: also to PMCs that an administrator ended
 * @fn: is called once, with all of them
 *
 * Context: may sleep. Return: 0, or the error of the list or of @fn.
 */
int hwpmc_id_list_apply(struct hwpmc_owner *owner, struct hwpmc_ids *ids, bool any,
			int (*fn)(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed))
{
	struct hwpmc_id_list list __uninitialized;
	int err = hwpmc_id_list_get(owner, &list, ids->ids, ids->count, &ids->failed, any);

	if (err)
		return err;
	err = fn(list.pmcs, list.count, &ids->failed);
	hwpmc_id_list_free(&list);
	return err;
}

/**
 * hwpmc_id_list_check_cpu - check the CPU number that a caller passed
 * @owner: whose call it is; owner->lock held
 * @cpu: the number; bounded against speculation, so that it can be used as an index
 *
 * Context: process. Return: 0, -EINVAL, or -ENXIO if the CPU is offline.
 */
int hwpmc_id_list_check_cpu(struct hwpmc_owner *owner, u32 *cpu)
{
	if (!hwpmc_cpu_exists(cpu))
		return hwpmc_fail(owner, -EINVAL, "there is no cpu %u", *cpu);
	if (!cpu_online(*cpu))
		return hwpmc_fail(owner, -ENXIO, "cpu %u is offline", *cpu);
	return 0;
}
