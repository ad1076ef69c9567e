// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log writer: a kernel thread that writes an owner's rings to a file, a pipe or a
 * socket.
 *
 * The LOG_OPEN, LOG_FLUSH and LOG_CLOSE ioctls start, flush and end it, in process context
 * with owner->lock held. It writes with the credentials of the file's opener, and its
 * memory is charged to the caller of LOG_OPEN. After an error it stops, and flush, close
 * and poll report the error; records that then find no room in the rings are counted as
 * lost.
 */
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../base/owner.h"
#include "../base/param.h"
#include "../base/stat.h"
#include "../compat/compat.h"
#include "log.h"
#include "sink.h"

/* The thread sweeps the rings at least this often. */
#define HWPMC_WRITER_TICK	(HZ / 10)
/* close(2) of the device waits at most this long for the thread to end. */
#define HWPMC_WRITER_AWAIT	HZ

static struct hwpmc_param drain_ms = { .value = 2000, .least = 1, .most = 60000 };
module_param_cb(drain_ms, &hwpmc_param_ops, &drain_ms, 0644);
MODULE_PARM_DESC(drain_ms,
		 "time to write what is left of a log when the device is closed, in ms (default 2000, 1..60000)");

/**
 * enum hwpmc_writer_stage - what the thread does next; written under owner->lock
 * @HWPMC_WRITER_RUNS: writes records
 * @HWPMC_WRITER_HALTS: does only the sweeps that flushers ask for, until RUNS or ENDS
 *	is set
 * @HWPMC_WRITER_ENDS: writes CLOSE and ends
 * @HWPMC_WRITER_DRAINS: the device was closed: writes what is left and CLOSE, as far as the
 *	time allows, and frees everything
 */
enum hwpmc_writer_stage {
	HWPMC_WRITER_RUNS, HWPMC_WRITER_HALTS, HWPMC_WRITER_ENDS, HWPMC_WRITER_DRAINS
};

/**
 * struct hwpmc_writer - an open log
 * @owner: whose log
 * @sink: where it is written to
 * @opened: ktime of LOG_OPEN in ns: no later record is older
 * @task: the thread
 * @refs: the thread, or before it ends the owner; and hwpmc_writer_drain()
 * @late: ends a write when the time for the drain is over
 * @asked: number of the last sweep that a flusher asked for
 * @swept: number of the last one that is done
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
	u64 asked;
	u64 swept;
	enum hwpmc_writer_stage stage;
	bool closed;
	bool done;
	int error;
	wait_queue_head_t flushed;
	struct rcu_head rcu;
};

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

/* The time is over: a signal interrupts the write, or the wait for the reader of a pipe. */
static void hwpmc_writer_late(struct work_struct *work)
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
 * Writes records of a ring. After an error the complete records that were written are
 * released, so that the next log does not have them again.
 */
static void hwpmc_writer_put(struct hwpmc_writer *writer, struct hwpmc_buffer *buffer,
			     const void *from, u64 size)
{
	size_t done = hwpmc_writer_write(writer, from, size);

	if (done < size) {
		hwpmc_reader_next(buffer, done, &size);
		writer->sink.torn = done - size;
	}
	if (size)
		writer->sink.last = buffer->last;
	hwpmc_reader_done(buffer, size);
}

/* Gets as many records as are to be written at once, at least one. */
static const void *hwpmc_writer_next(const struct hwpmc_writer *writer,
				     struct hwpmc_buffer *buffer, u64 *size)
{
	const struct hwpmc_log_header *first;

	first = hwpmc_reader_next(buffer, hwpmc_sink_step(&writer->sink), size);
	if (first && !*size)
		first = hwpmc_reader_next(buffer, first->length, size);
	return first;
}

