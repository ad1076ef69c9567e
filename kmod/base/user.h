/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users: their numbers of files, PMCs and so on over all files that they opened, and the limits.
 * Used by the code that creates these: base/, pmc/, log/ and task/.
 */
#ifndef HWPMC_USER_H
#define HWPMC_USER_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

struct hwpmc_owner;

/**
 * enum hwpmc_user_kind - what is counted for a user; each has a limit, see user.c
 * @HWPMC_USER_FILES: open files of the device
 * @HWPMC_USER_PMCS: PMCs
 * @HWPMC_USER_ROWS: rows that are not shareable, held for tasks or on a CPU
 * @HWPMC_USER_LINKS: threads that PMCs follow, counted for each PMC
 * @HWPMC_USER_KINDS: number of kinds
 */
enum hwpmc_user_kind {
	HWPMC_USER_FILES,
	HWPMC_USER_PMCS,
	HWPMC_USER_ROWS,
	HWPMC_USER_LINKS,
	HWPMC_USER_KINDS
};

/**
 * struct hwpmc_user - a user with open files of the device, or with listeners
 * @node: in the table of users; guarded by hwpmc_users_lock, as @refs is
 * @refs: number of owners and listeners that refer to it
 * @uid: the user, in the initial user namespace as all kuid_t are
 * @counts: for each kind, the number that it has
 * @slots: number of PMCs that hold a row for tasks, or on a CPU; by hwpmc_user_hold()'s @slot.
 *	Guarded by hwpmc_rows_lock
 * @listeners: list of struct hwpmc_listener: those that are notified of this user's files, and of
 *	no others. Read under RCU, written by netlink/listen.c
 * @listening: number of @listeners
 */
struct hwpmc_user {
	struct hlist_node node;
	unsigned int refs;
	kuid_t uid;
	atomic_long_t counts[HWPMC_USER_KINDS];
	struct xarray slots;
	struct list_head listeners;
	unsigned int listening;
};

/* kmod/base/user.c */
struct hwpmc_user *hwpmc_user_get(kuid_t uid);
void hwpmc_user_put(struct hwpmc_user *user);
bool hwpmc_user_full(const struct hwpmc_owner *owner, enum hwpmc_user_kind kind);
bool hwpmc_user_take(struct hwpmc_owner *owner, enum hwpmc_user_kind kind);
void hwpmc_user_add(struct hwpmc_owner *owner, enum hwpmc_user_kind kind, long n);
int hwpmc_user_fail(struct hwpmc_owner *owner, int error, enum hwpmc_user_kind kind);
unsigned long hwpmc_user_held(const struct hwpmc_user *user, unsigned long slot);
int hwpmc_user_hold(struct hwpmc_user *user, unsigned long slot);
void hwpmc_user_unhold(struct hwpmc_user *user, unsigned long slot);

#endif /* HWPMC_USER_H */
