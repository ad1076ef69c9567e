// SPDX-License-Identifier: GPL-2.0-only
/*
 * When an owner hangs up: some of its PMCs had targets, and none of them is left. Counted
 * by PMC, under hwpmc_link_lock.
 */
#include <linux/lockdep.h>
#include <linux/spinlock.h>

#include "../base/owner.h"
#include "context.h"
#include "pmc.h"

static void hwpmc_hangup_count(struct hwpmc_owner *owner, int attached, int living)
{
	bool before = owner->hung_up;

	lockdep_assert_held(&hwpmc_link_lock);
	owner->attached += attached;
	owner->living += living;
	WRITE_ONCE(owner->hung_up, owner->attached && !owner->living);
	if (owner->hung_up && !before)
		hwpmc_owner_notify(owner);
}

/* @by threads that @pmc counts in have come, or begun to exit or gone. hwpmc_link_lock. */
void hwpmc_hangup_count_threads(struct hwpmc_pmc *pmc, int by)
{
	bool before = pmc->living;

	WRITE_ONCE(pmc->living, pmc->living + by);
	hwpmc_hangup_count(pmc->owner, 0, !!pmc->living - before);
}

/**
 * hwpmc_hangup_set_attached - @pmc has a target, or is to be as if it never had
 * @pmc: virtual
 * @attached: which of the two
 *
 * Its first target is there before, and its last one goes after: in between it
 * would seem to have lost it. Context: owner->lock.
 */
void hwpmc_hangup_set_attached(struct hwpmc_pmc *pmc, bool attached)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	hwpmc_hangup_count(pmc->owner, attached - pmc->attached, 0);
	pmc->attached = attached;
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}
