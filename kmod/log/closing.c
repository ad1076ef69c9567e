// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frees the rings of closed files that have no log. Probes may write to these rings until a grace
 * period has passed. close(2) does not wait for it: a process that exits with many files would wait
 * for one grace period after the other, while a work queue frees many files after the same one.
 *
 * Called by call/release.c, and at load and unload of the module.
 */
#include <linux/workqueue.h>

#include "../base/owner.h"
#include "log.h"

static struct workqueue_struct *hwpmc_closing_queue;

static void hwpmc_closing_end(struct work_struct *work)
{
	struct hwpmc_owner *owner = container_of(to_rcu_work(work), struct hwpmc_owner, closing);

	hwpmc_buffer_destroy(owner);
	hwpmc_owner_free(owner);
}

/**
 * hwpmc_closing_add - free an owner with rings after a grace period
 * @owner: its file is closed, its PMCs are released, and it has no log
 *
 * The user's number of files decreases at once, the charge for the memory after the grace period:
 * see hwpmc_charge_wait(). Context: may sleep.
 */
void hwpmc_closing_add(struct hwpmc_owner *owner)
{
	hwpmc_loggers_remove(owner);
	owner->rings->listed = false;
	hwpmc_owner_unlist(owner);
	hwpmc_charge_end(&owner->rings->charge);
	INIT_RCU_WORK(&owner->closing, hwpmc_closing_end);
	queue_rcu_work(hwpmc_closing_queue, &owner->closing);
}

/** hwpmc_closing_init - called at module load; return: 0 or -ENOMEM */
int hwpmc_closing_init(void)
{
	hwpmc_closing_queue = alloc_workqueue("hwpmc_closing", WQ_UNBOUND, 0);
	return hwpmc_closing_queue ? 0 : -ENOMEM;
}

/** hwpmc_closing_exit - free all that is left; called at module unload, when no file is open */
void hwpmc_closing_exit(void)
{
	rcu_barrier();
	destroy_workqueue(hwpmc_closing_queue);
}
