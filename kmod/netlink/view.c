// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a caller of the family may see, and attributes that depend on the caller: numbers of
 * processes and users in its namespaces. Called for current by the dumps and by listen.c.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/net.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uidgid.h>
#include <net/sock.h>
#include <uapi/linux/hwpmc_netlink.h>

#include "../base/rights.h"
#include "netlink.h"

/**
 * hwpmc_view_get - collect the properties that determine what current may see
 * @viewer: set; valid as long as current holds the socket's file, which it does during a call
 * @request: its request
 *
 * A socket may be passed on, for example as standard output of a set-id program. So both the opener
 * of the socket and current must be permitted. Context: process. Return: false for a socket of the
 * kernel, which has no file.
 */
bool hwpmc_view_get(struct hwpmc_viewer *viewer, const struct sk_buff *request)
{
	const struct socket *socket = NETLINK_CB(request).sk->sk_socket;

	if (!socket || !socket->file)
		return false;
	viewer->opener = socket->file->f_cred;
	viewer->perfmon = hwpmc_rights_perfmon() && hwpmc_rights_perfmon_of(viewer->opener);
	return true;
}

/**
 * hwpmc_view_sees - whether current may see the actions of an owner
 * @viewer: see hwpmc_view_get()
 * @uid: user of the owner
 * @pid: process of the owner
 *
 * Context: process.
 */
bool hwpmc_view_sees(const struct hwpmc_viewer *viewer, kuid_t uid, struct pid *pid)
{
	if (!viewer->perfmon && !uid_eq(uid, viewer->opener->fsuid))
		return false;
	return !hwpmc_rights_hide_process(uid, pid, viewer->perfmon);
}

/* The name of the process or thread @pid; false if it was reaped: the number may be another's. */
static bool hwpmc_view_comm(struct pid *pid, char (*comm)[TASK_COMM_LEN])
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	if (task)
		get_task_comm(*comm, task);
	rcu_read_unlock();
	return task;
}

/**
 * hwpmc_view_put_process - put the process that opened a file
 * @skb: the message
 * @file: hwpmc_owner.number
 * @pid: of the process
 * @uid: its user
 * @comm: its name at that time
 *
 * Context: process. Return: 0, or not 0 if there is no room.
 */
int hwpmc_view_put_process(struct sk_buff *skb, u64 file, struct pid *pid, kuid_t uid,
			   const char *comm)
{
	char now[TASK_COMM_LEN];

	return nla_put_u64_64bit(skb, HWPMC_NL_PMC_OWNER, file, HWPMC_NL_PMC_PAD) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_PID, pid_vnr(pid)) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_EXITED, !hwpmc_view_comm(pid, &now)) ||
	       nla_put_u32(skb, HWPMC_NL_PMC_UID, from_kuid_munged(current_user_ns(), uid)) ||
	       nla_put_string(skb, HWPMC_NL_PMC_COMM, comm);
}

/**
 * hwpmc_view_put_target - put a process or thread that is followed
 * @skb: the message
 * @pid: of it, or NULL
 *
 * Context: process. Return: as hwpmc_view_put_process().
 */
int hwpmc_view_put_target(struct sk_buff *skb, struct pid *pid)
{
	char comm[TASK_COMM_LEN];

	if (!pid)
		return 0;
	if (nla_put_u32(skb, HWPMC_NL_PMC_TARGET, pid_vnr(pid)))
		return -EMSGSIZE;
	if (!pid_vnr(pid) || !hwpmc_view_comm(pid, &comm))
		return 0;
	return nla_put_string(skb, HWPMC_NL_PMC_TARGET_COMM, comm);
}
