// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ids of an owner's PMCs: publish and remove, see id.h. Called by call/allocate.c and
 * call/release.c, in process context with owner->lock held.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../base/owner.h"
#include "id.h"
#include "pmc.h"

/* Double the table. Its size stays below what an id has room for. */
static int hwpmc_id_grow(struct hwpmc_owner *owner)
{
	unsigned int room = owner->room ? owner->room * 2 : 8;
	struct hwpmc_pmc **pmcs;
	u16 *serials;

	if (room > HWPMC_ID_INDEX)
		return hwpmc_fail(owner, -EBUSY,
				  "this open file has used up its ids; close it and open the device again");
	pmcs = kvcalloc(room, sizeof(*pmcs), GFP_KERNEL_ACCOUNT);
	serials = kvcalloc(room, sizeof(*serials), GFP_KERNEL_ACCOUNT);
	if (!pmcs || !serials) {
		kvfree(pmcs);
		kvfree(serials);
		return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
	}
	if (owner->room) {
		memcpy(pmcs, owner->pmcs, owner->room * sizeof(*pmcs));
		memcpy(serials, owner->serials, owner->room * sizeof(*serials));
	}
	kvfree(owner->pmcs);
	kvfree(owner->serials);
	owner->pmcs = pmcs;
	owner->serials = serials;
	owner->room = room;
	return 0;
}

/**
 * hwpmc_id_add - assign an id to a PMC and publish it
 * @owner: owner of the PMC
 * @pmc: complete; calls find it by pmc->id from now on
 *
 * Context: may sleep; owner->lock held. Return: 0, or what hwpmc_fail() returned: -EBUSY if all
 * ids are used up, -ENOMEM.
 */
int hwpmc_id_add(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc)
{
	unsigned int i = 0;
	int err;

	lockdep_assert_held(&owner->lock);
	while (i < owner->room && (owner->pmcs[i] || owner->serials[i] == HWPMC_ID_SERIALS))
		i++;
	if (i == owner->room) {
		err = hwpmc_id_grow(owner);
		if (err)
			return err;
	}
	pmc->id = (u32)owner->serials[i]++ << HWPMC_ID_SHIFT | (i + 1);
	owner->pmcs[i] = pmc;
	owner->used++;
	return 0;
}

/**
 * hwpmc_id_remove - make a PMC's id invalid
 * @owner: owner of the PMC
 * @pmc: a PMC with or without an id
 *
 * Context: owner->lock held.
 */
void hwpmc_id_remove(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc)
{
	unsigned int i = (pmc->id & HWPMC_ID_INDEX) - 1;

	lockdep_assert_held(&owner->lock);
	/*
	 * False if hwpmc_id_add() failed or was not called, and in hwpmc_release_owner(), which
	 * removes the whole table.
	 */
	if (i < owner->room && owner->pmcs[i] == pmc) {
		owner->pmcs[i] = NULL;
		owner->used--;
	}
}
