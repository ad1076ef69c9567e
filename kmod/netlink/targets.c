// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dump of targets: the processes and threads that PMCs are attached to, whether they live or
 * not. Called by netlink as dump.c is, in process context.
 */
#include <linux/errno.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <uapi/linux/hwpmc_netlink.h>

#include "../base/owner.h"
#include "../pmc/pmc.h"
#include "../pmc/registry.h"
#include "../task/target.h"
#include "netlink.h"

/* Entries of netlink_callback.args. */
enum {
	HWPMC_TARGETS_DONE,	/* serial number of the last PMC that is done */
	HWPMC_TARGETS_END,	/* serial number of the PMC at which the dump ends */
	HWPMC_TARGETS_HIDDEN,	/* number of PMCs that the caller may not see; 0 after it was put */
	HWPMC_TARGETS_PMC,	/* serial number of the PMC whose targets are put */
	HWPMC_TARGETS_HANDLE,	/* of the last of them that was put, or 0 */
	HWPMC_TARGETS_NEWEST,	/* of the last of them that will be put */
};

/* Differs after a PMC or a target was added or removed; not 0. */
static unsigned int hwpmc_targets_generation(void)
{
	return hwpmc_registry_generation() + 2 * hwpmc_target_generation();
}

static int hwpmc_targets_put(struct sk_buff *skb, const struct hwpmc_pmc *pmc,
			     const struct hwpmc_target_view *target)
{
	return nla_put_u64_64bit(skb, HWPMC_NL_PMC_SERIAL, pmc->serial, HWPMC_NL_PMC_PAD) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_OWNER, pmc->owner->number, HWPMC_NL_PMC_PAD) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_ID, pmc->id) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_HANDLE, target->handle, HWPMC_NL_PMC_PAD) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_SINGLE, target->single) ||
	       hwpmc_view_put_target(skb, target->pid);
}

/* A message about @target of @pmc, or if it is NULL the last one: how many PMCs were left out. */
static int hwpmc_targets_message(struct sk_buff *skb, struct netlink_callback *cb,
				 const struct hwpmc_pmc *pmc,
				 const struct hwpmc_target_view *target)
{
	void *message = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				    &hwpmc_family, NLM_F_MULTI, HWPMC_NL_CMD_TARGETS);

	if (!message)
		return -EMSGSIZE;
	/* After the look-up: see hwpmc_registry_generation(). */
	cb->seq = hwpmc_targets_generation();
	genl_dump_check_consistent(cb, message);
	if (target ? hwpmc_targets_put(skb, pmc, target) :
		     nla_put_u32(skb, HWPMC_NL_PMC_HIDDEN, cb->args[HWPMC_TARGETS_HIDDEN])) {
		genlmsg_cancel(skb, message);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, message);
	return 0;
}

/* The messages of one PMC, as many as fit. Return: 0 if none of its targets is left. */
static int hwpmc_targets_of(struct sk_buff *skb, struct netlink_callback *cb, struct hwpmc_pmc *pmc)
{
	struct hwpmc_target_view target;
	int err = 0;

	/* The dump may have been interrupted at a PMC that was released since. */
	if ((unsigned long)cb->args[HWPMC_TARGETS_PMC] != pmc->serial) {
		cb->args[HWPMC_TARGETS_PMC] = pmc->serial;
		cb->args[HWPMC_TARGETS_HANDLE] = 0;
		cb->args[HWPMC_TARGETS_NEWEST] = hwpmc_target_newest(pmc);
	}
	target.handle = cb->args[HWPMC_TARGETS_HANDLE];
	target.end = cb->args[HWPMC_TARGETS_NEWEST];
	while (!err && hwpmc_target_next(pmc, &target)) {
		err = hwpmc_targets_message(skb, cb, pmc, &target);
		if (!err)
			cb->args[HWPMC_TARGETS_HANDLE] = target.handle;
		put_pid(target.pid);
	}
	return err;
}

/* How many PMCs that add nothing to a message are visited before another task may run. */
#define HWPMC_TARGETS_STEPS	64

/**
 * hwpmc_targets_dump - the next messages of HWPMC_NL_CMD_TARGETS
 * @skb: where they are put
 * @cb: the dump
 *
 * A PMC is pinned until its targets are put or the message is full, and its owner's link_lock is
 * held for one look-up at a time. Context: may sleep. Return: number of bytes, 0 at the end.
 */
int hwpmc_targets_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long serial = cb->args[HWPMC_TARGETS_DONE];
	struct hwpmc_viewer viewer;
	unsigned int steps = 0;
	struct hwpmc_pmc *pmc;
	int err = 0;

	if (!hwpmc_view_get(&viewer, cb->skb))
		return 0;
	if (!cb->prev_seq)
		cb->prev_seq = hwpmc_targets_generation();
	if (!cb->args[HWPMC_TARGETS_END])
		cb->args[HWPMC_TARGETS_END] = hwpmc_registry_newest();
	while (!err && hwpmc_registry_next(&serial, cb->args[HWPMC_TARGETS_END], hwpmc_dump_sees,
					   &viewer, &pmc)) {
		if (pmc) {
			err = hwpmc_targets_of(skb, cb, pmc);
			hwpmc_registry_unpin(pmc);
		} else {
			cb->args[HWPMC_TARGETS_HIDDEN]++;
		}
		if (!err)
			cb->args[HWPMC_TARGETS_DONE] = serial;
		if (!(++steps % HWPMC_TARGETS_STEPS))
			cond_resched();
	}
	cb->seq = hwpmc_targets_generation();
	if (err)
		return skb->len;
	/* Also a PMC that gets into the table late, with a number that was taken before. */
	cb->args[HWPMC_TARGETS_DONE] = cb->args[HWPMC_TARGETS_END];
	if (cb->args[HWPMC_TARGETS_HIDDEN] && !hwpmc_targets_message(skb, cb, NULL, NULL))
		cb->args[HWPMC_TARGETS_HIDDEN] = 0;
	return skb->len;
}
