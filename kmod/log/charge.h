/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of rings, charged to users. Used by buffer.c, and by call/info.c for HWPMC_IOC_STATS.
 */
#ifndef HWPMC_CHARGE_H
#define HWPMC_CHARGE_H

#include <linux/types.h>

struct hwpmc_charge_user;

/**
 * struct hwpmc_charge - the charge for the rings of an owner
 * @user: the user; NULL if nothing is charged
 * @allowed: pages of the user's allowance, see mlock_kb
 * @locked: pages of locked memory, which RLIMIT_MEMLOCK limits
 * @ending: hwpmc_charge_end() was called
 */
struct hwpmc_charge {
	struct hwpmc_charge_user *user;
	unsigned long allowed;
	unsigned long locked;
	bool ending;
};

int hwpmc_charge_add(struct hwpmc_charge *charge, unsigned long pages);
void hwpmc_charge_drop(struct hwpmc_charge *charge);
void hwpmc_charge_end(struct hwpmc_charge *charge);
void hwpmc_charge_wait(void);
unsigned long hwpmc_charge_room(void);
unsigned long hwpmc_charge_used(void);

#endif /* HWPMC_CHARGE_H */
