// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMCs of all owners, by a serial number that is never used again, so that a walk which drops
 * the lock resumes where it was. Called by call/allocate.c, call/release.c and netlink/, in process
 * context.
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/xarray.h>

#include "../base/owner.h"
#include "pmc.h"
#include "registry.h"

/* Taken under owner->lock; under it dumps take owner->link_lock, and nothing else. */
DEFINE_MUTEX(hwpmc_registry_lock);

static DEFINE_XARRAY(hwpmc_registry);
static unsigned long hwpmc_registry_last;
/* Changes whenever a PMC is added or removed; never 0, which netlink takes as "none". */
static unsigned int hwpmc_registry_changes = 1;

static void hwpmc_registry_changed(void)
{
	if (!++hwpmc_registry_changes)
		hwpmc_registry_changes = 1;
}

/**
 * hwpmc_registry_add - make a PMC visible to walks
 * @pmc: complete, with an id
 *
 * Context: may sleep; owner->lock held. Return: 0, or -ENOMEM after hwpmc_fail().
 */
int hwpmc_registry_add(struct hwpmc_pmc *pmc)
{
	unsigned long serial;
	int err;

	mutex_lock(&hwpmc_registry_lock);
	serial = ++hwpmc_registry_last;
	pmc->allocated = ktime_get_boottime_ns();
	err = xa_insert(&hwpmc_registry, serial, pmc, GFP_KERNEL_ACCOUNT);
	if (!err) {
		pmc->serial = serial;
		hwpmc_registry_changed();
	}
	mutex_unlock(&hwpmc_registry_lock);
	return err ? hwpmc_fail(pmc->owner, -ENOMEM, "out of memory; try again") : 0;
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
	mutex_lock(&hwpmc_registry_lock);
	xa_erase(&hwpmc_registry, pmc->serial);
	hwpmc_registry_changed();
	mutex_unlock(&hwpmc_registry_lock);
}

/**
 * hwpmc_registry_next - the first PMC after a serial number
 * @serial: the number, 0 to begin; set to that of the PMC which is returned
 *
 * Context: hwpmc_registry_lock held. Return: the PMC, valid until the lock is dropped, or NULL.
 */
struct hwpmc_pmc *hwpmc_registry_next(unsigned long *serial)
{
	lockdep_assert_held(&hwpmc_registry_lock);
	return xa_find_after(&hwpmc_registry, serial, ULONG_MAX, XA_PRESENT);
}

/* A number, not 0, that differs after a PMC was added or removed. Context: as above. */
unsigned int hwpmc_registry_generation(void)
{
	lockdep_assert_held(&hwpmc_registry_lock);
	return hwpmc_registry_changes;
}
