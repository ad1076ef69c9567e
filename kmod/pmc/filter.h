/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions that an event of a probe must meet to be counted. Set by ALLOCATE
 * (call/filter_list.c), and checked for each event (fire.c).
 */
#ifndef HWPMC_FILTER_H
#define HWPMC_FILTER_H

#include <linux/types.h>
#include <uapi/linux/hwpmc.h>

struct hwpmc_fired;
struct hwpmc_link;

/**
 * struct hwpmc_filters - the conditions of a PMC
 * @count: how many there are
 * @args: number of an event's arguments that they need
 * @list: the conditions; all must be met. In a condition on a cgroup, the field bytes has the
 *	cgroup's level below the root
 *
 * Constant from ALLOCATE to the end of the PMC.
 */
struct hwpmc_filters {
	u32 count;
	u32 args;
	struct hwpmc_filter list[];
};

/* kmod/pmc/filter.c */
bool hwpmc_filter_passes(const struct hwpmc_link *link, const struct hwpmc_fired *fired);

#endif /* HWPMC_FILTER_H */
