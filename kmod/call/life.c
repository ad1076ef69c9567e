// SPDX-License-Identifier: GPL-2.0-only
/* The life of PMCs: ALLOCATE, START, STOP, RELEASE. */
#include <linux/minmax.h>
#include <linux/uaccess.h>

#include "../compat/compat.h"
#include "../log/log.h"
#include "../pmc/owner.h"
#include "../pmc/pmc.h"
#include "call.h"

int hwpmc_do_allocate(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_allocate *a = &args->allocate;
	struct hwpmc_pmc *pmc;
	int err;

	a->id = 0;
	a->row = 0;
	err = hwpmc_pmc_allocate(owner, a, &pmc);
	if (err || !pmc)
		return err ? err : HWPMC_REPLY;
	/* If the id cannot be told nobody could ever release it, nor is to read of it. */
	if (copy_to_user(owner->args, a, min_t(u32, a->size, sizeof(*a)))) {
		a->id = 0;
		hwpmc_pmc_release(&pmc, 1);
		return hwpmc_fail_copy(owner);
	}
	hwpmc_record_allocate(pmc);
	return 0;
}

static int hwpmc_release_named(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed)
{
	hwpmc_pmc_release(pmcs, count);
	return 0;
}

static int hwpmc_do_ids(struct hwpmc_owner *owner, struct hwpmc_ids *ids,
			int (*fn)(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed))
{
	struct hwpmc_named named __uninitialized;
	int err = hwpmc_named_get(owner, &named, ids->ids, ids->count, &ids->failed);

	if (err)
		return err;
	err = fn(named.pmcs, named.count, &ids->failed);
	hwpmc_named_free(&named);
	return err;
}

int hwpmc_do_release(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_do_ids(owner, &args->ids, hwpmc_release_named);
}

int hwpmc_do_start(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_do_ids(owner, &args->ids, hwpmc_state_start);
}

int hwpmc_do_stop(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_do_ids(owner, &args->ids, hwpmc_state_stop);
}
