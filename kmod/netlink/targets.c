// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dump of targets: the processes and threads that PMCs are attached to, whether they live or
 * not. Called by netlink, and by dump.c for each PMC, in process context.
 */
#include <linux/errno.h>
#include <linux/pid.h>
#include <uapi/linux/hwpmc_netlink.h>

#include "../base/owner.h"
#include "../pmc/pmc.h"
#include "../pmc/registry.h"
#include "../task/target.h"
#include "netlink.h"

/* Entries of netlink_callback.args. */
enum {
	HWPMC_TARGETS_PMC = HWPMC_DUMP_OWN,	/* serial number of the PMC whose targets are put */
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

static int hwpmc_targets_message(struct sk_buff *skb, struct netlink_callback *cb,
				 const struct hwpmc_pmc *pmc,
				 const struct hwpmc_target_view *target)
{
	void *message;

	/* After the look-up: see hwpmc_registry_generation(). */
	cb->seq = hwpmc_targets_generation();
	message = hwpmc_dump_begin(skb, cb, HWPMC_NL_CMD_TARGETS);
	return message ? hwpmc_dump_end(skb, message, hwpmc_targets_put(skb, pmc, target)) :
			 -EMSGSIZE;
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

static const struct hwpmc_dump hwpmc_targets = {
	.command	= HWPMC_NL_CMD_TARGETS,
	.generation	= hwpmc_targets_generation,
	.put		= hwpmc_targets_of,
};

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
	return hwpmc_dump_pmcs(skb, cb, &hwpmc_targets);
}
