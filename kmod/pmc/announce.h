/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notices about PMCs, for listeners of the netlink family: see base/notice.h. Used by pmc/, task/
 * and call/.
 */
#ifndef HWPMC_ANNOUNCE_H
#define HWPMC_ANNOUNCE_H

#include <linux/types.h>

#include "../base/notice.h"
#include "pmc.h"

struct pid;

/* kmod/pmc/announce.c */
void hwpmc_announce_slow(const struct hwpmc_pmc *pmc, u32 what, struct pid *target, u64 count);
void hwpmc_announce_samples_slow_nmi(struct hwpmc_pmc *pmc);
void hwpmc_announce_soon(void);
void hwpmc_announce_evict(struct hwpmc_pmc *pmc);
void hwpmc_announce_last(struct hwpmc_pmc *pmc);
void hwpmc_announce_exit(void);

/**
 * hwpmc_announce - post a notice about a PMC, if there are listeners
 * @pmc: the PMC; with @count above 1 the first of some PMCs of its owner
 * @what: enum hwpmc_nl_what
 * @target: the process or thread that it is about, or NULL
 * @count: its meaning depends on @what
 *
 * Context: any but NMI; @pmc cannot be freed.
 */
static inline void hwpmc_announce(const struct hwpmc_pmc *pmc, u32 what, struct pid *target,
				  u64 count)
{
	if (hwpmc_notice_wanted_of(pmc->owner))
		hwpmc_announce_slow(pmc, what, target, count);
}

/**
 * hwpmc_announce_samples_nmi - a PMC was throttled, or lost a sample
 * @pmc: the PMC, after it was counted
 *
 * One notice with the number of such events is posted HWPMC_ANNOUNCE_MS later, so there are few
 * notices, however frequent the events are. Context: interrupts off, maybe an NMI.
 */
static inline void hwpmc_announce_samples_nmi(struct hwpmc_pmc *pmc)
{
	if (hwpmc_notice_wanted_of(pmc->owner))
		hwpmc_announce_samples_slow_nmi(pmc);
}

#endif /* HWPMC_ANNOUNCE_H */
