/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All PMCs of all owners, in the order of their allocation. Filled by call/, read by netlink/.
 */
#ifndef HWPMC_REGISTRY_H
#define HWPMC_REGISTRY_H

#include <linux/mutex.h>

struct hwpmc_pmc;

/* Held while hwpmc_registry_next() is called and what it returned is used. */
extern struct mutex hwpmc_registry_lock;

/* kmod/pmc/registry.c */
int hwpmc_registry_add(struct hwpmc_pmc *pmc);
void hwpmc_registry_remove(struct hwpmc_pmc *pmc);
struct hwpmc_pmc *hwpmc_registry_next(unsigned long *serial);
unsigned int hwpmc_registry_generation(void);

#endif /* HWPMC_REGISTRY_H */