/* Writes everything that is in the rings now. */
static void hwpmc_writer_sweep(struct hwpmc_writer *writer)
{
	struct hwpmc_rings *rings = writer->owner->rings;
	unsigned int cpu;

	hwpmc_stat_inc(HWPMC_STAT_LOG_SWEEPS);
	for (cpu = 0; cpu < rings->count && !writer->error; cpu++) {
		struct hwpmc_buffer *buffer = rings->buffers[cpu];
		/*
		 * At most one ring's size each, so that a ring that fills as fast does not
		 * delay the others.
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

/* Waits until there is something to write, or a flusher asks for a sweep after @asked. */
static void hwpmc_writer_wait(struct hwpmc_writer *writer, u64 asked)
{
	struct hwpmc_owner *owner = writer->owner;

	wait_event_interruptible_timeout(owner->waiters, hwpmc_reader_ready(owner, false) ||
					 READ_ONCE(writer->asked) != asked ||
					 hwpmc_writer_ends(writer), HWPMC_WRITER_TICK);
	/*
	 * While LOG_CLOSE is under way later records are left in the rings: a write could
	 * block on the peer.
	 */
	wait_event_interruptible(owner->waiters,
				 READ_ONCE(writer->stage) != HWPMC_WRITER_HALTS ||
				 READ_ONCE(writer->asked) != asked);
}

static void hwpmc_writer_run(struct hwpmc_writer *writer)
{
	while (!signal_pending(current) && !hwpmc_writer_ends(writer)) {
		/* Acquire: this sweep has all records from before the flusher asked for it. */
		u64 asked = smp_load_acquire(&writer->asked);

		hwpmc_writer_sweep(writer);
		/* Release: the records are written before the flusher reads this. */
		smp_store_release(&writer->swept, asked);
		wake_up_all(&writer->flushed);
		if (writer->error)
			return;
		hwpmc_writer_wait(writer, asked);
	}
	if (READ_ONCE(writer->stage) == HWPMC_WRITER_ENDS)
		hwpmc_writer_end(writer);
	else if (!hwpmc_writer_drains(writer))
		/* Killed from outside: report it, so that flushers do not wait for the thread. */
		hwpmc_writer_failed(writer, -EIO);
}

/* Reports what the rings had no room for; nothing is written to them any more. */
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
 * Writes CLOSE with the number of records that are not in the log. The signal that ended the
 * sweep does not end this write, but it has a time limit of its own.
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
	schedule_delayed_work(&writer->late, HWPMC_WRITER_AWAIT);
	/* A reader that has stalled for the whole drain is not waited for again. */
	if (!hwpmc_sink_ready(&writer->sink))
		return;
	hwpmc_sink_write(&writer->sink, &record, sizeof(record), &error);
	if (!error)
		writer->sink.pos += record.h.length - sizeof(record);
}

/* The owner's file is closed: writes what is left in the rings. */
static void hwpmc_writer_put_rest(struct hwpmc_writer *writer)
{
	hwpmc_buffer_end(writer->owner);
	writer->sink.polite = true;
	if (!writer->error)
		hwpmc_writer_sweep(writer);
	hwpmc_writer_put_drops(writer);
	hwpmc_writer_put_last(writer);
}

static void hwpmc_writer_unref(struct hwpmc_writer *writer)
{
	if (refcount_dec_and_test(&writer->refs))
		kfree_rcu(writer, rcu);
}

static void hwpmc_writer_free(struct hwpmc_owner *owner, struct hwpmc_writer *writer)
{
	WRITE_ONCE(owner->writer, NULL);
	hwpmc_sink_exit(&writer->sink);
	hwpmc_writer_unref(writer);
}

/* Frees what the thread of a closed file is the last to use. */
static void hwpmc_writer_release(struct hwpmc_writer *writer)
{
	struct hwpmc_owner *owner = writer->owner;

	cancel_delayed_work_sync(&writer->late);
	/* Synchronously, not in the work item that all kernel threads share for closing files. */
	__fput_sync(writer->sink.file);
	hwpmc_writer_free(owner, writer);
	hwpmc_buffer_destroy(owner);
	hwpmc_owner_free(owner);
}

static int hwpmc_writer_thread(void *arg)
{
	struct hwpmc_writer *writer = arg;
	struct hwpmc_owner *owner = writer->owner;
	const struct cred *mine = override_creds(writer->sink.file->f_cred);

	/* A stalled peer blocks the write; SIGKILL from hwpmc_writer_late() interrupts it. */
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

/*
 * Creates a writer whose thread does not run yet: memory is allocated before others can
 * find the writer.
 */
static struct hwpmc_writer *hwpmc_writer_new(struct hwpmc_owner *owner, struct file *file)
{
	struct hwpmc_writer *writer = kzalloc(sizeof(*writer), GFP_KERNEL_ACCOUNT);

	if (!writer)
		return ERR_PTR(hwpmc_fail(owner, -ENOMEM, "out of memory; try again"));
	writer->owner = owner;
	refcount_set(&writer->refs, 1);
	writer->opened = ktime_get_mono_fast_ns();
	init_waitqueue_head(&writer->flushed);
	writer->task = kthread_create(hwpmc_writer_thread, writer, "hwpmc/%d",
				      pid_nr(owner->pid));
	if (IS_ERR(writer->task)) {
		int err = PTR_ERR(writer->task);

		kfree(writer);
		return ERR_PTR(hwpmc_fail(owner, err,
					  "cannot create the log's thread: out of process numbers or memory; try again"));
	}
	hwpmc_sink_init(&writer->sink, file);
	INIT_DELAYED_WORK(&writer->late, hwpmc_writer_late);
	/* A reference for the thread: it may outlive the device's file. */
	__module_get(THIS_MODULE);
	return writer;
}

/* Frees a writer whose thread never ran. */
static void hwpmc_writer_drop(struct hwpmc_writer *writer)
{
	kthread_stop(writer->task);
	module_put(THIS_MODULE);
	hwpmc_sink_exit(&writer->sink);
	kfree(writer);
}

/* Creates the rings if there are none, and makes the kernel their reader. */
static int hwpmc_writer_rings(struct hwpmc_owner *owner)
{
	if (!owner->rings)
		return hwpmc_buffer_create(owner, 0, 0, HWPMC_READER_KERNEL);
	if (hwpmc_reader_claim(owner->rings, HWPMC_READER_KERNEL))
		return hwpmc_fail(owner, -EBUSY, "the rings are mapped, and the program reads them: open the device again for a log");
	return 0;
}

static int hwpmc_writer_start(struct hwpmc_owner *owner, struct file *file)
{
	struct hwpmc_writer *writer = hwpmc_writer_new(owner, file);
	int err;

	if (IS_ERR(writer))
		return PTR_ERR(writer);
	err = hwpmc_writer_rings(owner);
	if (err) {
		hwpmc_writer_drop(writer);
		return err;
	}
	WRITE_ONCE(owner->writer, writer);
	wake_up_process(writer->task);
	return 0;
}

/**
 * hwpmc_writer_open - open a log
 * @owner: whose log
 * @fd: the caller's descriptor of the file to write
 *
 * Context: may sleep; owner->lock held. Return: 0, or an error of HWPMC_IOC_LOG_OPEN.
 */
int hwpmc_writer_open(struct hwpmc_owner *owner, int fd)
{
	struct file *file;
	int err;

	if (owner->writer)
		return hwpmc_fail(owner, -EBUSY, "this file already has a log; close it first");
	err = hwpmc_output_get(owner, fd, &file);
	if (err)
		return err;
	err = hwpmc_writer_start(owner, file);
	if (err)
		fput(file);
	return err;
}

/**
 * hwpmc_writer_error - the first error of the open log
 * @owner: whose log; it may have none
 *
 * Context: any but NMI. Return: a negative errno, or 0.
 */
int hwpmc_writer_error(struct hwpmc_owner *owner)
{
	const struct hwpmc_writer *writer;
	int error;

	rcu_read_lock();
	writer = READ_ONCE(owner->writer);
	error = writer ? READ_ONCE(writer->error) : 0;
	rcu_read_unlock();
	return error;
}

static int hwpmc_writer_report(struct hwpmc_owner *owner, int err)
{
	if (!err)
		return 0;
	return hwpmc_fail(owner, err, "writing the log failed with error %d; the log has stopped, and records that find no room are counted as lost",
			  -err);
}

/**
 * hwpmc_writer_flush - wait until all earlier records are written
 * @owner: which has an open log
 *
 * Context: may sleep; owner->lock held. Return: 0, the error of the log, or -EINTR if the
 * caller is killed.
 */
int hwpmc_writer_flush(struct hwpmc_owner *owner)
{
	struct hwpmc_writer *writer = owner->writer;
	u64 asked = writer->asked + 1;

	/* Pairs with the acquire in hwpmc_writer_run(), before a sweep. */
	smp_store_release(&writer->asked, asked);
	wake_up_all(&owner->waiters);
	if (wait_event_killable(writer->flushed, READ_ONCE(writer->swept) >= asked ||
				READ_ONCE(writer->error) || READ_ONCE(writer->done)))
		return hwpmc_fail(owner, -EINTR, "interrupted while the log was written");
	return hwpmc_writer_report(owner, READ_ONCE(writer->error));
}

/*
 * Waits a while for the thread to end, so that usually the log is complete and the memory of the
 * rings is uncharged when close(2) returns. Does not wait for the reader of a pipe or socket
 * without room: a process that exits may have many of them. The wait is bounded, since no signal
 * wakes a write to a file system that is frozen or does not answer. Kernel threads do not wait:
 * the files that they close are closed one after the other, for the whole system.
 */
static void hwpmc_writer_await(const struct hwpmc_writer *writer)
{
	unsigned long until = jiffies + HWPMC_WRITER_AWAIT;

	while (!READ_ONCE(writer->task->exit_state) && !READ_ONCE(writer->sink.stalled) &&
	       time_before(jiffies, until))
		usleep_range(50, 200);
}

/**
 * hwpmc_writer_drain - have the thread write what is left, and free the writer and its owner
 * @writer: of an owner whose file is closed and whose PMCs are released
 *
 * The thread has the time of the parameter drain_ms; the caller waits less. It uses neither
 * writer nor owner afterwards. Context: may sleep.
 */
void hwpmc_writer_drain(struct hwpmc_writer *writer)
{
	bool await = !(current->flags & PF_KTHREAD) && hwpmc_sink_ready(&writer->sink);
	struct task_struct *task = get_task_struct(writer->task);

	refcount_inc(&writer->refs);
	schedule_delayed_work(&writer->late, msecs_to_jiffies(READ_ONCE(drain_ms.value)));
	/* Release: the caller no longer uses the owner, which the thread may free now. */
	smp_store_release(&writer->stage, HWPMC_WRITER_DRAINS);
	wake_up_process(task);
	if (await)
		hwpmc_writer_await(writer);
	put_task_struct(task);
	hwpmc_writer_unref(writer);
}

/*
 * Writes the records so far; later ones are left in the rings. The log continues if the
 * wait is interrupted.
 */
static int hwpmc_writer_halt(struct hwpmc_owner *owner, void (*flush)(struct hwpmc_owner *owner))
{
	struct hwpmc_writer *writer = owner->writer;
	int err;

	flush(owner);
	/* Set before the sweep is asked for: once that is done the thread writes no more. */
	WRITE_ONCE(writer->stage, HWPMC_WRITER_HALTS);
	err = hwpmc_writer_flush(owner);
	if (!err) {
		/* A ring that was full had no room for a DROP record; it has now. */
		flush(owner);
		err = hwpmc_writer_flush(owner);
	}
	/* LOG_CLOSE reports an error of the log after the log has ended. */
	if (!err || READ_ONCE(writer->error))
		return 0;
	WRITE_ONCE(writer->stage, HWPMC_WRITER_RUNS);
	wake_up_all(&owner->waiters);
	return err;
}

/**
 * hwpmc_writer_close - end the log
 * @owner: which has an open log; its PMCs that record are stopped
 * @flush: records what they lost
 *
 * The thread writes CLOSE too: a signal that this raises, such as SIGPIPE, does not hit the
 * caller. If the caller is killed meanwhile the next LOG_CLOSE does the rest.
 *
 * Context: may sleep; owner->lock held. Return: 0, the error of the log, or -EINTR if the
 * caller is killed; then the log is still open.
 */
int hwpmc_writer_close(struct hwpmc_owner *owner, void (*flush)(struct hwpmc_owner *owner))
{
	struct hwpmc_writer *writer = owner->writer;
	int err = writer->stage == HWPMC_WRITER_RUNS ? hwpmc_writer_halt(owner, flush) : 0;

	if (err)
		return err;
	WRITE_ONCE(writer->stage, HWPMC_WRITER_ENDS);
	wake_up_all(&owner->waiters);
	if (wait_event_killable(writer->flushed, READ_ONCE(writer->done)))
		return hwpmc_fail(owner, -EINTR, "interrupted while the log's end was written");
	kthread_stop(writer->task);
	err = hwpmc_writer_report(owner, writer->error);
	fput(writer->sink.file);
	hwpmc_writer_free(owner, writer);
	return err;
}
