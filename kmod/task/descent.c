// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the descendants of a process in a snapshot of all processes.
 *
 * Called by attach.c for ATTACH, in process context; may sleep. Each process is resolved
 * once, and the answers of its ancestors are reused: so a long chain of forks costs no more
 * than other trees.
 *
 * The tree may change after the snapshot. A process that is not a descendant never becomes one. A
 * descendant may lose its parent, and counts as a descendant nevertheless: that is correct, since
 * the change is concurrent with the ATTACH.
 */
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "descent.h"

/* Tasks that a walk visits before it drops RCU: some 100 us. */
#define HWPMC_DESCENT_STEPS	256

enum hwpmc_descends { HWPMC_DESCENDS_UNKNOWN, HWPMC_DESCENDS_NOT, HWPMC_DESCENDS };

/**
 * struct hwpmc_descent_entry - a process in the snapshot
 * @leader: its thread group leader at the time; referenced; NULL: a free entry
 * @parent: a thread of its parent process; referenced
 * @descends: whether it descends from the process whose descendants are searched
 *
 * struct signal_struct identifies a process: it is the same after an exec by another
 * thread, which becomes the new leader. The references keep it, so that no other process gets its
 * address meanwhile.
 */
struct hwpmc_descent_entry {
	struct task_struct *leader;
	struct task_struct *parent;
	enum hwpmc_descends descends;
};

/* Returns the entry of @process, or the free entry where it belongs. */
static struct hwpmc_descent_entry *hwpmc_descent_find(const struct hwpmc_descent *descent,
						      const struct signal_struct *process)
{
	unsigned int i = hash_ptr(process, 32);
	struct hwpmc_descent_entry *entry;

	/* At most half of the entries are in use, so the loop ends. */
	do {
		entry = &descent->entries[i++ & (descent->room - 1)];
	} while (entry->leader && entry->leader->signal != process);
	return entry;
}

/**
 * hwpmc_descent_add - add a process to a snapshot
 * @descent: has its table
 * @leader: of the process
 *
 * If the table is full the process is counted only. Context: RCU held.
 */
void hwpmc_descent_add(struct hwpmc_descent *descent, struct task_struct *leader)
{
	struct hwpmc_descent_entry *entry = hwpmc_descent_find(descent, leader->signal);

	/* The walk found the process twice: an exec changed its leader, or the walk restarted. */
	if (entry->leader)
		return;
	if (++descent->count > descent->room / 2)
		return;
	entry->leader = get_task_struct(leader);
	entry->parent = get_task_struct(rcu_dereference(leader->real_parent));
}

/**
 * hwpmc_descent_listed - whether a walk of processes can continue from a task
 * @leader: found by the walk; referenced
 *
 * A leader that de_thread() (fs/exec.c) has replaced is off the list of processes, but has a pid
 * for a while, and its next process can be freed meanwhile. Context: RCU held.
 */
bool hwpmc_descent_listed(const struct task_struct *leader)
{
	/* Each changes once: a leader that was removed from the list is not added again. */
	return data_race(pid_alive(leader) && thread_group_leader((struct task_struct *)leader));
}

/**
 * hwpmc_descent_resched - drop RCU in a walk of tasks, every HWPMC_DESCENT_STEPS tasks
 * @steps: tasks visited since it was dropped; 0 at first
 * @task: the task that the walk is at
 * @leader: the walk is of processes, otherwise of the threads of one
 *
 * Context: process, RCU held once; may sleep, and returns with RCU held. Return: false if @task was
 * removed from the list, so that the walk cannot continue from it.
 */
bool hwpmc_descent_resched(unsigned int *steps, struct task_struct *task, bool leader)
{
	bool listed;

	if (++*steps < HWPMC_DESCENT_STEPS)
		return true;
	*steps = 0;
	get_task_struct(task);
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	/* The pid is removed once. */
	listed = leader ? hwpmc_descent_listed(task) : data_race(pid_alive(task));
	put_task_struct(task);
	return listed;
}

/**
 * hwpmc_descent_table - allocate the table of a snapshot
 * @room: number of entries
 *
 * Context: may sleep. Return: the table, for hwpmc_descent_drop(), or NULL.
 */
struct hwpmc_descent_entry *hwpmc_descent_table(unsigned int room)
{
	return kvcalloc(room, sizeof(struct hwpmc_descent_entry), GFP_KERNEL_ACCOUNT);
}

/**
 * hwpmc_descent_fits - whether each process that was added is in the table
 * @descent: the snapshot
 *
 * If not, a walk must not restart: it would count processes without an entry again, and so make the
 * next table larger than necessary. Context: any.
 */
bool hwpmc_descent_fits(const struct hwpmc_descent *descent)
{
	return descent->count <= descent->room / 2;
}

/*
 * Restarts if it loses its position; processes that were added are not added again. The kernel adds
 * processes at the end of its list, and the walk ends at the first one that is newer than itself.
 * So each restart means that one of the processes to visit has ended: the walk ends, however fast
 * processes are created. hwpmc_descent_includes() finds newer ones by their ancestors.
 */
