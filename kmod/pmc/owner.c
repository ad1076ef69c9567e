// SPDX-License-Identifier: GPL-2.0-only
/* Owners: open files, and the handles of their PMCs. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../log/log.h"
#include "../stats.h"
#include "context.h"
#include "owner.h"
#include "pmc.h"

static void hwpmc_owner_hangup(struct work_struct *work);

struct hwpmc_owner *hwpmc_owner_create(struct file *file)
{
	struct hwpmc_owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL_ACCOUNT);

	if (!owner)
		return NULL;
	mutex_init(&owner->lock);
	init_waitqueue_head(&owner->gone);
	INIT_WORK(&owner->hangup, hwpmc_owner_hangup);
	owner->file = file;
	/* It lives as long as the file's credentials. */
	if (ns_capable(file->f_cred->user_ns, CAP_SYS_PTRACE))
		owner->ptrace_ns = file->f_cred->user_ns;
	owner->pid = get_pid(task_tgid(current));
	owner->uid = file->f_cred->fsuid;
	owner->pid_ns = get_pid_ns(task_active_pid_ns(current));
	get_task_comm(owner->comm, current->group_leader);
	hwpmc_stat_inc(HWPMC_STAT_OWNERS);
	return owner;
}

static unsigned int hwpmc_owner_list(struct hwpmc_owner *owner, struct hwpmc_pmc **list)
{
	unsigned int i, n = 0;

	for (i = 0; i < owner->room; i++)
		if (owner->pmcs[i])
			list[n++] = owner->pmcs[i];
	return n;
}

/* Its PMCs and its log are gone. May sleep. */
void hwpmc_owner_free(struct hwpmc_owner *owner)
{
	hwpmc_buffer_destroy(owner);
	cancel_work_sync(&owner->hangup);
	put_pid_ns(owner->pid_ns);
	put_pid(owner->pid);
	kvfree(owner->pmcs);
	kvfree(owner->serials);
	hwpmc_stat_add(HWPMC_STAT_OWNERS, -1);
	kfree(owner);
}

/* The file is closed: all that it allocated goes, with its log if one is open. May sleep. */
void hwpmc_owner_destroy(struct hwpmc_owner *owner)
{
	unsigned int count;

	mutex_lock(&owner->lock);
	/* The file is gone, so the table can be compacted in place. */
	count = hwpmc_owner_list(owner, owner->pmcs);
	owner->room = 0;
	hwpmc_pmc_release(owner->pmcs, count);
	pr_debug("hwpmc: pid %d (%s) closed the device, with %u PMCs left\n",
		 pid_nr(owner->pid), owner->comm, count);
	mutex_unlock(&owner->lock);
	/* Nobody waits for the file that its log goes to. */
	if (owner->writer)
		hwpmc_writer_leave(owner->writer);
	else
		hwpmc_owner_free(owner);
}

static int hwpmc_owner_grow(struct hwpmc_owner *owner)
{
	unsigned int room = owner->room ? owner->room * 2 : 8;
	struct hwpmc_pmc **pmcs;
	u16 *serials;

	if (room > HWPMC_ID_INDEX)
		return hwpmc_fail(owner, -EBUSY,
				  "this open file has had all of its ids; open the device again");
	pmcs = kvcalloc(room, sizeof(*pmcs), GFP_KERNEL_ACCOUNT);
	serials = kvcalloc(room, sizeof(*serials), GFP_KERNEL_ACCOUNT);
	if (!pmcs || !serials) {
		kvfree(pmcs);
		kvfree(serials);
		return hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
	}
	if (owner->room) {
		memcpy(pmcs, owner->pmcs, owner->room * sizeof(*pmcs));
		memcpy(serials, owner->serials, owner->room * sizeof(*serials));
	}
	kvfree(owner->pmcs);
	kvfree(owner->serials);
	owner->pmcs = pmcs;
	owner->serials = serials;
	owner->room = room;
	return 0;
}

