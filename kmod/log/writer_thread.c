// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log writer: a kernel thread that writes an owner's rings to a file, a pipe or a socket.
 *
 * writer.c starts, flushes and ends it. It writes with the credentials of the file's opener, and
 * stops after an error. Records for which the rings then have no room are counted as lost.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../base/owner.h"
#include "../base/stat.h"
#include "../compat/compat.h"
#include "log.h"
#include "sink.h"
#include "writer.h"

/* The thread sweeps the rings at least this often. */
#define HWPMC_WRITER_TICK	(HZ / 10)

static void hwpmc_writer_failed(struct hwpmc_writer *writer, int error)
{
	WRITE_ONCE(writer->error, error);
	/* Wakes pollers, which get POLLERR, and sends SIGIO. */
	hwpmc_owner_notify(writer->owner);
}

static bool hwpmc_writer_drains(const struct hwpmc_writer *writer)
{
	/* Pairs with hwpmc_writer_drain(). */
	return smp_load_acquire(&writer->stage) == HWPMC_WRITER_DRAINS;
}

/**
 * hwpmc_writer_thread_late - end the thread's write: the time for the drain is over
 * @work: of a writer
 *
 * A signal interrupts the write, or the wait for the reader of a pipe. Context: process.
 */
void hwpmc_writer_thread_late(struct work_struct *work)
{
	struct hwpmc_writer *writer = container_of(work, struct hwpmc_writer, late.work);

	send_sig(SIGKILL, writer->task, 1);
}

/* Writes all bytes, or records an error. Returns how many bytes were written. */
static size_t hwpmc_writer_write(struct hwpmc_writer *writer, const void *from, size_t size)
{
	int error = 0;
	size_t done = hwpmc_sink_write(&writer->sink, from, size, &error);

	if (error)
		hwpmc_writer_failed(writer, error);
	return done;
}

static bool hwpmc_writer_begin(struct hwpmc_writer *writer)
{
	struct hwpmc_log_initialize record;

	hwpmc_record_initialize(&record, writer->opened);
	return hwpmc_writer_write(writer, &record, sizeof(record)) == sizeof(record);
}

static void hwpmc_writer_end(struct hwpmc_writer *writer)
{
	struct hwpmc_log_close record = {
		.h.type = HWPMC_LOG_CLOSE,
		.h.length = sizeof(record),
		.h.time = ktime_get_mono_fast_ns(),
	};

	hwpmc_writer_write(writer, &record, sizeof(record));
	writer->closed = true;
}

/*
 * Writes records of a ring. After an error it releases the records that were written completely, so
 * that the next log does not contain them.
 */
static void hwpmc_writer_put(struct hwpmc_writer *writer, struct hwpmc_buffer *buffer,
			     const void *from, u64 size)
{
	size_t done = hwpmc_writer_write(writer, from, size);

	if (done < size) {
		hwpmc_reader_next(buffer, done, &size);
		writer->sink.partial = done - size;
	}
	if (size)
		writer->sink.last = buffer->last;
	hwpmc_reader_done(buffer, size);
}

/* Gets the records for one write: as many as hwpmc_sink_step() allows, but at least one. */
static const void *hwpmc_writer_next(const struct hwpmc_writer *writer,
				     struct hwpmc_buffer *buffer, u64 *size)
{
	const struct hwpmc_log_header *first;

	first = hwpmc_reader_next(buffer, hwpmc_sink_step(&writer->sink), size);
	if (first && !*size)
		first = hwpmc_reader_next(buffer, first->length, size);
	return first;
}

/* Writes the records that are in the rings now. */
static void hwpmc_writer_sweep(struct hwpmc_writer *writer)
{
	struct hwpmc_rings *rings = writer->owner->rings;
	unsigned int cpu;

	hwpmc_stat_inc(HWPMC_STAT_LOG_SWEEPS);
	for (cpu = 0; cpu < rings->count && !writer->error; cpu++) {
		struct hwpmc_buffer *buffer = rings->buffers[cpu];
		/*
		 * At most one ring's size each: a ring that is filled as fast as it is
		 * written must not delay the others.
		 */
		u64 left = rings->size, size;
		const void *from;

		while (buffer && left && !writer->error &&
		       (from = hwpmc_writer_next(writer, buffer, &size))) {
			hwpmc_writer_put(writer, buffer, from, size);
			left -= min(left, size);
		}
	}
}

static bool hwpmc_writer_ends(const struct hwpmc_writer *writer)
{
	return READ_ONCE(writer->stage) >= HWPMC_WRITER_ENDS;
}

/* Waits until there are records to write, or a flusher requests a sweep after @requested. */
static void hwpmc_writer_wait(struct hwpmc_writer *writer, u64 requested)
{
	struct hwpmc_owner *owner = writer->owner;

	wait_event_interruptible_timeout(owner->waiters, hwpmc_reader_ready(owner, false) ||
					 READ_ONCE(writer->sweep_requested) != requested ||
					 hwpmc_writer_ends(writer), HWPMC_WRITER_TICK);
	/*
	 * During LOG_CLOSE later records are left in the rings, since a write could block on a
	 * pipe or socket.
	 */
	wait_event_interruptible(owner->waiters,
				 READ_ONCE(writer->stage) != HWPMC_WRITER_HALTS ||
				 READ_ONCE(writer->sweep_requested) != requested);
}

