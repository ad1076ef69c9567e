/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notices: events of owners, PMCs and the machine, for listeners. Posted by every part of kmod/, in
 * any context but NMI; queued by notice.c; the listeners are sockets of netlink/.
 */
#ifndef HWPMC_NOTICE_H
#define HWPMC_NOTICE_H

#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <uapi/linux/hwpmc_netlink.h>

#include "owner.h"

struct pid;
struct pid_namespace;

/**
 * struct hwpmc_notice - an event of an owner, a PMC or the machine
 * @what: enum hwpmc_nl_what
 * @time: when it was queued: boot-time clock in ns; never less than that of the notice before it
 * @file: hwpmc_owner.number, or 0 for an event of the machine
 * @pid: process that opened the file; NULL without @file
 * @uid: user of @pid; INVALID_UID without
 * @comm: name of @pid
 * @serial: hwpmc_pmc.serial of the PMC that the following fields describe, or 0
 * @id: of that PMC
 * @class: enum hwpmc_class_id
 * @row: of that PMC
 * @mode: enum hwpmc_mode
 * @cpu: the CPU, or -1
 * @flags: HWPMC_F_*
 * @caps: HWPMC_CAP_*
 * @event: of that PMC
 * @target: the process or thread that @what is about, or NULL
 * @count: its meaning depends on @what
 *
 * In a listener's queue @pid and @target are referenced.
 */
struct hwpmc_notice {
	u32 what;
	u64 time;
	u64 file;
	struct pid *pid;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
	u64 serial;
	u32 id;
	u32 class;
	u32 row;
	u32 mode;
	s32 cpu;
	u32 flags;
	u64 caps;
	u64 event;
	struct pid *target;
	u64 count;
};

/* Places in a listener's queue; the last free one is for HWPMC_NL_WHAT_LOST. */
#define HWPMC_NOTICE_ROOM	1024

/**
 * struct hwpmc_share - the notices of one user in a listener's queue
 * @uid: the user
 * @places: notices about its files
 */
struct hwpmc_share {
	kuid_t uid;
	unsigned int places;
};

/**
 * struct hwpmc_listener - a listener for notices
 * @node: in the list of all listeners
 * @of_owners: in the list of those that have @perfmon, or in that of @user
 * @opener: credentials of the process that opened the socket; referenced
 * @user: filesystem user of the process that sent LISTEN; referenced
 * @perfmon: both processes had CAP_PERFMON at that time
 * @pid_ns: PID namespace of the process that sent LISTEN; referenced
 * @wake: called for the first notice after hwpmc_notice_arm(). Context: as hwpmc_notice_post()
 * @lock: guards the following fields, except that the reader reads @queue without it; interrupts
 *	off
 * @queue: HWPMC_NOTICE_ROOM notices
 * @shares: the users with notices in @queue, in no order
 * @users: number of @shares
 * @head: number of notices ever put into @queue
 * @tail: number of notices ever taken out, by the only reader
 * @lost: notices that were lost since the last one that was queued
 * @armed: the next notice calls @wake
 *
 * A listener that may not see an owner gets neither notices about it nor their number.
 */
struct hwpmc_listener {
	struct list_head node;
	struct list_head of_owners;
	const struct cred *opener;
	struct hwpmc_user *user;
	bool perfmon;
	struct pid_namespace *pid_ns;
	void (*wake)(struct hwpmc_listener *listener);
	raw_spinlock_t lock;
	struct hwpmc_notice *queue;
	struct hwpmc_share *shares;
	unsigned int users;
	unsigned int head;
	unsigned int tail;
	u64 lost;
	bool armed;
};

/* Number of listeners, and of those that may see all users. */
extern unsigned int hwpmc_notice_listeners;
extern unsigned int hwpmc_notice_perfmons;

/*
 * Whether there are listeners. A branch on memory, not a static key: any user may listen, which
 * should not patch the kernel's text. Context: any, NMI included.
 */
static inline bool hwpmc_notice_wanted(void)
{
	return unlikely(READ_ONCE(hwpmc_notice_listeners));
}

/* Whether any listener may see @owner. Context: any, NMI included. */
static inline bool hwpmc_notice_wanted_of(const struct hwpmc_owner *owner)
{
	return hwpmc_notice_wanted() &&
	       (READ_ONCE(hwpmc_notice_perfmons) || READ_ONCE(owner->user->listening));
}

/* kmod/base/notice.c */
void hwpmc_notice_post(const struct hwpmc_owner *owner, struct hwpmc_notice *notice);
void hwpmc_notice_owner_slow(const struct hwpmc_owner *owner, u32 what, u64 count);
void hwpmc_notice_machine_slow(u32 what, int cpu);
int hwpmc_notice_init(struct hwpmc_listener *listener);
void hwpmc_notice_free(struct hwpmc_listener *listener);
void hwpmc_notice_add(struct hwpmc_listener *listener);
void hwpmc_notice_del(struct hwpmc_listener *listener);
unsigned int hwpmc_notice_begin(struct hwpmc_listener *listener);
const struct hwpmc_notice *hwpmc_notice_peek(struct hwpmc_listener *listener);
void hwpmc_notice_pop(struct hwpmc_listener *listener);
bool hwpmc_notice_arm(struct hwpmc_listener *listener);

/*
 * Post a notice about an owner, or about the machine (@cpu: a CPU, or -1), if there are listeners.
 */
static inline void hwpmc_notice_owner(const struct hwpmc_owner *owner, u32 what, u64 count)
{
	if (hwpmc_notice_wanted_of(owner))
		hwpmc_notice_owner_slow(owner, what, count);
}

static inline void hwpmc_notice_machine(u32 what, int cpu)
{
	if (hwpmc_notice_wanted())
		hwpmc_notice_machine_slow(what, cpu);
}

#endif /* HWPMC_NOTICE_H */
