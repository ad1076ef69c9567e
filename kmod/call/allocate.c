// SPDX-License-Identifier: GPL-2.0-only
/*
 * ALLOCATE: checks the request, creates the PMC, claims its resources and gives it an id. Called by
 * kmod/ioctl.c, in process context with owner->lock held; may sleep.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../base/stat.h"
#include "../pmc/announce.h"
#include "../pmc/id.h"
#include "../pmc/pmc.h"
#include "../pmc/registry.h"
#include "../pmc/trace.h"
#include "../probe/probe.h"
#include "call.h"

/**
 * hwpmc_allocate_pmc - allocate a PMC
 * @owner: whose call it is; owner->lock held
 * @args: as copied in; @args->row, and without HWPMC_F_TRY @args->id, are set
 * @out: the PMC; NULL after an error and with HWPMC_F_TRY
 *
 * Context: may sleep. Return: 0, or an error of HWPMC_IOC_ALLOCATE.
 */
int hwpmc_allocate_pmc(struct hwpmc_owner *owner, struct hwpmc_allocate *args,
		       struct hwpmc_pmc **out)
{
	bool try = args->flags & HWPMC_F_TRY;
	struct hwpmc_encoding enc = {};
	struct hwpmc_filters *filters;
	struct hwpmc_probe *probe = NULL;
	struct hwpmc_pmc *pmc;
	int class, err;
	u64 caps;

	*out = NULL;
	class = hwpmc_request_check(owner, args, &caps, &enc);
	if (class < 0)
		return class;
	filters = hwpmc_filter_list_get(owner, args);
	if (IS_ERR(filters))
		return PTR_ERR(filters);
	if (args->class_id == HWPMC_CLASS_PROBE)
		probe = hwpmc_provider_get(owner, args);
	if (IS_ERR(probe)) {
		kfree(filters);
		return PTR_ERR(probe);
	}
	pmc = hwpmc_pmc_new(owner, class, args, caps, &enc, probe);
	err = PTR_ERR_OR_ZERO(pmc);
	if (err) {
		kfree(filters);
		goto out_probe;
	}
	pmc->filters = filters;
	err = hwpmc_claim_all(pmc, &enc, try);
	if (err || try) {
		args->row = pmc->row;
		hwpmc_pmc_free(pmc);
		goto out_probe;
	}
	hwpmc_stat_inc(HWPMC_STAT_PMCS);
	err = hwpmc_id_add(owner, pmc);
	if (!err)
		err = hwpmc_registry_add(pmc);
	if (err) {
		hwpmc_release_pmcs(&pmc, 1);
		return err;
	}
	args->id = pmc->id;
	args->row = pmc->row;
	pr_debug("hwpmc: pid %d (%s): PMC %#x of mode %u on row %u counts event %#llx\n",
		 pid_nr(owner->pid), owner->comm, pmc->id, pmc->mode, pmc->row, pmc->event);
	*out = pmc;
	return 0;
out_probe:
	/* A probe that a TRY or a refused call registered is removed. */
	if (probe)
		hwpmc_provider_put(probe, false);
	return err;
}

int hwpmc_allocate_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_allocate *a = &args->allocate;
	struct hwpmc_pmc *pmc;
	int err;

	a->id = 0;
	a->row = 0;
	err = hwpmc_allocate_pmc(owner, a, &pmc);
	if (err || !pmc)
		return err ? err : HWPMC_REPLY;
	/*
	 * If the id cannot be copied out, no call could release the PMC: so undo the
	 * allocation before it is logged.
	 */
	if (copy_to_user(owner->args, a, min_t(u32, a->size, sizeof(*a)))) {
		a->id = 0;
		hwpmc_release_pmcs(&pmc, 1);
		return hwpmc_fail_copy(owner);
	}
	hwpmc_emit_allocate(pmc);
	hwpmc_announce(pmc, HWPMC_NL_WHAT_ALLOCATE, NULL, 1);
	trace_hwpmc_allocate(pmc);
	hwpmc_announce_evict(pmc);
	return 0;
}
