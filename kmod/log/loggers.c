// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of owners that have rings. Records of processes and mappings are written to owners on
 * this list. buffer.c adds owners, buffer.c and closing.c remove them, and probes walk the list
 * under RCU.
 */
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "../base/owner.h"
#include "log.h"

/* Changed under the lock, read under RCU or the lock. */
LIST_HEAD(hwpmc_loggers);
static DEFINE_SPINLOCK(hwpmc_loggers_lock);

/**
 * hwpmc_loggers_add - add an owner to the list
 * @owner: its rings are complete
 *
 * Context: process.
 */
void hwpmc_loggers_add(struct hwpmc_owner *owner)
{
	spin_lock(&hwpmc_loggers_lock);
	list_add_tail_rcu(&owner->in_loggers, &hwpmc_loggers);
	spin_unlock(&hwpmc_loggers_lock);
}

/**
 * hwpmc_loggers_remove - remove an owner from the list
 * @owner: on the list
 *
 * After a grace period no probe writes to the owner's rings any more. Context: process.
 */
void hwpmc_loggers_remove(struct hwpmc_owner *owner)
{
	spin_lock(&hwpmc_loggers_lock);
	list_del_rcu(&owner->in_loggers);
	spin_unlock(&hwpmc_loggers_lock);
}
