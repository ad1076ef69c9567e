// SPDX-License-Identifier: GPL-2.0-only
/*
 * What dumps of the family share: their messages, and the walk over the PMCs of all owners. Netlink
 * calls a dump for as many messages as fit into a buffer, until it returns 0: in the context of the
 * process that sends the request or receives the replies.
 */
#include <linux/errno.h>
#include <linux/sched.h>
#include <uapi/linux/hwpmc_netlink.h>

#include "../base/owner.h"
#include "../pmc/pmc.h"
#include "../pmc/registry.h"
#include "netlink.h"

/**
 * hwpmc_dump_begin - begin a message of a dump
 * @skb: where it is put
 * @cb: the dump; the message gets NLM_F_DUMP_INTR if @cb->seq changed since the last one
 * @command: HWPMC_NL_CMD_*
 *
 * Context: any. Return: the message, for hwpmc_dump_end(), or NULL if there is no room.
 */
void *hwpmc_dump_begin(struct sk_buff *skb, struct netlink_callback *cb, u8 command)
{
	void *message = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				    &hwpmc_family, NLM_F_MULTI, command);

	if (message)
		genl_dump_check_consistent(cb, message);
	return message;
}

/**
 * hwpmc_dump_end - end a message of a dump
 * @skb: where it is put
 * @message: of hwpmc_dump_begin()
 * @err: not 0 if there was no room for the whole of it
 *
 * Context: any. Return: 0, or -EMSGSIZE without the message if @err is not 0.
 */
int hwpmc_dump_end(struct sk_buff *skb, void *message, int err)
{
	if (err) {
		genlmsg_cancel(skb, message);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, message);
	return 0;
}

/**
 * hwpmc_dump_complete - end a walk: put the number of PMCs or owners that were left out, if not 0
 * @skb: where it is put
 * @cb: the dump, whose walk reached HWPMC_DUMP_END
 * @command: HWPMC_NL_CMD_* of the message
 *
 * If the message does not fit, the dump's next call finds nothing more to visit, and calls this
 * function again. Context: any.
 */
void hwpmc_dump_complete(struct sk_buff *skb, struct netlink_callback *cb, u8 command)
{
	unsigned long hidden = cb->args[HWPMC_DUMP_HIDDEN];
	void *message;

	/* A PMC or owner that is added later, with a number up to the end, is done, too. */
	cb->args[HWPMC_DUMP_DONE] = cb->args[HWPMC_DUMP_END];
	if (!hidden)
		return;
	message = hwpmc_dump_begin(skb, cb, command);
	if (message &&
	    !hwpmc_dump_end(skb, message, nla_put_u32(skb, HWPMC_NL_PMC_HIDDEN, hidden)))
		cb->args[HWPMC_DUMP_HIDDEN] = 0;
}

/* For hwpmc_registry_next(): whether the caller may see @pmc; see hwpmc_view_get(). */
static bool hwpmc_dump_sees(const struct hwpmc_pmc *pmc, const void *viewer)
{
	return hwpmc_view_sees(viewer, pmc->owner->uid, pmc->owner->pid);
}

/**
 * hwpmc_dump_pmcs - the next messages of a dump that visits the PMCs of all owners
 * @skb: where they are put
 * @cb: the dump
 * @dump: its messages
 *
 * Of the PMCs that current may not see, only their number is put. Context: may sleep. Return:
 * number of bytes, 0 at the end.
 */
int hwpmc_dump_pmcs(struct sk_buff *skb, struct netlink_callback *cb,
		    const struct hwpmc_dump *dump)
{
	unsigned long serial = cb->args[HWPMC_DUMP_DONE];
	struct hwpmc_viewer viewer;
	unsigned int steps = 0;
	struct hwpmc_pmc *pmc;
	int err = 0;

	if (!hwpmc_view_get(&viewer, cb->skb))
		return 0;
	/* Read before the first look-up, then after each: see hwpmc_registry_generation(). */
	if (!cb->prev_seq)
		cb->prev_seq = dump->generation();
	if (!cb->args[HWPMC_DUMP_END])
		cb->args[HWPMC_DUMP_END] = hwpmc_registry_newest();
	while (!err && hwpmc_registry_next(&serial, cb->args[HWPMC_DUMP_END], hwpmc_dump_sees,
					   &viewer, &pmc)) {
		cb->seq = dump->generation();
		if (pmc) {
			err = dump->put(skb, cb, pmc);
			hwpmc_registry_unpin(pmc);
		} else {
			cb->args[HWPMC_DUMP_HIDDEN]++;
		}
		if (!err)
			cb->args[HWPMC_DUMP_DONE] = serial;
		if (!(++steps % HWPMC_DUMP_STEPS))
			cond_resched();
	}
	cb->seq = dump->generation();
	if (!err)
		hwpmc_dump_complete(skb, cb, dump->command);
	return skb->len;
}
