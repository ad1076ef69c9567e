// SPDX-License-Identifier: GPL-2.0-only
/* What a log begins with: INITIALIZE, and of which PMCs its records are. */
#include <linux/audit.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>

#include <hwpmc_arch_inline.h>

#include "../../arch/hwpmc_arch.h"
#include "../pmc/owner.h"
#include "../pmc/pmc.h"
#include "../pmc/row.h"
#include "../task/target.h"
#include "log.h"

/**
 * hwpmc_begin_fill - the first record of a log
 * @record: filled in, its header too
 * @time: when the log began
 *
 * Context: any but NMI.
 */
void hwpmc_begin_fill(struct hwpmc_log_initialize *record, u64 time)
{
	*record = (struct hwpmc_log_initialize) {
		.h = {
			.type = HWPMC_LOG_INITIALIZE,
			.length = sizeof(*record),
			.time = time,
		},
		.magic = HWPMC_LOG_MAGIC,
		.version = HWPMC_LOG_VERSION,
		.cpus = nr_cpu_ids,
		.cpuid = hwpmc_machine->cpuid,
		.realtime = ktime_get_real_ns() - (ktime_get_mono_fast_ns() - time),
		.machine = HWPMC_AUDIT_ARCH,
	};
}

/**
 * hwpmc_begin_tell - tell of the PMCs that there are, and of what they are attached to
 * @owner: which has rings; owner->lock
 *
 * Records of those that come later are written as they come, so this is for new
 * rings, and for a new log: what was told before went into another.
 */
void hwpmc_begin_tell(struct hwpmc_owner *owner)
{
	const struct hwpmc_target *target;
	unsigned int i;

	lockdep_assert_held(&owner->lock);
	for (i = 0; i < owner->room; i++) {
		const struct hwpmc_pmc *pmc = owner->pmcs[i];

		if (!pmc)
			continue;
		hwpmc_record_allocate(pmc);
		/* Only calls of the owner change it. */
		list_for_each_entry(target, &pmc->targets, node)
			hwpmc_record_attach(pmc, target->pid, target->single, HWPMC_LOG_ATTACH);
	}
}
