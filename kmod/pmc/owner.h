/* SPDX-License-Identifier: GPL-2.0-only */
/* An open file of /dev/hwpmc: what is its own, and what it was refused. */
#ifndef HWPMC_OWNER_H
#define HWPMC_OWNER_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <uapi/linux/hwpmc.h>

#include "pmc.h"

struct fasync_struct;
struct file;
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
 * @pmcs: by index, see hwpmc_owner_find()
 * @room: entries in @pmcs
 * @used: of these, taken
 * @serials: by index: how many ids the entry has had
 * @call: number of the call under way
 * @args: its structure, the caller's
 * @gone: waits for its targets' end, and for records
 * @async: who wants SIGIO then
 * @hangup: sends it
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
	wait_queue_head_t gone;
	struct fasync_struct *async;
	struct work_struct hangup;
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

/*
 * An id is an index into owner->pmcs, plus one, below the entry's serial number.
 * An entry that has used up its serial numbers is not used again: no id ever
 * comes back while the file is open. Rows times CPUs bound the PMCs of an owner,
 * and max_shared those on a shareable row for each CPU; whoever needs more ids
 * than there are is refused.
 */
#define HWPMC_ID_INDEX		GENMASK(19, 0)
#define HWPMC_ID_SHIFT		20
#define HWPMC_ID_SERIALS	BIT(32 - HWPMC_ID_SHIFT)

/**
 * hwpmc_owner_find - the PMC of an id, or NULL
 * @owner: whose; its lock is held
 * @id: any number
 *
 * Inline, since a reading does it for each id.
 */
static inline struct hwpmc_pmc *hwpmc_owner_find(const struct hwpmc_owner *owner, u32 id)
{
	unsigned int i = (id & HWPMC_ID_INDEX) - 1;
	struct hwpmc_pmc *pmc;

	lockdep_assert_held(&owner->lock);
	if (i >= owner->room)
		return NULL;
	pmc = owner->pmcs[array_index_nospec(i, owner->room)];
	return pmc && pmc->id == id ? pmc : NULL;
}

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
 * hwpmc_fail - refuse a call and say why
 * @owner: whose call
 * @error: negative errno
 * @fmt: one sentence that says what to do
 *
 * Context: process, owner->lock held. Return: @error.
 */
__printf(3, 4)
int hwpmc_fail(struct hwpmc_owner *owner, int error, const char *fmt, ...);
int hwpmc_fail_copy(struct hwpmc_owner *owner);
int hwpmc_fail_reserved(struct hwpmc_owner *owner);

/* kmod/pmc/owner.c */
struct hwpmc_owner *hwpmc_owner_create(struct file *file);
void hwpmc_owner_destroy(struct hwpmc_owner *owner);
void hwpmc_owner_free(struct hwpmc_owner *owner);
int hwpmc_owner_add(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc);
void hwpmc_owner_remove(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc);
__poll_t hwpmc_owner_poll(struct hwpmc_owner *owner, poll_table *wait);
void hwpmc_owner_gone(struct hwpmc_owner *owner);
void hwpmc_owner_count_living(struct hwpmc_pmc *pmc, int by);
void hwpmc_owner_count_attached(struct hwpmc_pmc *pmc, bool attached);

#endif /* HWPMC_OWNER_H */
