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
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
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

/* Whether @pid is still that process's. It is another's only after that one was reaped. */
static bool hwpmc_dump_alive(struct pid *pid)
{
	bool alive;

	rcu_read_lock();
	alive = pid_task(pid, PIDTYPE_PID);
	rcu_read_unlock();
	return alive;
}

static int hwpmc_dump_put_owner(struct sk_buff *skb, const struct hwpmc_owner *owner)
{
	return nla_put_u64_64bit(skb, HWPMC_NL_PMC_OWNER, owner->number, HWPMC_NL_PMC_PAD) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_PID, pid_vnr(owner->pid)) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_EXITED, !hwpmc_dump_alive(owner->pid)) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_UID,
			   from_kuid_munged(current_user_ns(), owner->uid)) ||
	       nla_put_string(skb, HWPMC_NL_PMC_COMM, owner->comm);
}

/* The name of a process that lives, at most; returns whether it does. */
static bool hwpmc_dump_comm(struct pid *pid, char (*comm)[TASK_COMM_LEN])
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	if (task)
		get_task_comm(*comm, task);
	rcu_read_unlock();
	return task;
}

/* How many targets, and the first of them. */
static int hwpmc_dump_put_targets(struct sk_buff *skb, const struct hwpmc_pmc *pmc)
{
	char comm[TASK_COMM_LEN];
	unsigned long flags;
	unsigned int count;
	struct pid *pid;
	int err;

	raw_spin_lock_irqsave(&pmc->owner->link_lock, flags);
	count = pmc->target_count;
	pid = get_pid(pmc->first_target);
	raw_spin_unlock_irqrestore(&pmc->owner->link_lock, flags);
	err = nla_put_u32(skb, HWPMC_NL_PMC_TARGETS, count) ||
	      nla_put_u32(skb, HWPMC_NL_PMC_THREADS, READ_ONCE(pmc->living));
	if (!err && pid)
		err = nla_put_u32(skb, HWPMC_NL_PMC_TARGET, pid_vnr(pid));
	if (!err && pid && pid_vnr(pid) && hwpmc_dump_comm(pid, &comm))
		err = nla_put_string(skb, HWPMC_NL_PMC_TARGET_COMM, comm);
	put_pid(pid);
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
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_LOST, sum.lost, HWPMC_NL_PMC_PAD);
}

/* The state may change meanwhile: only owner->lock, which dumps do not take, would prevent it. */
static int hwpmc_dump_put(struct sk_buff *skb, struct hwpmc_pmc *pmc)
{
	u64 age = ktime_get_boottime_ns() - pmc->allocated;

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
	       nla_put_u32(skb, HWPMC_NL_PMC_STATE, hwpmc_dump_state(pmc)) ||
	       hwpmc_dump_put_targets(skb, pmc) ||
	       nla_put_u64_64bit(skb, HWPMC_NL_PMC_AGE, age, HWPMC_NL_PMC_PAD) ||
	       hwpmc_dump_put_samples(skb, pmc);
}

/* A message about @pmc, or if it is NULL the last one: how many were left out. */
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
 * @cb: the dump; args[0] is the serial number of the last PMC that was put or left out, args[1]
 *	how many were left out, args[2] whether that has been put
 *
 * Of what current may not know, there is only the number. Context: may sleep.
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
		if (!hwpmc_dump_sees(&viewer, pmc->owner))
			cb->args[1]++;
		else if (hwpmc_dump_message(skb, cb, pmc))
			break;
		cb->args[0] = serial;
		if (++steps % HWPMC_DUMP_STEPS)
			continue;
		mutex_unlock(&hwpmc_registry_lock);
		cond_resched();
		hwpmc_dump_lock(cb);
	}
	if (!pmc && cb->args[1] && !cb->args[2])
		cb->args[2] = !hwpmc_dump_message(skb, cb, NULL);
	mutex_unlock(&hwpmc_registry_lock);
	return skb->len;
}
