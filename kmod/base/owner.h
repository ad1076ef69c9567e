/* SPDX-License-Identifier: GPL-2.0-only */
/* An open file of /dev/hwpmc: what is its own, and what it was refused. */
#ifndef HWPMC_OWNER_H
#define HWPMC_OWNER_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <uapi/linux/hwpmc.h>

struct fasync_struct;
struct file;
struct hwpmc_pmc;
struct hwpmc_rings;
struct hwpmc_writer;
struct pid;
struct pid_namespace;
struct user_namespace;

/**
 * struct hwpmc_owner - an open file of /dev/hwpmc
 * @lock: serialises its calls
 * @file: for the credentials it was opened with
 * @ptrace_ns: where, and below which, its opener had CAP_SYS_PTRACE; or NULL
 * @pid: who opened it; referenced
 * @uid: likewise
 * @comm: likewise
 * @pmcs: by index, see hwpmc_id_find()
 * @room: entries in @pmcs
 * @used: of these, taken
 * @serials: by index: how many ids the entry has had
 * @call: number of the call under way
 * @args: its structure, the caller's
 * @waiters: for its targets' end, and for records
 * @async: who wants SIGIO then
 * @notify: wakes and signals them
 * @pid_ns: in which records name processes
 * @rings: set once, by HWPMC_IOC_RING; or NULL
 * @in_loggers: among the owners that have rings
 * @system_samplers: PMCs that sample a whole CPU; owner->lock
 * @kernel_samplers: PMCs that sample kernel mode; owner->lock
 * @attached: PMCs that had a target once; hwpmc_link_lock
 * @living: PMCs that have a living target; hwpmc_link_lock
 * @hung_up: there are of the first, and none of the second; written under
 *	hwpmc_link_lock, and looked at without
 * @writer: the log that is open, or NULL; owner->lock
 * @error: errno of the last call that failed
 * @sentence: and what to do about it
 * @fork_failures: children that could not inherit
 */
struct hwpmc_owner {
	struct mutex lock;
	struct file *file;
	const struct user_namespace *ptrace_ns;
	struct pid *pid;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
	struct hwpmc_pmc **pmcs;
	unsigned int room;
	unsigned int used;
	u16 *serials;
	u64 call;
	void __user *args;
	wait_queue_head_t waiters;
	struct fasync_struct *async;
	struct work_struct notify;
	struct pid_namespace *pid_ns;
	struct hwpmc_rings *rings;
	struct list_head in_loggers;
	unsigned int system_samplers;
	unsigned int kernel_samplers;
	unsigned int attached;
	unsigned int living;
	bool hung_up;
	struct hwpmc_writer *writer;
	int error;
	char sentence[HWPMC_SENTENCE_MAX];
	atomic64_t fork_failures;
};

/**
 * hwpmc_owner_hung_up - some virtual PMC had targets, and none of them is left
 * @owner: whose PMCs
 *
 * Context: any. Waiters ask while they are about to sleep, and the owner's calls
 * may take as long as their caller's memory or a log's peer likes: so no lock.
 */
static inline bool hwpmc_owner_hung_up(const struct hwpmc_owner *owner)
{
	return READ_ONCE(owner->hung_up);
}

/**
 * hwpmc_owner_notify - have its waiters woken, and SIGIO sent to who asked for it
 * @owner: there is something new: records, or the end of its targets or its log
 *
 * By a work item: sending a signal takes locks that are held with interrupts on.
 * Context: any but NMI.
 */
static inline void hwpmc_owner_notify(struct hwpmc_owner *owner)
{
	schedule_work(&owner->notify);
}

/**
 * hwpmc_fail - refuse a call and say why
 * @owner: whose call
 * @error: negative errno
 * @fmt: one sentence that says what to do
 *
 * Context: process, owner->lock held. Return: @error.
 */
/* kmod/base/fail.c */
__printf(3, 4)
int hwpmc_fail(struct hwpmc_owner *owner, int error, const char *fmt, ...);
int hwpmc_fail_copy(struct hwpmc_owner *owner);
int hwpmc_fail_reserved(struct hwpmc_owner *owner);

/* kmod/base/owner.c */
struct hwpmc_owner *hwpmc_owner_create(struct file *file, work_func_t notify);
void hwpmc_owner_free(struct hwpmc_owner *owner);

#endif /* HWPMC_OWNER_H */
