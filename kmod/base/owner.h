/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The owner: an open file of /dev/hwpmc, with its allocations and the error of the current call.
 * Used by every part of the module; each field names the lock that it needs.
 */
#ifndef HWPMC_OWNER_H
#define HWPMC_OWNER_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <uapi/linux/hwpmc.h>

#include "../hwpmc.h"
#include "rights.h"
#include "user.h"

struct fasync_struct;
struct file;
struct hwpmc_pmc;
struct hwpmc_prepared;
struct hwpmc_rings;
struct hwpmc_writer;
struct pid;
struct pid_namespace;

/**
 * struct hwpmc_owner - an open file of /dev/hwpmc
 * @lock: serialises the file's ioctls; the outermost lock
 * @link_lock: guards the lists of links and targets of the file's PMCs, and their counts
 * @file: the open file
 * @rights: of the opener
 * @pid: process that opened the file; referenced
 * @uid: its filesystem uid
 * @user: the record of this user; referenced
 * @number: no other file has it until the module is unloaded
 * @unlimited: it had CAP_SYS_RESOURCE: the user's limits do not apply to this file
 * @comm: its name
 * @pmcs: the file's PMCs, by index, see hwpmc_id_find(); NULL where an entry is free
 * @room: number of entries of @pmcs and @serials
 * @used: number of entries of @pmcs that are not NULL
 * @serials: for each index, how many ids it has had
 * @groups: the file's groups, see call/group.c; NULL where an entry is free
 * @group_room: number of entries of @groups
 * @group_serial: number of groups created so far
 * @group_ids: number of ids in all @groups
 * @call: number of the current call; hwpmc_pmc.call is compared with it
 * @readings: number of readings so far; hwpmc_link.visit is compared with it
 * @last_target: handle of the target that was attached last; 0 before
 * @args: user address of the current call's structure
 * @waiters: tasks that wait for records or for the end of all targets
 * @async: files that get SIGIO for the same events
 * @notify: work item that wakes @waiters and signals @async
 * @pid_ns: PID namespace of the opener; records name processes in it. Referenced
 * @rings: set once by HWPMC_IOC_RING, NULL before
 * @in_loggers: in the list of owners that have rings
 * @system_samplers: number of PMCs that sample a whole CPU; owner->lock
 * @kernel_samplers: number of PMCs that sample kernel mode; owner->lock
 * @sampler_blocks: list of struct hwpmc_sampler_block
 * @attached: number of PMCs that have had a target; @link_lock
 * @living: number of PMCs that have a target with a living thread; @link_lock
 * @hung_up: @attached is not 0, and @living is 0; written under @link_lock, read without
 * @writer: the log that is open, or NULL; owner->lock
 * @error: errno of the last call that failed, positive
 * @sentence: the sentence that explains @error
 * @fork_failures: number of children that could not inherit their parent's PMCs
 * @exec_losses: number of times that a PMC lost a task by exec, since it may not be followed
 * @evicted: number of its PMCs that an administrator ended and that are not released yet; written
 *	under hwpmc_rows_lock, read without
 * @rows: the rows that are not shareable which its virtual PMCs hold; hwpmc_rows_lock
 * @pages: struct hwpmc_page by number; its own lock, see pmc/page.c
 * @last_page: number of the page that was made last; @lock
 * @refusals: number of PMCs that were refused because perf or another driver has the PMU, and that
 *	no notice has reported; hwpmc_rows_lock
 * @in_refused: in the list of owners with @refusals; hwpmc_rows_lock
 * @left_out: number of descendants that the last ATTACH left out; owner->lock
 * @closing: frees @rings and the owner, see log/closing.c
 * @rcu: for freeing after a grace period: fork and exit find the owner by links under RCU
 *
 * @pmcs to @args, and @sampler_blocks, are guarded by @lock.
 */
struct hwpmc_owner {
	struct mutex lock;
	raw_spinlock_t link_lock;
	struct file *file;
	struct hwpmc_rights rights;
	struct pid *pid;
	kuid_t uid;
	struct hwpmc_user *user;
	u64 number;
	bool unlimited;
	char comm[TASK_COMM_LEN];
	struct hwpmc_pmc **pmcs;
	unsigned int room;
	unsigned int used;
	u16 *serials;
	struct hwpmc_prepared **groups;
	unsigned int group_room;
	u32 group_serial;
	unsigned int group_ids;
	u64 call;
	u64 readings;
	u64 last_target;
	void __user *args;
	wait_queue_head_t waiters;
	struct fasync_struct *async;
	struct work_struct notify;
	struct pid_namespace *pid_ns;
	struct hwpmc_rings *rings;
	struct list_head in_loggers;
	unsigned int system_samplers;
	unsigned int kernel_samplers;
	struct list_head sampler_blocks;
	unsigned int attached;
	unsigned int living;
	bool hung_up;
	struct hwpmc_writer *writer;
	int error;
	char sentence[HWPMC_SENTENCE_MAX];
	atomic64_t fork_failures;
	atomic64_t exec_losses;
	unsigned int evicted;
	DECLARE_BITMAP(rows, HWPMC_MAX_ROWS);
	struct xarray pages;
	unsigned long last_page;
	u64 refusals;
	struct list_head in_refused;
	unsigned int left_out;
	struct rcu_work closing;
	struct rcu_head rcu;
};

/**
 * struct hwpmc_owner_view - the data of an owner in a dump; the owner may be closed meanwhile
 * @number: hwpmc_owner.number
 * @pid: the process that opened the file; referenced
 * @uid: its user
 * @comm: its name
 * @used: number of its PMCs
 */
struct hwpmc_owner_view {
	unsigned long number;
	struct pid *pid;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
	unsigned int used;
};

/**
 * hwpmc_owner_hung_up - whether virtual PMCs had targets and all of them have exited
 * @owner: owner of the PMCs
 *
 * False while there is a PMC that samples a whole CPU: its records do not end with the targets.
 * Takes no lock: waiters call it just before they sleep, and owner->lock may be held for as
 * long as a page fault or a write to the log takes. Context: any.
 */
static inline bool hwpmc_owner_hung_up(const struct hwpmc_owner *owner)
{
	return READ_ONCE(owner->hung_up) && !READ_ONCE(owner->system_samplers);
}

/**
 * hwpmc_owner_notify - wake an owner's waiters and send SIGIO where it was requested
 * @owner: owner with new records, without any target left, or with a failed log
 *
 * Queues a work item: sending a signal takes locks that other code holds with interrupts on.
 * Context: any but NMI.
 */
static inline void hwpmc_owner_notify(struct hwpmc_owner *owner)
{
	schedule_work(&owner->notify);
}

/* kmod/base/fail.c */
__printf(3, 4)
int hwpmc_fail(struct hwpmc_owner *owner, int error, const char *fmt, ...);
int hwpmc_fail_copy(struct hwpmc_owner *owner);
int hwpmc_fail_reserved(struct hwpmc_owner *owner);

/* Number of PMCs that sample a whole CPU, of all owners: unprivileged users have none. */
extern atomic_t hwpmc_system_samplers;

/* kmod/base/owner.c */
void hwpmc_owner_count_sampler(struct hwpmc_owner *owner, int by);
struct hwpmc_owner *hwpmc_owner_create(struct file *file, work_func_t notify);
void hwpmc_owner_unlist(struct hwpmc_owner *owner);
void hwpmc_owner_free(struct hwpmc_owner *owner);
unsigned long hwpmc_owner_newest(void);
bool hwpmc_owner_next(unsigned long number, unsigned long end, struct hwpmc_owner_view *view);

#endif /* HWPMC_OWNER_H */
