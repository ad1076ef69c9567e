// SPDX-License-Identifier: GPL-2.0-only
/* The description of a row for HWPMC_IOC_PMC_INFO. */
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/string.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../base/rights.h"
#include "../hwpmc.h"
#include "pmc.h"
#include "row.h"
#include "row_holders.h"

/*
 * The holder that is reported for @cpu, or NULL: a system-wide PMC of this CPU or a virtual one,
 * if possible one that the caller may see. The number of such holders is added to @holders.
 */
static const struct hwpmc_pmc *hwpmc_row_reported(const struct hwpmc_row *row, int cpu,
						  u32 *holders)
{
	const struct hwpmc_pmc *pmc, *shown = NULL;
	bool perfmon = hwpmc_rights_perfmon();

	list_for_each_entry(pmc, &row->holders, in_row) {
		if (pmc->cpu >= 0 && pmc->cpu != cpu)
			continue;
		(*holders)++;
		if (!shown || (hwpmc_rights_hide(shown->owner, perfmon) &&
			       !hwpmc_rights_hide(pmc->owner, perfmon)))
			shown = pmc;
	}
	return shown;
}

/**
 * hwpmc_row_info - describe a row on one CPU, as HWPMC_IOC_PMC_INFO returns it
 * @cpu: a CPU that exists
 * @n: number of the row, below hwpmc_row_count
 * @info: set
 *
 * Context: process, hwpmc_rows_lock held.
 */
void hwpmc_row_info(int cpu, unsigned int n, struct hwpmc_row_info *info)
{
	struct hwpmc_row *row = &hwpmc_rows[n];
	unsigned int class_row;
	const struct hwpmc_class *class = hwpmc_row_to_class(n, &class_row);
	bool exists = class->row_exists(cpu, class_row);
	const struct hwpmc_pmc *pmc;

	lockdep_assert_held(&hwpmc_rows_lock);
	memset(info, 0, sizeof(*info));
	class->row_name(class_row, info->name, sizeof(info->name));
	info->class_id = class->id;
	info->enabled = exists && !hwpmc_row_disabled(row, cpu);
	info->disposition = exists ? hwpmc_row_disposition(row) : HWPMC_ROW_ABSENT;
	info->width = class->row_width(class_row);
	info->pid = HWPMC_PID_NONE;
	pmc = hwpmc_row_reported(row, cpu, &info->holders);
	if (!pmc)
		return;
	info->pid = HWPMC_PID_HIDDEN;
	if (hwpmc_rights_hide(pmc->owner, hwpmc_rights_perfmon()))
		return;
	info->pid = pid_vnr(pmc->owner->pid);
	strscpy(info->comm, pmc->owner->comm, sizeof(info->comm));
	info->mode = pmc->mode;
	info->flags = pmc->flags;
	info->event = pmc->event;
	info->count = pmc->count;
}
