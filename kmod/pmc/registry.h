/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All PMCs of all owners, in the order of their allocation. Filled by call/, read by netlink/ and
 * announce.c.
 */
#ifndef HWPMC_REGISTRY_H
#define HWPMC_REGISTRY_H

#include <linux/types.h>

struct hwpmc_pmc;

typedef bool (*hwpmc_registry_wanted_fn)(const struct hwpmc_pmc *pmc, const void *arg);

/* kmod/pmc/registry.c */
int hwpmc_registry_add(struct hwpmc_pmc *pmc);
void hwpmc_registry_remove(struct hwpmc_pmc *pmc);
unsigned long hwpmc_registry_newest(void);
bool hwpmc_registry_next(unsigned long *serial, unsigned long end,
			 hwpmc_registry_wanted_fn wanted, const void *arg, struct hwpmc_pmc **pmc);
void hwpmc_registry_unpin(struct hwpmc_pmc *pmc);
unsigned int hwpmc_registry_generation(void);

#endif /* HWPMC_REGISTRY_H */
