// SPDX-License-Identifier: GPL-2.0-only
/* The owners that have rings: those to whom records of processes may be for. */
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "../base/owner.h"
#include "log.h"

/* Changed under the lock, read under RCU or the lock. */
LIST_HEAD(hwpmc_loggers);
static DEFINE_SPINLOCK(hwpmc_loggers_lock);

void hwpmc_loggers_add(struct hwpmc_owner *owner)
{
	spin_lock(&hwpmc_loggers_lock);
	list_add_tail_rcu(&owner->in_loggers, &hwpmc_loggers);
	spin_unlock(&hwpmc_loggers_lock);
}

/* May sleep: when it returns no probe writes to @owner's rings any more. */
void hwpmc_loggers_remove(struct hwpmc_owner *owner)
{
	spin_lock(&hwpmc_loggers_lock);
	list_del_rcu(&owner->in_loggers);
	spin_unlock(&hwpmc_loggers_lock);
	synchronize_rcu();
}
