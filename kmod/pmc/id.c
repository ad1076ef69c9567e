// SPDX-License-Identifier: GPL-2.0-only
/* The handles of an owner's PMCs: given out, and taken back. See id.h. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../base/owner.h"
#include "id.h"
#include "pmc.h"

static int hwpmc_id_grow(struct hwpmc_owner *owner)
{
	unsigned int room = owner->room ? owner->room * 2 : 8;
	struct hwpmc_pmc **pmcs;
	u16 *serials;

	if (room > HWPMC_ID_INDEX)
		return hwpmc_fail(owner, -EBUSY,
				  "this open file has had all of its ids; open the device again");
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

/* Give @pmc an id and make it visible under it. owner->lock. */
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

void hwpmc_id_remove(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc)
{
	unsigned int i = (pmc->id & HWPMC_ID_INDEX) - 1;

	lockdep_assert_held(&owner->lock);
	/* Not so when it never got an id, or when the whole table goes. */
	if (i < owner->room && owner->pmcs[i] == pmc) {
		owner->pmcs[i] = NULL;
		owner->used--;
	}
}
