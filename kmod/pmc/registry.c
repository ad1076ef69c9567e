// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMCs of all owners, by a serial number that is never used again, so that a walk resumes where
 * it was. Called by call/allocate.c, call/release.c, announce.c and netlink/, in process context.
 *
 * A walk takes the lock of the table for one look-up at a time, and pins what it uses: only the
 * RELEASE of a pinned PMC waits, not the ALLOCATE and RELEASE of others. Any user may walk.
 */
#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "../base/owner.h"
#include "pmc.h"
#include "registry.h"

/* Its lock guards the entries: while it is held, the PMCs may be used, and pinned. */
static DEFINE_XARRAY(hwpmc_registry);
static atomic_long_t hwpmc_registry_last = ATOMIC_LONG_INIT(0);
/* Number of PMCs that were added or removed so far. */
static atomic_t hwpmc_registry_changes = ATOMIC_INIT(0);
/* RELEASE waits here until a PMC is not pinned. */
static DECLARE_WAIT_QUEUE_HEAD(hwpmc_registry_waiters);

/**
 * hwpmc_registry_add - make a PMC visible to walks
 * @pmc: complete, with an id
 *
 * Context: may sleep; owner->lock held. Return: 0, or -ENOMEM after hwpmc_fail().
 */
int hwpmc_registry_add(struct hwpmc_pmc *pmc)
{
	pmc->serial = (unsigned long)atomic_long_inc_return(&hwpmc_registry_last);
	pmc->allocated = ktime_get_boottime_ns();
	if (xa_insert(&hwpmc_registry, pmc->serial, pmc, GFP_KERNEL_ACCOUNT)) {
		pmc->serial = 0;
		return hwpmc_fail(pmc->owner, -ENOMEM, "out of memory; try again");
	}
	/* After it is in the table: see hwpmc_registry_generation(). */
	atomic_inc(&hwpmc_registry_changes);
	return 0;
}

/**
 * hwpmc_registry_remove - hide a PMC from walks
 * @pmc: a PMC that was added or not
 *
 * On return no walk uses it. Context: may sleep; owner->lock held.
 */
void hwpmc_registry_remove(struct hwpmc_pmc *pmc)
{
	if (!pmc->serial)
		return;
	xa_erase(&hwpmc_registry, pmc->serial);
	atomic_inc(&hwpmc_registry_changes);
	/* Pairs with hwpmc_registry_unpin(). */
	wait_event(hwpmc_registry_waiters, !atomic_read_acquire(&pmc->pins));
}

/**
 * hwpmc_registry_newest - the largest serial number that a PMC has had so far
 *
 * A walk ends there: a user may allocate PMCs faster than a walk visits them. Context: any. Return:
 * 0 if there was no PMC.
 */
unsigned long hwpmc_registry_newest(void)
{
	return (unsigned long)atomic_long_read(&hwpmc_registry_last);
}

/**
 * hwpmc_registry_next - the first PMC after a serial number
 * @serial: the number, 0 to begin; set to that of the next PMC
 * @end: the largest number; see hwpmc_registry_newest()
 * @wanted: whether to return a PMC; called with a spinlock held
 * @arg: its argument
 * @pmc: set to that PMC, to be unpinned, or to NULL if @wanted refuses it
 *
 * Context: process. Return: false if there is no PMC after @serial, up to @end.
 */
bool hwpmc_registry_next(unsigned long *serial, unsigned long end,
			 hwpmc_registry_wanted_fn wanted, const void *arg, struct hwpmc_pmc **pmc)
{
	struct hwpmc_pmc *next;

	xa_lock(&hwpmc_registry);
	next = xa_find_after(&hwpmc_registry, serial, end, XA_PRESENT);
	*pmc = next && wanted(next, arg) ? next : NULL;
	if (*pmc)
		atomic_inc(&next->pins);
	xa_unlock(&hwpmc_registry);
	return next;
}

/* Unpin a PMC, which may then be freed. Context: any but NMI. */
void hwpmc_registry_unpin(struct hwpmc_pmc *pmc)
{
	/* A full barrier: all accesses to the PMC are complete. */
	if (atomic_dec_and_test(&pmc->pins))
		wake_up_all(&hwpmc_registry_waiters);
}

/**
 * hwpmc_registry_generation - a number that differs after a PMC was added or removed
 *
 * If it is the same before a walk and after its last look-up, the walk saw the table of one
 * instant: the number changes after each change of the table. Context: any. Return: never 0,
 * which netlink interprets as "none".
 */
unsigned int hwpmc_registry_generation(void)
{
	return 2 * (unsigned int)atomic_read(&hwpmc_registry_changes) + 1;
}
