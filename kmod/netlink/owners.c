// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dump of owners: the open files of the device, also those without a PMC. Called by netlink, in
 * process context.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <uapi/linux/hwpmc_netlink.h>

#include "../base/owner.h"
#include "netlink.h"

static int hwpmc_owners_message(struct sk_buff *skb, struct netlink_callback *cb,
				const struct hwpmc_owner_view *owner)
{
	void *message = hwpmc_dump_begin(skb, cb, HWPMC_NL_CMD_OWNERS);
	int err;

	if (!message)
		return -EMSGSIZE;
	err = hwpmc_view_put_process(skb, owner->number, owner->pid, owner->uid, owner->comm) ||
	      nla_put_u64_64bit(skb, HWPMC_NL_PMC_COUNT, owner->used, HWPMC_NL_PMC_PAD);
	return hwpmc_dump_end(skb, message, err);
}

/**
 * hwpmc_owners_dump - the next messages of HWPMC_NL_CMD_OWNERS
 * @skb: where they are put
 * @cb: the dump
 *
 * Each owner that exists during the whole dump is in it. Of the owners that current may not see,
 * only their number is put. Context: may sleep. Return: number of bytes, 0 at the end.
 */
int hwpmc_owners_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct hwpmc_owner_view owner;
	struct hwpmc_viewer viewer;
	unsigned int steps = 0;
	int err = 0;

	if (!hwpmc_view_get(&viewer, cb->skb))
		return 0;
	if (!cb->args[HWPMC_DUMP_END])
		cb->args[HWPMC_DUMP_END] = hwpmc_owner_newest();
	while (!err && hwpmc_owner_next(cb->args[HWPMC_DUMP_DONE], cb->args[HWPMC_DUMP_END],
					&owner)) {
		if (hwpmc_view_sees(&viewer, owner.uid, owner.pid))
			err = hwpmc_owners_message(skb, cb, &owner);
		else
			cb->args[HWPMC_DUMP_HIDDEN]++;
		put_pid(owner.pid);
		if (!err)
			cb->args[HWPMC_DUMP_DONE] = owner.number;
		if (!(++steps % HWPMC_DUMP_STEPS))
			cond_resched();
	}
	if (!err)
		hwpmc_dump_complete(skb, cb, HWPMC_NL_CMD_OWNERS);
	return skb->len;
}
