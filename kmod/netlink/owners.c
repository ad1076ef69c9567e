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

/*
 * Puts a message about @owner; with NULL the last message, with the number of owners that were left
 * out.
 */
static int hwpmc_owners_message(struct sk_buff *skb, struct netlink_callback *cb,
				const struct hwpmc_owner_view *owner)
{
	void *message = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				    &hwpmc_family, NLM_F_MULTI, HWPMC_NL_CMD_OWNERS);
	int err;

	if (!message)
		return -EMSGSIZE;
	if (owner)
		err = hwpmc_view_put_process(skb, owner->number, owner->pid, owner->uid,
					     owner->comm) ||
		      nla_put_u64_64bit(skb, HWPMC_NL_PMC_COUNT, owner->used,
					HWPMC_NL_PMC_PAD);
	else
		err = nla_put_u32(skb, HWPMC_NL_PMC_HIDDEN, cb->args[1]);
	if (err) {
		genlmsg_cancel(skb, message);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, message);
	return 0;
}

/* How many owners are visited, visible to the caller or not, before another task may run. */
#define HWPMC_OWNERS_STEPS	64

/**
 * hwpmc_owners_dump - the next messages of HWPMC_NL_CMD_OWNERS
 * @skb: where they are put
 * @cb: the dump; args[0] is the number of the last owner that was put or left out, args[1] how many
 *	were left out, args[2] whether that has been put, args[3] the number at which the dump ends
 *
 * Each owner that exists during the whole dump is in it. Of owners that current may not see, there
 * is only the number. Context: may sleep. Return: number of bytes, 0 at the end.
 */
int hwpmc_owners_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct hwpmc_owner_view owner;
	struct hwpmc_viewer viewer;
	unsigned int steps = 0;
	int err = 0;

	if (!hwpmc_view_get(&viewer, cb->skb))
		return 0;
	if (!cb->args[3])
		cb->args[3] = hwpmc_owner_newest();
	while (!err && hwpmc_owner_next(cb->args[0], cb->args[3], &owner)) {
		if (hwpmc_view_sees(&viewer, owner.uid, owner.pid))
			err = hwpmc_owners_message(skb, cb, &owner);
		else
			cb->args[1]++;
		put_pid(owner.pid);
		if (!err)
			cb->args[0] = owner.number;
		if (!(++steps % HWPMC_OWNERS_STEPS))
			cond_resched();
	}
	if (!err && cb->args[1] && !cb->args[2])
		cb->args[2] = !hwpmc_owners_message(skb, cb, NULL);
	return skb->len;
}
