// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wakes and signals the waiters of an owner's file: poll(2), SIGIO, read(2). Called by
 * kmod/cdev.c, in process context, and as a work item.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/signal.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../base/owner.h"
#include "log.h"

/* Whether the log failed, or an administrator ended a PMC that is not released yet. */
static bool hwpmc_notify_failed(struct hwpmc_owner *owner)
{
	return READ_ONCE(owner->evicted) || hwpmc_writer_error(owner);
}

/**
 * hwpmc_notify_work - wake waiters and send SIGIO
 * @work: owner->notify, queued by hwpmc_owner_notify()
 *
 * Context: work item; may sleep.
 */
void hwpmc_notify_work(struct work_struct *work)
{
	struct hwpmc_owner *owner = container_of(work, struct hwpmc_owner, notify);

	wake_up_all(&owner->waiters);
	if (hwpmc_notify_failed(owner))
		kill_fasync(&owner->async, SIGIO, POLL_ERR);
	else if (hwpmc_owner_hung_up(owner))
		kill_fasync(&owner->async, SIGIO, POLL_HUP);
	else if (hwpmc_reader_ready(owner, false))
		kill_fasync(&owner->async, SIGIO, POLL_IN);
}

/**
 * hwpmc_notify_poll - poll(2)
 * @owner: whose file
 * @wait: where the caller waits
 *
 * Takes no lock. Context: process. Return: EPOLLIN with records, EPOLLHUP if no target is
 * left, EPOLLERR if the log failed or an administrator ended a PMC.
 */
__poll_t hwpmc_notify_poll(struct hwpmc_owner *owner, poll_table *wait)
{
	bool hung_up;
	__poll_t events = 0;

	poll_wait(owner->file, &owner->waiters, wait);
	hung_up = hwpmc_owner_hung_up(owner);
	if (hung_up)
		events |= EPOLLHUP;
	/* Once no target is left, records below the watermark are reported too. */
	if (hwpmc_reader_ready(owner, hung_up))
		events |= EPOLLIN | EPOLLRDNORM;
	if (hwpmc_notify_failed(owner))
		events |= EPOLLERR;
	return events;
}
