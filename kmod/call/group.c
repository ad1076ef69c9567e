// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups: lists of ids that are looked up once, and then read by a handle in as few instructions as
 * possible. Called by kmod/ioctl.c and, when a PMC is released, by release.c, in process context
 * with owner->lock held; may sleep.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <hwpmc_arch_inline.h>

#include "../base/owner.h"
#include "../pmc/pmc.h"
#include "call.h"

/* Ids in all groups of a file, for each of its PMCs: this bounds their memory. */
#define HWPMC_GROUPS_OF_PMC	16

/**
 * struct hwpmc_prepared - a group
 * @handle: as the owner names it: a serial number in the upper half, and the index in
 *	owner->groups plus 1 in the lower one; none of the owner's last 2^32 groups had it
 * @values: room for a reading
 * @count: number of @pmcs and of @values
 * @pmcs: in the order of the ids; a group ends when one of them is released
 */
struct hwpmc_prepared {
	u64 handle;
	u64 *values;
	unsigned int count;
	struct hwpmc_pmc *pmcs[];
};

static struct hwpmc_prepared *hwpmc_group_find(struct hwpmc_owner *owner, u64 handle)
{
	unsigned int i = (u32)handle - 1;
	struct hwpmc_prepared *group;

	if (i >= owner->group_room)
		return NULL;
	group = owner->groups[array_index_nospec(i, owner->group_room)];
	return group && group->handle == handle ? group : NULL;
}

static struct hwpmc_prepared *hwpmc_group_get(struct hwpmc_owner *owner, u64 handle)
{
	struct hwpmc_prepared *group = hwpmc_group_find(owner, handle);

	if (!group)
		hwpmc_fail(owner, -ENOENT,
			   "%llu is not a group of this open file, or a PMC of it was released", handle);
	return group;
}

static struct hwpmc_prepared *hwpmc_group_new(const struct hwpmc_id_list *list)
{
	struct hwpmc_prepared *group;
	size_t head = struct_size(group, pmcs, list->count);

	/* Pointers are as wide as values: both lists are aligned. */
	group = kvzalloc(size_add(head, array_size(list->count, sizeof(u64))), GFP_KERNEL_ACCOUNT);
	if (!group)
		return NULL;
	group->count = list->count;
	group->values = (void *)group + head;
	memcpy(group->pmcs, list->pmcs, array_size(list->count, sizeof(*list->pmcs)));
	return group;
}

/* Returns the index of a free entry of owner->groups, or -ENOMEM. */
static int hwpmc_group_index(struct hwpmc_owner *owner)
{
	unsigned int i, room = owner->group_room ? 2 * owner->group_room : 8;
	struct hwpmc_prepared **groups;

	for (i = 0; i < owner->group_room; i++)
		if (!owner->groups[i])
			return i;
	groups = kvcalloc(room, sizeof(*groups), GFP_KERNEL_ACCOUNT);
	if (!groups)
		return -ENOMEM;
	if (i)
		memcpy(groups, owner->groups, i * sizeof(*groups));
	kvfree(owner->groups);
	owner->groups = groups;
	owner->group_room = room;
	return i;
}

static void hwpmc_group_add(struct hwpmc_owner *owner, struct hwpmc_prepared *group, int index)
{
	unsigned int i;

	owner->group_serial++;
	group->handle = (u64)owner->group_serial << 32 | (index + 1);
	owner->groups[index] = group;
	owner->group_ids += group->count;
	for (i = 0; i < group->count; i++)
		group->pmcs[i]->groups++;
}

static void hwpmc_group_remove(struct hwpmc_owner *owner, struct hwpmc_prepared *group)
{
	unsigned int i;

	for (i = 0; i < group->count; i++)
		group->pmcs[i]->groups--;
	owner->group_ids -= group->count;
	owner->groups[(u32)group->handle - 1] = NULL;
	kvfree(group);
}

/*
 * The handle is copied out before the group can be found: if that fails, the group does not exist.
 */
