// SPDX-License-Identifier: GPL-2.0-only
/*
 * RW reads and writes the values of many PMCs; SET_COUNT sets one PMC's start value or
 * period. Called by kmod/ioctl.c, in process context with owner->lock held; may sleep.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include <hwpmc_arch_inline.h>

#include "../base/owner.h"
#include "../compat/compat.h"
#include "../pmc/id.h"
#include "../pmc/pmc.h"
#include "call.h"

/* Values in a page that programs read never decrease. */
static int hwpmc_value_may_write(const struct hwpmc_pmc *pmc)
{
	if (pmc->state == HWPMC_RUNNING)
		return hwpmc_fail(pmc->owner, -EBUSY, "the PMC runs: stop it before writing");
	if (pmc->page)
		return hwpmc_fail(pmc->owner, -EPERM, "the PMC has a page for programs (USER_READ): write it before it gets one");
	return 0;
}

static int hwpmc_value_check(struct hwpmc_owner *owner, struct hwpmc_rw *rw,
			     const struct hwpmc_id_list *list)
{
	unsigned int i;
	int err = 0;

	if (!(rw->flags & (HWPMC_RW_OLD | HWPMC_RW_NEW)))
		return hwpmc_fail(owner, -EINVAL, "neither OLD nor NEW is set in flags");
	if ((rw->flags & HWPMC_RW_TIME) && !(rw->flags & HWPMC_RW_OLD))
		return hwpmc_fail(owner, -EINVAL, "TIME is the time of a reading: set OLD in flags, too");
	if (rw->times)
		err = hwpmc_entry_check(owner, "times_size", rw->times_size,
					sizeof(struct hwpmc_times));
	if (!err && rw->targets)
		err = hwpmc_entry_check(owner, "target_size", rw->target_size,
					sizeof(struct hwpmc_target_value));
	if (err)
		return err;
	for (i = 0; !err && (rw->flags & HWPMC_RW_NEW) && i < list->count; i++) {
		rw->failed = i;
		err = hwpmc_value_may_write(list->pmcs[i]);
	}
	if (!err)
		rw->failed = 0;
	return err;
}

/* Room for targets that fork may add while the room of a reading is allocated. */
#define HWPMC_RW_SLACK	64

/*
 * Copies target_count out, too: new values are set only after the whole reply was copied, so the
 * structure cannot be copied out at the end.
 */
static int hwpmc_value_put_targets(struct hwpmc_owner *owner, const struct hwpmc_rw *rw,
				   const struct hwpmc_reading *rd)
{
	struct hwpmc_rw __user *reply = owner->args;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < rd->target_count; i++) {
		err = hwpmc_entry_put(owner, rw->targets, i, rw->target_size, &rd->targets[i],
				      sizeof(rd->targets[i]));
		cond_resched();
	}
	if (!err && put_user(rw->target_count, &reply->target_count))
		err = hwpmc_fail_copy(owner);
	return err;
}

static int hwpmc_value_targets(struct hwpmc_owner *owner, struct hwpmc_rw *rw,
			       struct hwpmc_reading *rd)
{
	bool fresh = !(rw->flags & HWPMC_RW_STALE);
	unsigned int slack = HWPMC_RW_SLACK;

	/*
	 * Forks may add targets between the allocation and the reading; then repeat with
	 * more room.
	 */
	do {
		kvfree(rd->targets);
		rd->room = min(rw->target_count,
			       hwpmc_count_room(rd->pmcs, rd->count) + slack);
		slack = min(2 * slack, 1U << 30);
		rd->targets = kvcalloc(rd->room + 1, sizeof(*rd->targets), GFP_KERNEL_ACCOUNT);
		if (!rd->targets)
			return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
		hwpmc_count_read(rd, fresh);
	} while (rd->target_count > rd->room && rd->room < rw->target_count);

	if (rd->target_count > rw->target_count) {
		rw->target_count = rd->target_count;
		return hwpmc_fail(owner, -ENOSPC, "there are %u target values: provide room for all of them, and set target_count to their number",
				  rd->target_count);
	}
	rw->target_count = rd->target_count;
	return hwpmc_value_put_targets(owner, rw, rd);
}

static int hwpmc_value_times(struct hwpmc_owner *owner, const struct hwpmc_rw *rw,
			     const struct hwpmc_reading *rd)
{
	struct hwpmc_times times;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < rd->count; i++) {
		hwpmc_count_times(rd->pmcs[i], &times);
		err = hwpmc_entry_put(owner, rw->times, i, rw->times_size, &times, sizeof(times));
	}
	return err;
}

static int hwpmc_value_old(struct hwpmc_owner *owner, struct hwpmc_rw *rw, struct hwpmc_reading *rd)
{
	struct hwpmc_rw __user *reply = owner->args;
	int err = 0;

	if (rw->targets)
		err = hwpmc_value_targets(owner, rw, rd);
	else
		hwpmc_count_read(rd, !(rw->flags & HWPMC_RW_STALE));
	if (!err && (rw->flags & HWPMC_RW_TIME) &&
	    put_user(ktime_get_mono_fast_ns(), &reply->time))
		err = hwpmc_fail_copy(owner);
	if (!err && rw->times)
		err = hwpmc_value_times(owner, rw, rd);
	if (!err && !hwpmc_arch_copy_out(u64_to_user_ptr(rw->values), rd->values, rd->count))
		err = hwpmc_fail_copy(owner);
	if (rd->targets)
		kvfree(rd->targets);
	return err;
}

