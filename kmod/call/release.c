// SPDX-License-Identifier: GPL-2.0-only
/* RELEASE, and the release of all that an owner has when its file is closed. */
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/printk.h>

#include "../base/owner.h"
#include "../base/stat.h"
#include "../log/log.h"
#include "../pmc/id.h"
#include "../pmc/pmc.h"
#include "../pmc/sampler.h"
#include "call.h"

/* From any state; when this returns they are off every CPU. May sleep. */
void hwpmc_release_pmcs(struct hwpmc_pmc *const *pmcs, unsigned int count)
{
	bool running = false;
	unsigned int i;

	for (i = 0; i < count; i++)
		running |= pmcs[i]->running;
	if (running)
		hwpmc_state_set(pmcs, count, false);
	for (i = 0; i < count; i++) {
		hwpmc_claim_release(pmcs[i]);
		if (pmcs[i]->sampled)
			hwpmc_sampler_forget(pmcs[i]);
		hwpmc_id_remove(pmcs[i]->owner, pmcs[i]);
		pr_debug("hwpmc: pid %d: PMC %#x is released, row %u given back\n",
			 pid_nr(pmcs[i]->owner->pid), pmcs[i]->id, pmcs[i]->row);
		hwpmc_stat_add(HWPMC_STAT_PMCS, -1);
		hwpmc_pmc_free(pmcs[i]);
	}
}

static int hwpmc_release_list(struct hwpmc_pmc *const *pmcs, unsigned int count, u32 *failed)
{
	hwpmc_release_pmcs(pmcs, count);
	return 0;
}

int hwpmc_release_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	return hwpmc_id_list_apply(owner, &args->ids, hwpmc_release_list);
}

/* The file is closed: all that it allocated goes, with its log if one is open. May sleep. */
void hwpmc_release_owner(struct hwpmc_owner *owner)
{
	unsigned int i, count = 0;

	mutex_lock(&owner->lock);
	/* The file is gone, so the table can be compacted in place. */
	for (i = 0; i < owner->room; i++)
		if (owner->pmcs[i])
			owner->pmcs[count++] = owner->pmcs[i];
	owner->room = 0;
	hwpmc_release_pmcs(owner->pmcs, count);
	pr_debug("hwpmc: pid %d (%s) closed the device, with %u PMCs left\n",
		 pid_nr(owner->pid), owner->comm, count);
	mutex_unlock(&owner->lock);
	/* Nobody waits for the file that its log goes to. */
	if (owner->writer) {
		hwpmc_writer_abandon(owner->writer);
		return;
	}
	hwpmc_buffer_destroy(owner);
	hwpmc_owner_free(owner);
}