static int hwpmc_descent_walk(struct hwpmc_descent *descent)
{
	u64 begun = ktime_get_ns();
	struct task_struct *leader;
	unsigned int steps = 0;
	int err = 0;

	rcu_read_lock();
	for_each_process(leader) {
		if (leader->start_time > begun)
			break;
		hwpmc_descent_add(descent, leader);
		if (hwpmc_descent_resched(&steps, leader, true))
			continue;
		if (fatal_signal_pending(current)) {
			err = -EINTR;
			break;
		}
		if (!hwpmc_descent_fits(descent))
			break;
		leader = &init_task;
	}
	rcu_read_unlock();
	return err;
}

static int hwpmc_descent_scan(struct hwpmc_descent *descent)
{
	int err;

	for (descent->room = 256;; descent->room = roundup_pow_of_two(4 * descent->count)) {
		descent->count = 0;
		descent->entries = hwpmc_descent_table(descent->room);
		if (!descent->entries)
			return -ENOMEM;
		err = hwpmc_descent_walk(descent);
		if (err)
			return err;
		if (hwpmc_descent_fits(descent))
			return 0;
		hwpmc_descent_drop(descent);
	}
}

/*
 * Walks up to an ancestor that is resolved, or that has no entry, and then sets the same result for
 * the processes on the way.
 */
static void hwpmc_descent_resolve(const struct hwpmc_descent *descent,
				  struct hwpmc_descent_entry *entry)
{
	struct hwpmc_descent_entry *end = entry;

	while (end->leader && end->descends == HWPMC_DESCENDS_UNKNOWN) {
		end->descends = HWPMC_DESCENDS_NOT;
		end = hwpmc_descent_find(descent, end->parent->signal);
	}
	if (end->descends != HWPMC_DESCENDS)
		return;
	for (; entry != end; entry = hwpmc_descent_find(descent, entry->parent->signal))
		entry->descends = HWPMC_DESCENDS;
}

/**
 * hwpmc_descent_take - take a snapshot of all processes and find the descendants of one
 * @descent: zeroed; the caller calls hwpmc_descent_drop(), also after a failure
 * @from: a thread of the process whose descendants are wanted; referenced
 *
 * Context: may sleep. Return: 0, -ENOMEM, or -EINTR if a fatal signal is pending.
 */
int hwpmc_descent_take(struct hwpmc_descent *descent, struct task_struct *from)
{
	int err = hwpmc_descent_scan(descent);
	struct hwpmc_descent_entry *entry;
	unsigned int i;

	if (err)
		return err;
	entry = hwpmc_descent_find(descent, from->signal);
	if (entry->leader)
		entry->descends = HWPMC_DESCENDS;
	for (i = 0; i < descent->room; i++) {
		entry = &descent->entries[i];
		if (entry->leader)
			hwpmc_descent_resolve(descent, entry);
		if (entry->descends == HWPMC_DESCENDS)
			/* Approximately: threads may begin and end meanwhile. */
			descent->threads += data_race(get_nr_threads(entry->leader));
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/**
 * hwpmc_descent_drop - free a snapshot
 * @descent: taken, or zeroed
 *
 * Context: may sleep.
 */
void hwpmc_descent_drop(struct hwpmc_descent *descent)
{
	unsigned int i;

	for (i = 0; descent->entries && i < descent->room; i++) {
		if (descent->entries[i].leader) {
			put_task_struct(descent->entries[i].leader);
			put_task_struct(descent->entries[i].parent);
		}
		cond_resched();
	}
	kvfree(descent->entries);
	descent->entries = NULL;
}

/**
 * hwpmc_descent_next - iterate over the process and its descendants
 * @descent: the snapshot
 * @at: the place to continue from; 0 at first, advanced by this call
 *
 * Context: any. Return: the leader that the next process had at the snapshot, which
 * @descent references, or NULL at the end.
 */
struct task_struct *hwpmc_descent_next(const struct hwpmc_descent *descent, unsigned int *at)
{
	while (*at < descent->room) {
		const struct hwpmc_descent_entry *entry = &descent->entries[(*at)++];

		if (entry->descends == HWPMC_DESCENDS)
			return entry->leader;
	}
	return NULL;
}

/**
 * hwpmc_descent_includes - whether a process that exists now descends
 * @descent: the snapshot
 * @task: a thread of the process; it may be newer than the snapshot
 *
 * The result is that of its nearest ancestor in the snapshot. Context: RCU held.
 */
bool hwpmc_descent_includes(const struct hwpmc_descent *descent, struct task_struct *task)
{
	for (; task->pid; task = rcu_dereference(task->real_parent)) {
		const struct hwpmc_descent_entry *entry = hwpmc_descent_find(descent, task->signal);

		if (entry->leader)
			return entry->descends == HWPMC_DESCENDS;
	}
	return false;
}
