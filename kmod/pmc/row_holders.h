/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The holders of rows: declarations that row.c shares with the files that report them, row_busy.c
 * and row_info.c. No other file uses holders.
 */
#ifndef HWPMC_ROW_HOLDERS_H
#define HWPMC_ROW_HOLDERS_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/types.h>

struct hwpmc_admin;
struct hwpmc_owner;
struct hwpmc_pmc;

/**
 * struct hwpmc_row - a row, on all CPUs
 * @holders: list of struct hwpmc_pmc, by hwpmc_pmc.in_row
 * @count: number of @holders
 * @disabled: CPUs on which an administrator disabled the row
 * @held: CPUs on which a system-wide PMC holds the row, unless it is shareable
 *
 * Guarded by hwpmc_rows_lock. Claiming a row takes as long with many holders as with few: only
 * PMC_INFO, dumps, ADMIN and eviction walk all of @holders. A refused ALLOCATE walks at most as
 * many of each row as there are CPUs.
 */
struct hwpmc_row {
	struct list_head holders;
	unsigned int count;
	cpumask_var_t disabled;
	cpumask_var_t held;
};

/* By number, hwpmc_row_count of them. */
extern struct hwpmc_row *hwpmc_rows;

/* Whether @row is disabled on @cpu, or, if that is -1, on any CPU. */
static inline bool hwpmc_row_disabled(const struct hwpmc_row *row, int cpu)
{
	return cpu < 0 ? !cpumask_empty(row->disabled) : cpumask_test_cpu(cpu, row->disabled);
}

/* kmod/pmc/row.c */
u32 hwpmc_row_disposition(const struct hwpmc_row *row);
bool hwpmc_row_conflicts(const struct hwpmc_row *row, const struct hwpmc_pmc *pmc);

/* kmod/pmc/row_busy.c */
int hwpmc_row_busy(const struct hwpmc_pmc *pmc, u64 rows);
int hwpmc_row_busy_extra(const struct hwpmc_pmc *pmc, const struct hwpmc_pmc *other);
int hwpmc_row_busy_admin(struct hwpmc_owner *owner, const struct hwpmc_row *row,
			 const struct hwpmc_admin *args);

#endif /* HWPMC_ROW_HOLDERS_H */
