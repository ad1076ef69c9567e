/* SPDX-License-Identifier: GPL-2.0-only */
/* The handles of an owner's PMCs. */
#ifndef HWPMC_ID_H
#define HWPMC_ID_H

#include <linux/bits.h>
#include <linux/lockdep.h>
#include <linux/nospec.h>
#include <linux/types.h>

#include "../base/owner.h"
#include "pmc.h"

/*
 * An id is an index into owner->pmcs, plus one, below the entry's serial number.
 * An entry that has used up its serial numbers is not used again: no id ever
 * comes back while the file is open. Rows times CPUs bound the PMCs of an owner,
 * and max_shared those on a shareable row for each CPU; whoever needs more ids
 * than there are is refused.
 */
#define HWPMC_ID_INDEX		GENMASK(19, 0)
#define HWPMC_ID_SHIFT		20
#define HWPMC_ID_SERIALS	BIT(32 - HWPMC_ID_SHIFT)

/**
 * hwpmc_id_find - the PMC of an id, or NULL
 * @owner: whose; its lock is held
 * @id: any number
 *
 * Inline, since a reading does it for each id.
 */
static inline struct hwpmc_pmc *hwpmc_id_find(const struct hwpmc_owner *owner, u32 id)
{
	unsigned int i = (id & HWPMC_ID_INDEX) - 1;
	struct hwpmc_pmc *pmc;

	lockdep_assert_held(&owner->lock);
	if (i >= owner->room)
		return NULL;
	pmc = owner->pmcs[array_index_nospec(i, owner->room)];
	return pmc && pmc->id == id ? pmc : NULL;
}

/* kmod/pmc/id.c */
int hwpmc_id_add(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc);
void hwpmc_id_remove(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc);

#endif /* HWPMC_ID_H */