static int hwpmc_group_make(struct hwpmc_owner *owner, const struct hwpmc_id_list *list)
{
	struct hwpmc_group __user *reply = owner->args;
	struct hwpmc_prepared *group;
	int index;

	if ((u64)owner->group_ids + list->count > (u64)owner->used * HWPMC_GROUPS_OF_PMC)
		return hwpmc_fail(owner, -EBUSY,
				  "with these the groups of this open file would have %llu ids, and %u PMCs allow %llu: free some",
				  (u64)owner->group_ids + list->count, owner->used,
				  (u64)owner->used * HWPMC_GROUPS_OF_PMC);
	group = hwpmc_group_new(list);
	index = group ? hwpmc_group_index(owner) : -ENOMEM;
	if (index < 0) {
		kvfree(group);
		return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
	}
	hwpmc_group_add(owner, group, index);
	if (!put_user(group->handle, &reply->group))
		return 0;
	hwpmc_group_remove(owner, group);
	return hwpmc_fail_copy(owner);
}

int hwpmc_group_make_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_id_list list __uninitialized;
	struct hwpmc_group *group = &args->group;
	int err = hwpmc_id_list_get(owner, &list, group->ids, group->count, &group->failed, false);

	if (err)
		return err;
	err = hwpmc_group_make(owner, &list);
	hwpmc_id_list_free(&list);
	return err;
}

int hwpmc_group_free_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_prepared *group;

	if (args->group.count || args->group.ids)
		return hwpmc_fail_reserved(owner);
	group = hwpmc_group_get(owner, args->group.group);
	if (!group)
		return -ENOENT;
	hwpmc_group_remove(owner, group);
	return 0;
}

/**
 * hwpmc_group_remove_all - remove the groups that a PMC is in
 * @pmc: is released
 *
 * Context: may sleep; owner->lock held.
 */
void hwpmc_group_remove_all(struct hwpmc_pmc *pmc)
{
	struct hwpmc_owner *owner = pmc->owner;
	unsigned int i, k;

	for (i = 0; pmc->groups && i < owner->group_room; i++) {
		struct hwpmc_prepared *group = owner->groups[i];

		for (k = 0; group && k < group->count; k++) {
			if (group->pmcs[k] == pmc) {
				hwpmc_group_remove(owner, group);
				break;
			}
		}
		cond_resched();
	}
}

/**
 * hwpmc_group_read_own - read a group whose PMCs count the caller alone, without flags
 * @owner: whose call it is
 * @arg: user address of the call's structure
 *
 * Does the same as hwpmc_group_read_ioctl() in a fraction of the instructions, but only for calls
 * that cannot be refused. Context: may sleep; owner->lock held. Return: whether the group was read;
 * if not, the caller makes the general call.
 */
bool hwpmc_group_read_own(struct hwpmc_owner *owner, void __user *arg)
{
	struct hwpmc_group_read read __uninitialized;
	struct hwpmc_prepared *group;

	/* All fields except those that the call only writes. */
	if (!hwpmc_arch_copy_in(&read, arg, offsetof(struct hwpmc_group_read, time)) ||
	    read.size != sizeof(read) || read.flags || READ_ONCE(owner->evicted))
		return false;
	group = hwpmc_group_find(owner, read.group);
	return group && hwpmc_count_read_own(owner, group->pmcs, group->count, group->values) &&
	       hwpmc_arch_copy_out(u64_to_user_ptr(read.values), group->values, group->count);
}

int hwpmc_group_read_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_group_read *read = &args->group_read;
	struct hwpmc_prepared *group = hwpmc_group_get(owner, read->group);
	struct hwpmc_reading rd = { .owner = owner };
	unsigned int i;

	if (!group)
		return -ENOENT;
	owner->call++;
	for (i = 0; i < group->count; i++) {
		int err = hwpmc_id_list_check_evicted(group->pmcs[i]);

		if (err)
			return err;
		group->pmcs[i]->call = owner->call;
		group->pmcs[i]->index = i;
	}
	rd.pmcs = group->pmcs;
	rd.count = group->count;
	rd.values = group->values;
	hwpmc_count_read(&rd, !(read->flags & HWPMC_RW_STALE));
	read->time = ktime_get_mono_fast_ns();
	if (!hwpmc_arch_copy_out(u64_to_user_ptr(read->values), group->values, group->count))
		return hwpmc_fail_copy(owner);
	return read->flags & HWPMC_RW_TIME ? HWPMC_REPLY : 0;
}
