// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why a PMC cannot have a row: sentences with the holders, as far as the caller may see them.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/pid.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../base/rights.h"
#include "../hwpmc.h"
#include "pmc.h"
#include "row.h"
#include "row_holders.h"

/* The owner of a PMC that prevents @pmc from using @row. */
static const struct hwpmc_owner *hwpmc_row_blocker(const struct hwpmc_row *row,
						   const struct hwpmc_pmc *pmc)
{
	const struct hwpmc_pmc *other;

	if (hwpmc_mode_virtual(pmc->mode) && test_bit(row - hwpmc_rows, pmc->owner->rows))
		return pmc->owner;
	/* A PMC of the same CPU, or if all holders are of the other kind, the first one. */
	list_for_each_entry(other, &row->holders, in_row)
		if (hwpmc_mode_virtual(other->mode) != hwpmc_mode_virtual(pmc->mode) ||
		    other->cpu == pmc->cpu)
			break;
	return other->owner;
}

/* Describes @owner if the caller may not see it; otherwise NULL. */
static const char *hwpmc_row_hidden(const struct hwpmc_owner *owner)
{
	return hwpmc_rights_hide(owner, hwpmc_rights_perfmon());
}

/* Write why @pmc cannot have any of @rows: "row 1 pid 812 (pmctl), row 2 disabled, ...". */
static void hwpmc_row_holders(const struct hwpmc_pmc *pmc, u64 rows, char *buf, size_t size)
{
	unsigned int first = hwpmc_class_first[pmc->class_index];
	size_t len = 0;

	for (buf[0] = '\0'; rows; rows &= rows - 1) {
		unsigned int n = first + __ffs64(rows);
		bool held = hwpmc_row_conflicts(&hwpmc_rows[n], pmc);
		const struct hwpmc_owner *other =
			held ? hwpmc_row_blocker(&hwpmc_rows[n], pmc) : NULL;
		const char *hidden = held ? hwpmc_row_hidden(other) : "disabled";
		const char *comma = len ? ", " : "";

		if (hidden)
			len += scnprintf(buf + len, size - len, "%srow %u %s", comma, n, hidden);
		else
			len += scnprintf(buf + len, size - len, "%srow %u pid %d (%s)", comma, n,
					 pid_vnr(other->pid), other->comm);
	}
}

/**
 * hwpmc_row_busy - fail because a PMC cannot have any of the rows that can count its event
 * @pmc: the PMC
 * @rows: the rows, numbered in their class; 0 if there is none
 *
 * Context: process, hwpmc_rows_lock held. Return: -EBUSY, after hwpmc_fail().
 */
int hwpmc_row_busy(const struct hwpmc_pmc *pmc, u64 rows)
{
	char holders[HWPMC_SENTENCE_MAX];

	if (!rows)
		return hwpmc_fail(pmc->owner, -EBUSY, "this PMU has no row for event 0x%llx",
				  pmc->event);
	hwpmc_row_holders(pmc, rows, holders, sizeof(holders));
	return hwpmc_fail(pmc->owner, -EBUSY, "no row is free for event 0x%llx: %s",
			  pmc->event, holders);
}

/**
 * hwpmc_row_busy_extra - fail because another PMC has set the extra register of a PMC's event
 * @pmc: the PMC
 * @other: the PMC that has set it
 *
 * Context: process, hwpmc_rows_lock held. Return: -EBUSY, after hwpmc_fail().
 */
int hwpmc_row_busy_extra(const struct hwpmc_pmc *pmc, const struct hwpmc_pmc *other)
{
	const char *hidden = hwpmc_row_hidden(other->owner);

	if (hidden)
		return hwpmc_fail(pmc->owner, -EBUSY,
				  "event 0x%llx needs an extra register that %s has set to another value; try again when that PMC is released",
				  pmc->event, hidden);
	return hwpmc_fail(pmc->owner, -EBUSY,
			  "event 0x%llx needs an extra register that pid %d (%s) has set to 0x%llx; release that PMC or use its value",
			  pmc->event, pid_vnr(other->owner->pid), other->owner->comm,
			  other->row_config.sel.extra);
}

/**
 * hwpmc_row_busy_admin - fail if a PMC holds a row on a CPU
 * @owner: the caller of HWPMC_IOC_ADMIN
 * @row: the row
 * @args: the CPU, and the row's number
 *
 * Context: process, hwpmc_rows_lock held. Return: 0, or -EBUSY after hwpmc_fail().
 */
int hwpmc_row_busy_admin(struct hwpmc_owner *owner, const struct hwpmc_row *row,
			 const struct hwpmc_admin *args)
{
	const struct hwpmc_pmc *pmc;
	const char *hidden;

	list_for_each_entry(pmc, &row->holders, in_row) {
		if (!hwpmc_mode_virtual(pmc->mode) && pmc->cpu != args->cpu)
			continue;
		hidden = hwpmc_row_hidden(pmc->owner);
		if (hidden)
			return hwpmc_fail(owner, -EBUSY, "row %u is held by %s", args->row, hidden);
		return hwpmc_fail(owner, -EBUSY, "row %u is held by pid %d (%s)", args->row,
				  pid_vnr(pmc->owner->pid), pmc->owner->comm);
	}
	return 0;
}