static void hwpmc_writer_run(struct hwpmc_writer *writer)
{
	while (!signal_pending(current) && !hwpmc_writer_ends(writer)) {
		/* Acquire: this sweep includes all records from before the flusher's request. */
		u64 requested = smp_load_acquire(&writer->sweep_requested);

		hwpmc_writer_sweep(writer);
		/* Release: the records are written before the flusher reads this. */
		smp_store_release(&writer->sweep_done, requested);
		wake_up_all(&writer->flushed);
		if (writer->error)
			return;
		hwpmc_writer_wait(writer, requested);
	}
	if (READ_ONCE(writer->stage) == HWPMC_WRITER_ENDS)
		hwpmc_writer_end(writer);
	else if (!hwpmc_writer_drains(writer))
		/*
		 * Something else killed the thread: an error, so that flushers do not wait for it.
		 */
		hwpmc_writer_failed(writer, -EIO);
}

/* Writes DROP records for the losses of the rings, to which nothing writes any more. */
static void hwpmc_writer_put_drops(struct hwpmc_writer *writer)
{
	const struct hwpmc_rings *rings = writer->owner->rings;
	struct hwpmc_log_drop record;
	unsigned int cpu;

	for (cpu = 0; cpu < rings->count && !writer->error; cpu++) {
		struct hwpmc_buffer *buffer = rings->buffers[cpu];

		if (!buffer || !hwpmc_record_drop_last(buffer, &record))
			continue;
		if (hwpmc_writer_write(writer, &record, sizeof(record)) < sizeof(record))
			return;
		buffer->loss = (struct hwpmc_loss){};
		/* CLOSE must not be written over it. */
		writer->sink.last = 0;
	}
}

/*
 * Writes CLOSE with the number of records that are not in the log. A signal that ended the sweep
 * does not end this write, which has a time limit of its own.
 */
static void hwpmc_writer_put_last(struct hwpmc_writer *writer)
{
	struct hwpmc_log_close record = {
		.h.type = HWPMC_LOG_CLOSE,
		.h.length = sizeof(record),
		.h.time = ktime_get_mono_fast_ns(),
		.lost = hwpmc_reader_missing(writer->owner->rings),
	};
	int error = 0;

	if (!hwpmc_sink_rewind(&writer->sink, &record.h.length, &record.lost))
		return;
	cancel_delayed_work_sync(&writer->late);
	flush_signals(current);
	schedule_delayed_work(&writer->late, HWPMC_WRITER_TIMEOUT);
	/* Do not wait for a reader that did not read during the whole drain. */
	if (!hwpmc_sink_ready(&writer->sink))
		return;
	hwpmc_sink_write(&writer->sink, &record, sizeof(record), &error);
	if (!error)
		writer->sink.pos += record.h.length - sizeof(record);
}

/* The owner's file is closed: writes the remaining records of the rings. */
static void hwpmc_writer_put_rest(struct hwpmc_writer *writer)
{
	hwpmc_buffer_end(writer->owner);
	writer->sink.nonblocking = true;
	if (!writer->error)
		hwpmc_writer_sweep(writer);
	hwpmc_writer_put_drops(writer);
	hwpmc_writer_put_last(writer);
}

/* Drop a reference. Context: any. */
void hwpmc_writer_thread_unref(struct hwpmc_writer *writer)
{
	if (refcount_dec_and_test(&writer->refs))
		kfree_rcu(writer, rcu);
}

/* Free a writer whose thread has ended, or is current. Context: may sleep. */
void hwpmc_writer_thread_free(struct hwpmc_owner *owner, struct hwpmc_writer *writer)
{
	WRITE_ONCE(owner->writer, NULL);
	hwpmc_sink_exit(&writer->sink);
	hwpmc_writer_thread_unref(writer);
}

/* Frees the memory that only the thread of a closed file still uses. */
static void hwpmc_writer_release(struct hwpmc_writer *writer)
{
	struct hwpmc_owner *owner = writer->owner;

	cancel_delayed_work_sync(&writer->late);
	/* Synchronously, not in the work item that all kernel threads share for closing files. */
	__fput_sync(writer->sink.file);
	hwpmc_writer_thread_free(owner, writer);
	hwpmc_buffer_destroy(owner);
	hwpmc_owner_free(owner);
}

/**
 * hwpmc_writer_thread - the thread of a log
 * @arg: its writer
 *
 * Writes records until the log ends, and CLOSE. Context: a thread of its own, which holds a
 * reference to the module. Return: never.
 */
int hwpmc_writer_thread(void *arg)
{
	struct hwpmc_writer *writer = arg;
	struct hwpmc_owner *owner = writer->owner;
	const struct cred *mine = override_creds(writer->sink.file->f_cred);

	/* If a reader stalls, the write blocks: hwpmc_writer_thread_late() ends it by SIGKILL. */
	allow_signal(SIGKILL);
	if (hwpmc_writer_begin(writer))
		hwpmc_writer_run(writer);
	wake_up_all(&writer->flushed);
	/* After an error: until LOG_CLOSE, or close(2). */
	wait_event_idle(owner->waiters, hwpmc_writer_ends(writer));
	if (hwpmc_writer_drains(writer) && !writer->closed)
		hwpmc_writer_put_rest(writer);
	revert_creds(mine);
	hwpmc_sink_move(&writer->sink);
	disallow_signal(SIGKILL);
	WRITE_ONCE(writer->done, true);
	wake_up_all(&writer->flushed);
	/* LOG_CLOSE stops the thread and frees the writer. */
	wait_event_idle(owner->waiters, kthread_should_stop() || hwpmc_writer_drains(writer));
	if (hwpmc_writer_drains(writer))
		hwpmc_writer_release(writer);
	module_put_and_kthread_exit(0);
}
