/* SPDX-License-Identifier: GPL-2.0-only */
/* A log that is open: what its thread (writer_thread.c) and the owner's calls (writer.c) share. */
#ifndef HWPMC_WRITER_H
#define HWPMC_WRITER_H

#include <linux/jiffies.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "sink.h"

struct hwpmc_owner;
struct task_struct;

/*
 * The longest time for which close(2) of the device waits for the thread to end, and for which the
 * thread waits for its last write.
 */
#define HWPMC_WRITER_TIMEOUT	HZ

/**
 * enum hwpmc_writer_stage - what the thread does next; written under owner->lock
 * @HWPMC_WRITER_RUNS: writes records
 * @HWPMC_WRITER_HALTS: sweeps the rings only when a flusher requests it, until RUNS or ENDS is set
 * @HWPMC_WRITER_ENDS: writes CLOSE and ends
 * @HWPMC_WRITER_DRAINS: the device was closed: writes the remaining records and CLOSE, as far as
 *	the time allows, and frees everything
 */
enum hwpmc_writer_stage {
	HWPMC_WRITER_RUNS, HWPMC_WRITER_HALTS, HWPMC_WRITER_ENDS, HWPMC_WRITER_DRAINS
};

/**
 * struct hwpmc_writer - an open log
 * @owner: whose log
 * @sink: where it is written to
 * @opened: time of LOG_OPEN, ktime in ns; records that were in the rings then are older
 * @task: the thread
 * @refs: one until hwpmc_writer_thread_free(), and one of hwpmc_writer_drain() while it runs
 * @late: ends a write when the time for the drain is over
 * @sweep_requested: number of the last sweep that a flusher requested
 * @sweep_done: number of the last sweep that is done
 * @stage: what the thread does next
 * @closed: LOG_CLOSE has ended the log
 * @done: the thread has written its last byte
 * @error: the first error, negative, or 0
 * @flushed: flushers and waiters for @done wait here
 * @rcu: pollers read @error without owner->lock
 */
struct hwpmc_writer {
	struct hwpmc_owner *owner;
	struct hwpmc_sink sink;
	u64 opened;
	struct task_struct *task;
	refcount_t refs;
	struct delayed_work late;
	u64 sweep_requested;
	u64 sweep_done;
	enum hwpmc_writer_stage stage;
	bool closed;
	bool done;
	int error;
	wait_queue_head_t flushed;
	struct rcu_head rcu;
};

/* kmod/log/writer_thread.c */
int hwpmc_writer_thread(void *arg);
void hwpmc_writer_thread_late(struct work_struct *work);
void hwpmc_writer_thread_free(struct hwpmc_owner *owner, struct hwpmc_writer *writer);
void hwpmc_writer_thread_unref(struct hwpmc_writer *writer);

#endif /* HWPMC_WRITER_H */
