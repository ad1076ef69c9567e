// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users, and the limits of each user over all its files. Without them a user could open the device
 * any number of times, and each file would have its own limits.
 *
 * A file counts for the user who opened it, even if another user has its descriptor. Files that
 * were opened with CAP_SYS_RESOURCE are counted, too, but have no limits.
 */
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "owner.h"
#include "param.h"
#include "user.h"

static struct hwpmc_param max_files = { .value = 1024, .least = 1, .most = 1048576 };
module_param_cb(max_files, &hwpmc_param_ops, &max_files, 0644);
MODULE_PARM_DESC(max_files,
		 "open files of the device that a user may have (default 1024, 1..1048576)");

static struct hwpmc_param max_pmcs = { .value = 4096, .least = 1, .most = 1048576 };
module_param_cb(max_pmcs, &hwpmc_param_ops, &max_pmcs, 0644);
MODULE_PARM_DESC(max_pmcs,
		 "PMCs that a user may have, over all its files (default 4096, 1..1048576)");

static struct hwpmc_param max_rows = { .value = 4096, .least = 1, .most = 1048576 };
module_param_cb(max_rows, &hwpmc_param_ops, &max_rows, 0644);
MODULE_PARM_DESC(max_rows,
		 "rows that are not shareable which a user may hold, each counted once for tasks or once for each CPU (default 4096, 1..1048576)");

static struct hwpmc_param max_links = { .value = 262144, .least = 1, .most = 16777216 };
module_param_cb(max_links, &hwpmc_param_ops, &max_links, 0644);
MODULE_PARM_DESC(max_links,
		 "threads that the PMCs of a user may follow, counted for each PMC (default 262144, 1..16777216)");

/**
 * struct hwpmc_user_limit - a limit
 * @param: its value
 * @name: the parameter's name
 * @what: what is limited, in the plural
 */
struct hwpmc_user_limit {
	const struct hwpmc_param *param;
	const char *name;
	const char *what;
};

static const struct hwpmc_user_limit hwpmc_user_limits[HWPMC_USER_KINDS] = {
	[HWPMC_USER_FILES] = { &max_files, "max_files", "open files of the device" },
	[HWPMC_USER_PMCS] = { &max_pmcs, "max_pmcs", "PMCs" },
	[HWPMC_USER_ROWS] = { &max_rows, "max_rows", "rows" },
	[HWPMC_USER_LINKS] = { &max_links, "max_links", "threads followed by PMCs" },
};

/* Guards the table and references. No other lock is taken under it. */
static DEFINE_MUTEX(hwpmc_users_lock);
static DEFINE_HASHTABLE(hwpmc_users, 6);

static struct hwpmc_user *hwpmc_user_find(kuid_t uid)
{
	struct hwpmc_user *user;

	hash_for_each_possible(hwpmc_users, user, node, __kuid_val(uid))
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/**
 * hwpmc_user_get - get the record of a user
 * @uid: the user
 *
 * Context: may sleep. Return: the record, to be put with hwpmc_user_put(), or NULL without memory.
 */
struct hwpmc_user *hwpmc_user_get(kuid_t uid)
{
	struct hwpmc_user *user;

	mutex_lock(&hwpmc_users_lock);
	user = hwpmc_user_find(uid);
	if (!user) {
		user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
		if (user) {
			user->uid = uid;
			xa_init(&user->slots);
			INIT_LIST_HEAD(&user->listeners);
			hash_add(hwpmc_users, &user->node, __kuid_val(uid));
		}
	}
	if (user)
		user->refs++;
	mutex_unlock(&hwpmc_users_lock);
	return user;
}

/* Put a record; the last one frees it. Context: may sleep. */
void hwpmc_user_put(struct hwpmc_user *user)
{
	mutex_lock(&hwpmc_users_lock);
	if (!--user->refs) {
		hash_del(&user->node);
		xa_destroy(&user->slots);
		kfree(user);
	}
	mutex_unlock(&hwpmc_users_lock);
}

/**
 * hwpmc_user_full - whether an owner's user has reached its limit for a kind
 * @owner: the owner
 * @kind: HWPMC_USER_ROWS, which are added under hwpmc_rows_lock only, held by the caller; the
 *	others need hwpmc_user_take()
 *
 * Context: any but NMI.
 */
bool hwpmc_user_full(const struct hwpmc_owner *owner, enum hwpmc_user_kind kind)
{
	long limit = READ_ONCE(hwpmc_user_limits[kind].param->value);

	return !owner->unlimited && atomic_long_read(&owner->user->counts[kind]) >= limit;
}

/**
 * hwpmc_user_take - count one more of a kind, unless the user has reached its limit
 * @owner: the owner
 * @kind: the kind
 *
 * Other owners of the user may do the same on other CPUs: the limit is never exceeded.
 * Context: any but NMI. Return: whether it was counted; hwpmc_user_add() undoes it.
 */
bool hwpmc_user_take(struct hwpmc_owner *owner, enum hwpmc_user_kind kind)
{
	atomic_long_t *count = &owner->user->counts[kind];
	long limit = owner->unlimited ? LONG_MAX : READ_ONCE(hwpmc_user_limits[kind].param->value);
	long old = atomic_long_read(count);

	do {
		if (old >= limit)
			return false;
	} while (!atomic_long_try_cmpxchg(count, &old, old + 1));
	return true;
}

/* Count @n more of a kind, or, if negative, fewer. Context: any but NMI. */
void hwpmc_user_add(struct hwpmc_owner *owner, enum hwpmc_user_kind kind, long n)
{
	atomic_long_add(n, &owner->user->counts[kind]);
}

/** hwpmc_user_fail - refuse a call since a limit is reached; otherwise as hwpmc_fail() */
int hwpmc_user_fail(struct hwpmc_owner *owner, int error, enum hwpmc_user_kind kind)
{
	const struct hwpmc_user_limit *limit = &hwpmc_user_limits[kind];

	return hwpmc_fail(owner, error,
			  "a user may have %u %s over all its open files, and this would be more; release some, or ask the administrator to raise the parameter %s",
			  READ_ONCE(limit->param->value), limit->what, limit->name);
}

/**
 * hwpmc_user_held - how many PMCs of a user hold a row
 * @user: the user
 * @slot: a number for the row and the CPU, or for the row and all tasks
 *
 * Context: hwpmc_rows_lock held.
 */
unsigned long hwpmc_user_held(const struct hwpmc_user *user, unsigned long slot)
{
	void *entry = xa_load((struct xarray *)&user->slots, slot);

	return entry ? xa_to_value(entry) : 0;
}

/**
 * hwpmc_user_hold - count one more PMC that holds a row
 * @user: the user
 * @slot: as for hwpmc_user_held()
 *
 * Context: may sleep; hwpmc_rows_lock held. Return: 0 or -ENOMEM.
 */
int hwpmc_user_hold(struct hwpmc_user *user, unsigned long slot)
{
	unsigned long held = hwpmc_user_held(user, slot);

	return xa_err(xa_store(&user->slots, slot, xa_mk_value(held + 1), GFP_KERNEL_ACCOUNT));
}

/* Undo hwpmc_user_hold(). Does not fail: an entry that exists needs no memory. Same context. */
void hwpmc_user_unhold(struct hwpmc_user *user, unsigned long slot)
{
	unsigned long held = hwpmc_user_held(user, slot);

	if (held > 1)
		xa_store(&user->slots, slot, xa_mk_value(held - 1), GFP_KERNEL);
	else
		xa_erase(&user->slots, slot);
}
