// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hang-up of an owner (EPOLLHUP): some of its PMCs had targets, and no target has a living thread
 * any more. Called by link.c and task/life.c when threads begin and end, and by call/,
 * task/attach.c and task/target.c. The counts are guarded by the owner's link_lock.
 */
#include <linux/lockdep.h>
#include <linux/spinlock.h>

#include "../base/notice.h"
#include "../base/owner.h"
#include "context.h"
#include "pmc.h"

/* Add to the owner's numbers of PMCs that were attached, and of those with a living thread. */
static void hwpmc_hangup_count(struct hwpmc_owner *owner, int attached, int living)
{
	bool before = owner->hung_up;

	lockdep_assert_held(&owner->link_lock);
	owner->attached += attached;
	owner->living += living;
	WRITE_ONCE(owner->hung_up, owner->attached && !owner->living);
	if (owner->hung_up && !before) {
		hwpmc_owner_notify(owner);
		hwpmc_notice_owner(owner, HWPMC_NL_WHAT_ENDED, 0);
	}
}

/**
 * hwpmc_hangup_count_threads - change the number of living threads that a PMC follows
 * @pmc: a virtual PMC
 * @by: 1 for a thread that was linked; -1 for one that begins to exit, or that was unlinked
 *	before it did
 *
 * Notifies the owner if that was the last one. Context: any but NMI; link_lock held.
 */
void hwpmc_hangup_count_threads(struct hwpmc_pmc *pmc, int by)
{
	bool before = pmc->living;

	WRITE_ONCE(pmc->living, pmc->living + by);
	hwpmc_hangup_count(pmc->owner, 0, !!pmc->living - before);
}

/**
 * hwpmc_hangup_set_attached - set whether a PMC counts as attached
 * @pmc: a virtual PMC
 * @attached: true: it has had a target; false: treat it as if it never had one
 *
 * Call it with true after the first target is linked, and with false before the last one is
 * unlinked: an attached PMC without a living thread would be reported as a hang-up.
 *
 * Context: process, owner->lock held; takes link_lock.
 */
void hwpmc_hangup_set_attached(struct hwpmc_pmc *pmc, bool attached)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pmc->owner->link_lock, flags);
	hwpmc_hangup_count(pmc->owner, attached - pmc->attached, 0);
	pmc->attached = attached;
	raw_spin_unlock_irqrestore(&pmc->owner->link_lock, flags);
}
