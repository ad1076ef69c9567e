/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of a CPU goes into samples. */
#ifndef HWPMC_THROTTLE_H
#define HWPMC_THROTTLE_H

#include <linux/types.h>

struct hwpmc_cpu;
struct hwpmc_link;

/**
 * struct hwpmc_window - a stretch of a CPU's time
 * @begin: ns; 0 none
 * @samples: that were taken in it
 * @spent: about so many ns went into them
 * @full: how many of them were enough for it, 0 if they were not yet
 * @pmcs: of how many PMCs they were
 * @before: as @pmcs, of the window before
 */
struct hwpmc_window {
	u64 begin;
	unsigned int samples;
	u64 spent;
	unsigned int full;
	unsigned int pmcs;
	unsigned int before;
};

/* kmod/pmc/throttle.c */
unsigned int hwpmc_throttle_max_rate(void);
void hwpmc_throttle_sample(struct hwpmc_cpu *pc, struct hwpmc_link *link, u64 begun);
void hwpmc_throttle_relieve(struct hwpmc_link *link);
void hwpmc_throttle_cpu_init(struct hwpmc_cpu *pc);
void hwpmc_throttle_cpu_exit(struct hwpmc_cpu *pc);

#endif /* HWPMC_THROTTLE_H */
