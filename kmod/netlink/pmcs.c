// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dump of PMCs: their owner, event, state, first target and samples. Called by netlink, and by
 * dump.c for each PMC, in process context.
 */
#include <linux/ktime.h>
#include <linux/pid.h>
#include <uapi/linux/hwpmc_netlink.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../pmc/pmc.h"
#include "../pmc/registry.h"
#include "../pmc/sampler.h"
#include "../task/target.h"
#include "netlink.h"

/* Puts the number of targets, and the first of them. */
static int hwpmc_pmcs_put_targets(struct sk_buff *skb, struct hwpmc_pmc *pmc)
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

static u32 hwpmc_pmcs_state(const struct hwpmc_pmc *pmc)
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

static int hwpmc_pmcs_put_samples(struct sk_buff *skb, struct hwpmc_pmc *pmc)
{
	struct hwpmc_sampler_cpu sum;

	if (!pmc->sampled)
		return 0;
	hwpmc_sampler_sum(pmc, -1, &sum);
	return nla_put_u64_64bit(skb, HWPMC_NL_PMC_RECORDED, sum.recorded, HWPMC_NL_PMC_PAD) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_LOST, sum.lost - sum.throttled,
				 HWPMC_NL_PMC_PAD);
}

/* The state may change meanwhile: only owner->lock, which dumps do not take, would prevent it. */
static int hwpmc_pmcs_put(struct sk_buff *skb, struct hwpmc_pmc *pmc)
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
	       nla_put_u32(skb, HWPMC_NL_PMC_STATE, hwpmc_pmcs_state(pmc)) ||
	       hwpmc_pmcs_put_targets(skb, pmc) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_AGE, age, HWPMC_NL_PMC_PAD) ||
	       hwpmc_pmcs_put_samples(skb, pmc);
}

static int hwpmc_pmcs_message(struct sk_buff *skb, struct netlink_callback *cb,
			      struct hwpmc_pmc *pmc)
{
	void *message = hwpmc_dump_begin(skb, cb, HWPMC_NL_CMD_PMCS);

	return message ? hwpmc_dump_end(skb, message, hwpmc_pmcs_put(skb, pmc)) : -EMSGSIZE;
}

static const struct hwpmc_dump hwpmc_pmcs = {
	.command	= HWPMC_NL_CMD_PMCS,
	.generation	= hwpmc_registry_generation,
	.put		= hwpmc_pmcs_message,
};

/* The next messages of HWPMC_NL_CMD_PMCS; see hwpmc_dump_pmcs(). */
int hwpmc_pmcs_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hwpmc_dump_pmcs(skb, cb, &hwpmc_pmcs);
}