/* Give @pmc an id and make it visible under it. owner->lock. */
int hwpmc_owner_add(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc)
{
	unsigned int i = 0;
	int err;

	lockdep_assert_held(&owner->lock);
	while (i < owner->room && (owner->pmcs[i] || owner->serials[i] == HWPMC_ID_SERIALS))
		i++;
	if (i == owner->room) {
		err = hwpmc_owner_grow(owner);
		if (err)
			return err;
	}
	pmc->id = (u32)owner->serials[i]++ << HWPMC_ID_SHIFT | (i + 1);
	owner->pmcs[i] = pmc;
	owner->used++;
	return 0;
}

void hwpmc_owner_remove(struct hwpmc_owner *owner, struct hwpmc_pmc *pmc)
{
	unsigned int i = (pmc->id & HWPMC_ID_INDEX) - 1;

	lockdep_assert_held(&owner->lock);
	/* Not so when it never got an id, or when the whole table goes. */
	if (i < owner->room && owner->pmcs[i] == pmc) {
		owner->pmcs[i] = NULL;
		owner->used--;
	}
}

static void hwpmc_owner_count(struct hwpmc_owner *owner, int attached, int living)
{
	bool before = owner->hung_up;

	lockdep_assert_held(&hwpmc_link_lock);
	owner->attached += attached;
	owner->living += living;
	WRITE_ONCE(owner->hung_up, owner->attached && !owner->living);
	if (owner->hung_up && !before)
		hwpmc_owner_gone(owner);
}

/* @by threads that @pmc counts in have come, or begun to exit or gone. hwpmc_link_lock. */
void hwpmc_owner_count_living(struct hwpmc_pmc *pmc, int by)
{
	bool before = pmc->living;

	WRITE_ONCE(pmc->living, pmc->living + by);
	hwpmc_owner_count(pmc->owner, 0, !!pmc->living - before);
}

/**
 * hwpmc_owner_count_attached - @pmc has a target, or is to be as if it never had
 * @pmc: virtual
 * @attached: which of the two
 *
 * Its first target is there before, and its last one goes after: in between it
 * would seem to have lost it. Context: owner->lock.
 */
void hwpmc_owner_count_attached(struct hwpmc_pmc *pmc, bool attached)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&hwpmc_link_lock, flags);
	hwpmc_owner_count(pmc->owner, attached - pmc->attached, 0);
	pmc->attached = attached;
	raw_spin_unlock_irqrestore(&hwpmc_link_lock, flags);
}

static void hwpmc_owner_hangup(struct work_struct *work)
{
	struct hwpmc_owner *owner = container_of(work, struct hwpmc_owner, hangup);

	wake_up_all(&owner->gone);
	if (hwpmc_writer_error(owner))
		kill_fasync(&owner->async, SIGIO, POLL_ERR);
	else if (hwpmc_owner_hung_up(owner))
		kill_fasync(&owner->async, SIGIO, POLL_HUP);
	else if (hwpmc_buffer_ready(owner, false))
		kill_fasync(&owner->async, SIGIO, POLL_IN);
}

/*
 * The last target is lost, or the log. Under hwpmc_link_lock, so the rest is left to a
 * work item: sending a signal takes locks that are held with interrupts on.
 */
void hwpmc_owner_gone(struct hwpmc_owner *owner)
{
	schedule_work(&owner->hangup);
}

__poll_t hwpmc_owner_poll(struct hwpmc_owner *owner, poll_table *wait)
{
	bool hung_up;
	__poll_t events = 0;

	poll_wait(owner->file, &owner->gone, wait);
	hung_up = hwpmc_owner_hung_up(owner);
	if (hung_up)
		events |= EPOLLHUP;
	/* At the end what is left below the watermark is told too. */
	if (hwpmc_buffer_ready(owner, hung_up))
		events |= EPOLLIN | EPOLLRDNORM;
	if (hwpmc_writer_error(owner))
		events |= EPOLLERR;
	return events;
}
