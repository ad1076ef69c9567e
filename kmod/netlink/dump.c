// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps of the family. Netlink calls them for as many messages as fit into a buffer, in the process
 * context of whoever sends the request or receives the replies, until one returns 0.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/uidgid.h>
#include <net/sock.h>
#include <uapi/linux/hwpmc_netlink.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/owner.h"
#include "../base/rights.h"
#include "../pmc/pmc.h"
#include "../pmc/registry.h"
#include "../pmc/sampler.h"
#include "netlink.h"

/**
 * struct hwpmc_dump_viewer - what decides which PMCs a dump has
 * @opener: credentials of who opened the socket
 * @perfmon: current has CAP_PERFMON, and who opened the socket had it, too
 */
struct hwpmc_dump_viewer {
	const struct cred *opener;
	bool perfmon;
};

/*
 * A socket may be passed on, as standard output of a set-id program for one. So both must be
 * permitted: who opened it, and current. Current holds a reference to the socket's file meanwhile.
 * Returns false for a socket of the kernel, which has none.
 */
static bool hwpmc_dump_view(struct hwpmc_dump_viewer *viewer, struct sk_buff *request)
{
	const struct socket *socket = NETLINK_CB(request).sk->sk_socket;

	if (!socket || !socket->file)
		return false;
	viewer->opener = socket->file->f_cred;
	viewer->perfmon = hwpmc_rights_perfmon() && hwpmc_rights_perfmon_of(viewer->opener);
	return true;
}

static bool hwpmc_dump_sees(const struct hwpmc_dump_viewer *viewer,
			    const struct hwpmc_owner *owner)
{
	if (!viewer->perfmon && !uid_eq(owner->uid, viewer->opener->fsuid))
		return false;
	return !hwpmc_rights_hide(owner, viewer->perfmon);
}

static int hwpmc_dump_put_owner(struct sk_buff *skb, const struct hwpmc_owner *owner)
{
	return nla_put_u32(skb, HWPMC_NL_PMC_PID, pid_vnr(owner->pid)) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_UID,
			   from_kuid_munged(current_user_ns(), owner->uid)) ||
	       nla_put_string(skb, HWPMC_NL_PMC_COMM, owner->comm);
}

static int hwpmc_dump_put_samples(struct sk_buff *skb, struct hwpmc_pmc *pmc)
{
	struct hwpmc_sampler_cpu sum;

	if (!pmc->sampled)
		return 0;
	hwpmc_sampler_sum(pmc, -1, &sum);
	return nla_put_u64_64bit(skb, HWPMC_NL_PMC_RECORDED, sum.recorded, HWPMC_NL_PMC_PAD) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_LOST, sum.lost, HWPMC_NL_PMC_PAD);
}

/* The state may change meanwhile: only owner->lock, which dumps do not take, would prevent it. */
static int hwpmc_dump_put(struct sk_buff *skb, struct hwpmc_pmc *pmc)
{
	u64 age = ktime_get_boottime_ns() - pmc->allocated;
	bool running = READ_ONCE(pmc->state) == HWPMC_RUNNING;

	return nla_put_u64_64bit(skb, HWPMC_NL_PMC_SERIAL, pmc->serial, HWPMC_NL_PMC_PAD) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_ID, pmc->id) ||
	       hwpmc_dump_put_owner(skb, pmc->owner) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_CLASS, pmc->class->id) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_ROW, pmc->row) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_MODE, pmc->mode) ||
	       nla_put_s32(skb, HWPMC_NL_PMC_CPU, pmc->cpu) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_FLAGS, pmc->flags) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_CAPS, pmc->caps, HWPMC_NL_PMC_PAD) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_EVENT, pmc->event, HWPMC_NL_PMC_PAD) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_RUNNING, running) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_THREADS, READ_ONCE(pmc->living)) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_AGE, age, HWPMC_NL_PMC_PAD) ||
	       hwpmc_dump_put_samples(skb, pmc);
}

static int hwpmc_dump_message(struct sk_buff *skb, struct netlink_callback *cb,
			      struct hwpmc_pmc *pmc)
{
	void *message = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				    &hwpmc_family, NLM_F_MULTI, HWPMC_NL_CMD_PMCS);

	if (!message)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, message);
	if (hwpmc_dump_put(skb, pmc)) {
		genlmsg_cancel(skb, message);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, message);
	return 0;
}

/* PMCs, of which the caller may know none, between two points where the lock is dropped. */
#define HWPMC_DUMP_STEPS	64

static void hwpmc_dump_lock(struct netlink_callback *cb)
{
	mutex_lock(&hwpmc_registry_lock);
	cb->seq = hwpmc_registry_generation();
}

/**
 * hwpmc_dump_pmcs - the next messages of HWPMC_NL_CMD_PMCS
 * @skb: where they are put
 * @cb: the dump; args[0] is the serial number of the last PMC that was put or left out
 *
 * What current may not know is left out, and not counted anywhere. Context: may sleep.
 * Return: number of bytes, 0 at the end.
 */
int hwpmc_dump_pmcs(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long serial = cb->args[0];
	struct hwpmc_dump_viewer viewer;
	unsigned int steps = 0;
	struct hwpmc_pmc *pmc;

	if (!hwpmc_dump_view(&viewer, cb->skb))
		return 0;
	hwpmc_dump_lock(cb);
	while ((pmc = hwpmc_registry_next(&serial))) {
		if (hwpmc_dump_sees(&viewer, pmc->owner) && hwpmc_dump_message(skb, cb, pmc))
			break;
		cb->args[0] = serial;
		if (++steps % HWPMC_DUMP_STEPS)
			continue;
		mutex_unlock(&hwpmc_registry_lock);
		cond_resched();
		hwpmc_dump_lock(cb);
	}
	mutex_unlock(&hwpmc_registry_lock);
	return skb->len;
}
