// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps of the family. Netlink calls them for as many messages as fit into a buffer, until one
 * returns 0: in the context of the process that sends the request or receives the replies.
 */
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <uapi/linux/hwpmc_netlink.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../pmc/pmc.h"
#include "../pmc/registry.h"
#include "../pmc/sampler.h"
#include "../task/target.h"
#include "netlink.h"

/* How many targets, and the first of them. */
static int hwpmc_dump_put_targets(struct sk_buff *skb, struct hwpmc_pmc *pmc)
{
	struct hwpmc_target_view first = { .end = U64_MAX };
	int err;

	hwpmc_target_next(pmc, &first);
	err = nla_put_u32(skb, HWPMC_NL_PMC_TARGETS, READ_ONCE(pmc->target_count)) ||
	      nla_put_u32(skb, HWPMC_NL_PMC_THREADS, READ_ONCE(pmc->living)) ||
	      hwpmc_view_put_target(skb, first.pid);
	put_pid(first.pid);
	return err;
}

static u32 hwpmc_dump_state(const struct hwpmc_pmc *pmc)
{
	if (READ_ONCE(pmc->evicted))
		return HWPMC_NL_STATE_EVICTED;
	switch (READ_ONCE(pmc->state)) {
	case HWPMC_RUNNING:
		return HWPMC_NL_STATE_RUNNING;
	case HWPMC_STOPPED:
		return HWPMC_NL_STATE_STOPPED;
	default:
		return HWPMC_NL_STATE_ALLOCATED;
	}
}

static int hwpmc_dump_put_samples(struct sk_buff *skb, struct hwpmc_pmc *pmc)
{
	struct hwpmc_sampler_cpu sum;

	if (!pmc->sampled)
		return 0;
	hwpmc_sampler_sum(pmc, -1, &sum);
	return nla_put_u64_64bit(skb, HWPMC_NL_PMC_RECORDED, sum.recorded, HWPMC_NL_PMC_PAD) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_LOST, sum.lost - sum.held,
				 HWPMC_NL_PMC_PAD);
}

/* The state may change meanwhile: only owner->lock, which dumps do not take, would prevent it. */
static int hwpmc_dump_put(struct sk_buff *skb, struct hwpmc_pmc *pmc)
{
	u64 age = ktime_get_boottime_ns() - pmc->allocated;

	return nla_put_u64_64bit(skb, HWPMC_NL_PMC_SERIAL, pmc->serial, HWPMC_NL_PMC_PAD) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_ID, pmc->id) ||
	       hwpmc_view_put_process(skb, pmc->owner->number, pmc->owner->pid, pmc->owner->uid,
				      pmc->owner->comm) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_CLASS, pmc->class->id) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_ROW, pmc->row) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_MODE, pmc->mode) ||
	       nla_put_s32(skb, HWPMC_NL_PMC_CPU, pmc->cpu) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_FLAGS, pmc->flags) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_CAPS, pmc->caps, HWPMC_NL_PMC_PAD) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_EVENT, pmc->event, HWPMC_NL_PMC_PAD) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_STATE, hwpmc_dump_state(pmc)) ||
	       hwpmc_dump_put_targets(skb, pmc) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_AGE, age, HWPMC_NL_PMC_PAD) ||
	       hwpmc_dump_put_samples(skb, pmc);
}

/*
 * Puts a message about @pmc; with NULL the last message, with the number of PMCs that were left
 * out.
 */
static int hwpmc_dump_message(struct sk_buff *skb, struct netlink_callback *cb,
			      struct hwpmc_pmc *pmc)
{
	void *message = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				    &hwpmc_family, NLM_F_MULTI, HWPMC_NL_CMD_PMCS);

	if (!message)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, message);
	if (pmc ? hwpmc_dump_put(skb, pmc) :
		  nla_put_u32(skb, HWPMC_NL_PMC_HIDDEN, cb->args[1])) {
		genlmsg_cancel(skb, message);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, message);
	return 0;
}

/* For hwpmc_registry_next(): whether the caller may see @pmc; see hwpmc_view_get(). */
bool hwpmc_dump_sees(const struct hwpmc_pmc *pmc, const void *viewer)
{
	return hwpmc_view_sees(viewer, pmc->owner->uid, pmc->owner->pid);
}

/* How many PMCs are visited, visible to the caller or not, before another task may run. */
#define HWPMC_DUMP_STEPS	64

/**
 * hwpmc_dump_pmcs - the next messages of HWPMC_NL_CMD_PMCS
 * @skb: where they are put
 * @cb: the dump; args[0] is the serial number of the last PMC that was put or left out, args[1]
 *	how many were left out, args[2] whether that has been put, args[3] the serial number at
 *	which the dump ends
 *
 * Of PMCs that current may not see, there is only the number. Context: may sleep. Return: number of
 * bytes, 0 at the end.
 */
int hwpmc_dump_pmcs(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long serial = cb->args[0];
	struct hwpmc_viewer viewer;
	unsigned int steps = 0;
	struct hwpmc_pmc *pmc;
	int err = 0;

	if (!hwpmc_view_get(&viewer, cb->skb))
		return 0;
	/* Before the first look-up; then after each, see hwpmc_registry_generation(). */
	if (!cb->prev_seq)
		cb->prev_seq = hwpmc_registry_generation();
	if (!cb->args[3])
		cb->args[3] = hwpmc_registry_newest();
	while (!err &&
	       hwpmc_registry_next(&serial, cb->args[3], hwpmc_dump_sees, &viewer, &pmc)) {
		cb->seq = hwpmc_registry_generation();
		if (pmc) {
			err = hwpmc_dump_message(skb, cb, pmc);
			hwpmc_registry_unpin(pmc);
		} else {
			cb->args[1]++;
		}
		if (!err)
			cb->args[0] = serial;
		if (!(++steps % HWPMC_DUMP_STEPS))
			cond_resched();
	}
	cb->seq = hwpmc_registry_generation();
	if (!err && cb->args[1] && !cb->args[2])
		cb->args[2] = !hwpmc_dump_message(skb, cb, NULL);
	return skb->len;
}