static int hwpmc_value_values(struct hwpmc_owner *owner, struct hwpmc_rw *rw,
			      const struct hwpmc_id_list *list, u64 *old, u64 *new)
{
	struct hwpmc_reading rd = {
		.owner = owner, .pmcs = list->pmcs, .count = list->count, .values = old,
	};
	unsigned int i;
	int err = 0;

	/* The new values are read from where the old values are written to. */
	if ((rw->flags & HWPMC_RW_NEW) &&
	    copy_from_user(new, u64_to_user_ptr(rw->values), list->count * sizeof(u64)))
		return hwpmc_fail_copy(owner);
	if (rw->flags & HWPMC_RW_OLD)
		err = hwpmc_value_old(owner, rw, &rd);
	for (i = 0; !err && (rw->flags & HWPMC_RW_NEW) && i < list->count; i++)
		hwpmc_count_write(list->pmcs[i], new[i]);
	return err;
}

/*
 * Find the PMCs of @count ids, at least 1, as hwpmc_id_list_get() does. Returns false if that
 * function would refuse the list.
 */
static __always_inline bool hwpmc_value_find_few(struct hwpmc_owner *owner, const u32 *ids,
						 unsigned int count, struct hwpmc_pmc **pmcs)
{
	struct hwpmc_pmc *const *table = owner->pmcs;
	const u32 *end = ids + count;
	unsigned int room = owner->room;
	u64 call = ++owner->call;

	if (READ_ONCE(owner->evicted))
		return false;
	do {
		struct hwpmc_pmc *pmc = hwpmc_id_lookup(table, room, *ids);

		if (!pmc || pmc->call == call)
			return false;
		pmc->call = call;
		*pmcs++ = pmc;
	} while (++ids != end);
	return true;
}

/* Not inline, since a reading of PMCs that count only the caller does not need its stack frame. */
static noinline void hwpmc_value_read_others(struct hwpmc_owner *owner,
					     struct hwpmc_pmc *const *pmcs, unsigned int count,
					     u64 *values)
{
	struct hwpmc_reading rd = {
		.owner = owner, .pmcs = pmcs, .count = count, .values = values,
	};
	unsigned int i;

	for (i = 0; i < count; i++)
		pmcs[i]->index = i;
	hwpmc_count_read(&rd, true);
}

/**
 * hwpmc_value_read_few - read a few PMCs, with flag OLD and no other
 * @owner: whose call it is
 * @arg: user address of the call's structure
 *
 * Does the same as hwpmc_value_rw_ioctl() in a fraction of the instructions, but only for calls
 * that cannot be refused. Context: may sleep; owner->lock held. Return: whether the PMCs were read;
 * if not, the caller makes the general call, which repeats everything.
 */
bool hwpmc_value_read_few(struct hwpmc_owner *owner, void __user *arg)
{
	u32 ids[HWPMC_ID_LIST_FEW] __aligned(sizeof(u64)) __uninitialized;
	struct hwpmc_pmc *pmcs[HWPMC_ID_LIST_FEW] __uninitialized;
	u64 values[HWPMC_ID_LIST_FEW] __uninitialized;
	struct hwpmc_rw rw __uninitialized;

	/* All fields except those that the call only writes. */
	if (!hwpmc_arch_copy_in(&rw, arg, offsetof(struct hwpmc_rw, time)) ||
	    rw.size != sizeof(rw) || rw.flags != HWPMC_RW_OLD || rw.times || rw.targets ||
	    rw.reserved)
		return false;
	if (!rw.count || rw.count > ARRAY_SIZE(ids) ||
	    !hwpmc_arch_copy_in(ids, u64_to_user_ptr(rw.ids), rw.count * sizeof(*ids)) ||
	    !hwpmc_value_find_few(owner, ids, rw.count, pmcs))
		return false;
	if (!hwpmc_count_read_own(owner, pmcs, rw.count, values))
		hwpmc_value_read_others(owner, pmcs, rw.count, values);
	return hwpmc_arch_copy_out(u64_to_user_ptr(rw.values), values, rw.count);
}

int hwpmc_value_rw_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	u64 few[2 * HWPMC_ID_LIST_FEW] __uninitialized, *values = few;
	struct hwpmc_id_list list __uninitialized;
	struct hwpmc_rw *rw = &args->rw;
	int err;

	if (rw->reserved)
		return hwpmc_fail_reserved(owner);
	err = hwpmc_id_list_get(owner, &list, rw->ids, rw->count, &rw->failed, false);
	if (err)
		return err;
	err = hwpmc_value_check(owner, rw, &list);
	if (err)
		goto out;
	if (list.count > HWPMC_ID_LIST_FEW)
		values = kvmalloc_array(list.count, 2 * sizeof(u64), GFP_KERNEL_ACCOUNT);
	if (!values) {
		err = hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
		goto out;
	}
	err = hwpmc_value_values(owner, rw, &list, values, values + list.count);
	if (values != few)
		kvfree(values);
out:
	hwpmc_id_list_free(&list);
	return err;
}

int hwpmc_value_set_count_ioctl(struct hwpmc_owner *owner, union hwpmc_args *args)
{
	struct hwpmc_pmc *pmc;
	int err = 0;

	if (args->set_count.reserved)
		return hwpmc_fail_reserved(owner);
	pmc = hwpmc_id_list_find(owner, args->set_count.id, &err);
	if (!pmc)
		return err;
	err = hwpmc_value_may_write(pmc);
	if (err)
		return err;
	return hwpmc_pmc_set_count(pmc, args->set_count.count);
}
