// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log of an owner, as its calls see it: opened, flushed, closed, or drained when the device's
 * file is closed. writer_thread.c writes it.
 *
 * Called by the LOG_OPEN, LOG_FLUSH and LOG_CLOSE ioctls and by release of the file, in process
 * context with owner->lock held. The memory is charged to the caller of LOG_OPEN. After an error
 * the thread stops, and flush, close and poll report the error.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
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
#include "../compat/compat.h"
#include "log.h"
#include "sink.h"
#include "writer.h"

static struct hwpmc_param drain_ms = { .value = 2000, .least = 1, .most = 60000 };
module_param_cb(drain_ms, &hwpmc_param_ops, &drain_ms, 0644);
MODULE_PARM_DESC(drain_ms,
		 "time to write what is left of a log when the device is closed, in ms (default 2000, 1..60000)");

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
	INIT_DELAYED_WORK(&writer->late, hwpmc_writer_thread_late);
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
		return hwpmc_fail(owner, -EBUSY, "this open file already has a log; close it first");
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
	return hwpmc_fail(owner, err, "writing the log failed with error %d; the log has stopped, and records that find no room are counted as lost: close it (LOG_CLOSE)",
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
	u64 requested = writer->sweep_requested + 1;

	/* Pairs with the acquire in hwpmc_writer_run(), before a sweep. */
	smp_store_release(&writer->sweep_requested, requested);
	wake_up_all(&owner->waiters);
	if (wait_event_killable(writer->flushed, READ_ONCE(writer->sweep_done) >= requested ||
				READ_ONCE(writer->error) || READ_ONCE(writer->done)))
		return hwpmc_fail(owner, -EINTR, "interrupted while the log was written");
	return hwpmc_writer_report(owner, READ_ONCE(writer->error));
}

/*
 * Waits up to HWPMC_WRITER_TIMEOUT for the thread to end, so that usually the log is complete and
 * the memory of the rings is uncharged when close(2) returns. Does not wait for the reader of a
 * pipe or socket without room: a process that exits may have many of them. The wait is bounded,
 * since no signal wakes a write to a file system that is frozen or does not respond. Kernel threads
 * do not wait: they close the files of the whole system, one after the other.
 */
static void hwpmc_writer_wait_end(const struct hwpmc_writer *writer)
{
	unsigned long until = jiffies + HWPMC_WRITER_TIMEOUT;

	while (!READ_ONCE(writer->task->exit_state) && !READ_ONCE(writer->sink.stalled) &&
	       time_before(jiffies, until))
		usleep_range(50, 200);
}

/**
 * hwpmc_writer_drain - make the thread write the remaining records, and free the writer and its
 * owner
 * @writer: of an owner whose file is closed and whose PMCs are released
 *
 * The parameter drain_ms limits the thread's time; this function waits HWPMC_WRITER_TIMEOUT at
 * most. The caller does not use writer and owner afterwards. Context: may sleep.
 */
void hwpmc_writer_drain(struct hwpmc_writer *writer)
{
	bool wait = !(current->flags & PF_KTHREAD) && hwpmc_sink_ready(&writer->sink);
	struct task_struct *task = get_task_struct(writer->task);

	refcount_inc(&writer->refs);
	schedule_delayed_work(&writer->late, msecs_to_jiffies(READ_ONCE(drain_ms.value)));
	/* Release: the caller no longer uses the owner, which the thread may free now. */
	smp_store_release(&writer->stage, HWPMC_WRITER_DRAINS);
	wake_up_process(task);
	if (wait)
		hwpmc_writer_wait_end(writer);
	put_task_struct(task);
	hwpmc_writer_thread_unref(writer);
}

/*
 * Writes the records that exist now, and leaves later ones in the rings. If the wait is
 * interrupted, the log continues.
 */
static int hwpmc_writer_halt(struct hwpmc_owner *owner, void (*flush)(struct hwpmc_owner *owner))
{
	struct hwpmc_writer *writer = owner->writer;
	int err;

	flush(owner);
	/* Set before the request for a sweep: once that sweep is done the thread writes no more. */
	WRITE_ONCE(writer->stage, HWPMC_WRITER_HALTS);
	err = hwpmc_writer_flush(owner);
	if (!err) {
		/* A ring that was full had no room for a DROP record; now it has. */
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
 * The thread writes CLOSE too, so the caller does not get a signal that the write raises, such as
 * SIGPIPE. If the caller is killed meanwhile, the next LOG_CLOSE continues.
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
	hwpmc_writer_thread_free(owner, writer);
	return err;
}
