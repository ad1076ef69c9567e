/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ids of an owner's PMCs: their layout, and the look-up. Used by the ioctls in call/, in
 * process context with owner->lock held.
 */
#ifndef HWPMC_ID_H
#define HWPMC_ID_H

#include <linux/bits.h>
#include <linux/lockdep.h>
#include <linux/nospec.h>
#include <linux/types.h>

#include "../base/owner.h"
#include "pmc.h"

/*
 * The layout of an id: bits 0 to 19 are an index into owner->pmcs plus one, so no id is 0; bits 20
 * to 31 are a serial number, which is incremented each time the entry is used. An entry whose
 * serial numbers are used up is not used again: so no id is used twice while the file is open. The
 * parameter max_pmcs, the number of rows and CPUs, and for shareable rows the parameter max_shared
 * limit how many PMCs an owner has at a time. If all ids are used up, hwpmc_id_add() fails.
 */
#define HWPMC_ID_INDEX		GENMASK(19, 0)
#define HWPMC_ID_SHIFT		20
#define HWPMC_ID_SERIALS	BIT(32 - HWPMC_ID_SHIFT)

/**
 * hwpmc_id_lookup - look up a PMC by its id in a table
 * @pmcs: owner->pmcs
 * @room: owner->room
 * @id: any number
 *
 * For callers that look up several ids: they load the table once. The index is safe in speculation,
 * too.
 *
 * Context: owner->lock held. Return: the PMC, or NULL.
 */
static __always_inline struct hwpmc_pmc *hwpmc_id_lookup(struct hwpmc_pmc *const *pmcs,
							 unsigned int room, u32 id)
{
	unsigned int i = (id & HWPMC_ID_INDEX) - 1;
	struct hwpmc_pmc *pmc;

	if (i >= room)
		return NULL;
	pmc = pmcs[array_index_nospec(i, room)];
	return pmc && pmc->id == id ? pmc : NULL;
}

/**
 * hwpmc_id_find - look up a PMC by its id
 * @owner: the caller; only its own PMCs are found
 * @id: any number
 *
 * Context: owner->lock held. Return: the PMC, or NULL.
 */
static inline struct hwpmc_pmc *hwpmc_id_find(const struct hwpmc_owner *owner, u32 id)
{
	lockdep_assert_held(&owner->lock);
	return hwpmc_id_lookup(owner->pmcs, owner->room, id);
}

/* kmod/pmc/id.c */
int hwpmc_id_add(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc);
void hwpmc_id_remove(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc);

#endif /* HWPMC_ID_H */
