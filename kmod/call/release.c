// SPDX-License-Identifier: GPL-2.0-only
/*
 * RELEASE, and the release of everything an owner has when its file is closed. Called by
 * kmod/ioctl.c and kmod/cdev.c, in process context; may sleep.
 */
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/printk.h>

#include "../base/notice.h"
#include "../base/owner.h"
#include "../base/stat.h"
#include "../log/log.h"
#include "../pmc/announce.h"
#include "../pmc/id.h"
#include "../pmc/page.h"
#include "../pmc/pmc.h"
#include "../pmc/registry.h"
#include "../pmc/row.h"
#include "../pmc/sampler.h"
#include "../probe/probe.h"
#include "call.h"

/**
 * hwpmc_release_pmcs - stop and free PMCs
 * @pmcs: of one owner, in any state
 * @count: how many
 *
 * On return no CPU counts for them. Context: may sleep; owner->lock held.
 */
void hwpmc_release_pmcs(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	bool running = false;
	unsigned int i;

	for (i = 0; i < count; i++)
		running |= pmcs[i]->running;
	if (running)
		hwpmc_state_set(pmcs, count, false);
	for (i = 0; i < count; i++) {
		hwpmc_announce_last(pmcs[i]);
		/* First, since a walk of the registry reads memory that is freed below. */
		hwpmc_registry_remove(pmcs[i]);
		hwpmc_claim_release(pmcs[i]);
		hwpmc_page_release(pmcs[i]);
		if (pmcs[i]->sampled)
			hwpmc_sampler_flush_pmc(pmcs[i]);
		hwpmc_group_remove_all(pmcs[i]);
		hwpmc_id_remove(pmcs[i]->owner, pmcs[i]);
		pr_debug("hwpmc: pid %d: PMC %#x is released, row %u is free\n",
			 pid_nr(pmcs[i]->owner->pid), pmcs[i]->id, pmcs[i]->row);
		hwpmc_stat_add(HWPMC_STAT_PMCS, -1);
		if (pmcs[i]->probe)
			hwpmc_provider_put(pmcs[i]->probe, true);
		hwpmc_pmc_free(pmcs[i]);
	}
}

static int hwpmc_release_list(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed)
{
	hwpmc_announce(pmcs[0], HWPMC_NL_WHAT_RELEASE, NULL, count);
	hwpmc_release_pmcs(pmcs, count);
	return 0;
}

int hwpmc_release_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_id_list_apply(owner, &args->ids, true, hwpmc_release_list);
}

/**
 * hwpmc_release_owner - release what an owner allocated, and the owner
 * @owner: whose file is closed
 *
 * If a log is open its thread writes the remaining records, for a bounded time, and then frees the
 * rings and the owner. Rings without a log are freed after a grace period, which close(2) does not
 * wait for. Context: may sleep; takes owner->lock.
 */
void hwpmc_release_owner(struct hwpmc_owner *owner)
{
	unsigned int i, count = 0;

	mutex_lock(&owner->lock);
	/* No call can use the ids any more, so the table can be compacted in place. */
	for (i = 0; i < owner->room; i++)
		if (owner->pmcs[i])
			owner->pmcs[count++] = owner->pmcs[i];
	owner->room = 0;
	hwpmc_release_pmcs(owner->pmcs, count);
	hwpmc_pmu_report_last(owner);
	hwpmc_notice_owner(owner, HWPMC_NL_WHAT_CLOSE, count);
	pr_debug("hwpmc: pid %d (%s) closed the device, with %u PMCs left\n",
		 pid_nr(owner->pid), owner->comm, count);
	mutex_unlock(&owner->lock);
	if (owner->writer) {
		hwpmc_writer_drain(owner->writer);
		return;
	}
	if (owner->rings)
		hwpmc_closing_add(owner);
	else
		hwpmc_owner_free(owner);
}
