// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log writer: a thread that drains an owner's rings into a file, a pipe or
 * a socket, with the rights of whoever opened that, and at the expense of whoever made
 * it the log. An error stays and is told to whoever flushes, closes or polls; what then
 * no longer fits into the rings is counted as lost, like everything lost.
 */
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "../base/owner.h"
#include "../base/stat.h"
#include "../compat/compat.h"
#include "log.h"

/* Without a wake-up at the watermark it looks this often. */
#define HWPMC_WRITER_TICK	(HZ / 10)
/* Who closes the device gives it so long to end. */
#define HWPMC_WRITER_AWAIT	HZ

/**
 * enum hwpmc_writer_stage - what its thread is to do; written under owner->lock
 * @HWPMC_WRITER_RUNS: write what comes
 * @HWPMC_WRITER_HALTS: the sweep that is asked for is the last, unless this is taken back
 * @HWPMC_WRITER_ENDS: write CLOSE, and no more
 * @HWPMC_WRITER_ABANDONED: the device is closed: free everything
 */
enum hwpmc_writer_stage {
	HWPMC_WRITER_RUNS, HWPMC_WRITER_HALTS, HWPMC_WRITER_ENDS, HWPMC_WRITER_ABANDONED
};

/**
 * struct hwpmc_writer - a log that is open
 * @owner: whose
 * @file: where it goes
 * @opened: ktime of LOG_OPEN: no record that follows is older
 * @pos: there; unused by pipes and sockets
 * @limit: RLIMIT_FSIZE of who made it the log
 * @memcg: their memory cgroup, or NULL
 * @task: the thread
 * @asked: sweeps that flushers asked for
 * @swept: done
 * @stage: what the thread is to do
 * @done: it has written its last
 * @error: the first error, negative, or 0
 * @flushed: wakes flushers, and who waits for @done
 * @rcu: pollers look at @error without owner->lock
 */
struct hwpmc_writer {
	struct hwpmc_owner *owner;
	struct file *file;
	u64 opened;
	loff_t pos;
	u64 limit;
	struct mem_cgroup *memcg;
	struct task_struct *task;
	u64 asked;
	u64 swept;
	enum hwpmc_writer_stage stage;
	bool done;
	int error;
	wait_queue_head_t flushed;
	struct rcu_head rcu;
};

static void hwpmc_writer_failed(struct hwpmc_writer *writer, int error)
{
	WRITE_ONCE(writer->error, error);
	/* Pollers see POLLERR, and SIGIO goes out. */
	hwpmc_owner_notify(writer->owner);
}

static bool hwpmc_writer_abandoned(const struct hwpmc_writer *writer)
{
	/* Pairs with hwpmc_writer_abandon(). */
	return smp_load_acquire(&writer->stage) == HWPMC_WRITER_ABANDONED;
}

/* As far as the opener could have written: the limit of who writes is somebody else's. */
static size_t hwpmc_writer_room(const struct hwpmc_writer *writer, size_t size)
{
	const struct inode *inode = file_inode(writer->file);
	u64 pos = writer->file->f_flags & O_APPEND ? i_size_read(inode) : writer->pos;

	if (!S_ISREG(inode->i_mode) || writer->limit == RLIM_INFINITY)
		return size;
	return min_t(u64, size, writer->limit - min(pos, writer->limit));
}

static ssize_t hwpmc_writer_write_some(struct hwpmc_writer *writer, const void *from, size_t size)
{
	bool stream = writer->file->f_mode & FMODE_STREAM;
	size_t room = hwpmc_writer_room(writer, size);
	struct mem_cgroup *mine;
	ssize_t n;

	if (!room)
		return -EFBIG;
	mine = set_active_memcg(writer->memcg);
	n = kernel_write(writer->file, from, room, stream ? NULL : &writer->pos);
	set_active_memcg(mine);
	return n;
}

/*
 * All of it, or an error. What would block, or was interrupted for itself, is tried again.
 * Returns how many bytes went out.
 */
static size_t hwpmc_writer_write(struct hwpmc_writer *writer, const void *from, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = hwpmc_writer_write_some(writer, from + done, size - done);

		if ((n == -EAGAIN || n == -EINTR) && !signal_pending(current)) {
			schedule_timeout_interruptible(1);
			continue;
		}
		/* Not for whoever is told to call again. */
		if (n == -ERESTARTSYS)
			n = -EINTR;
		if (n <= 0) {
			hwpmc_writer_failed(writer, n ? n : -EIO);
			break;
		}
		done += n;
	}
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
	struct hwpmc_log_header record = {
		.type = HWPMC_LOG_CLOSE,
		.length = sizeof(record),
		.time = ktime_get_mono_fast_ns(),
	};

	hwpmc_writer_write(writer, &record, sizeof(record));
}

/* Records of a ring. Whole ones that went out before an error are not for the next log. */
static void hwpmc_writer_put(struct hwpmc_writer *writer, struct hwpmc_buffer *buffer,
			     const void *from, u64 size)
{
	size_t done = hwpmc_writer_write(writer, from, size);

	if (done < size)
		hwpmc_buffer_next(buffer, done, &size);
	hwpmc_buffer_done(buffer, size);
}

/* Everything that is in the rings now. */
static void hwpmc_writer_sweep(struct hwpmc_writer *writer)
{
	struct hwpmc_rings *rings = writer->owner->rings;
	unsigned int cpu;

	hwpmc_stat_inc(HWPMC_STAT_LOG_SWEEPS);
	for (cpu = 0; cpu < rings->count && !writer->error; cpu++) {
		struct hwpmc_buffer *buffer = rings->buffers[cpu];
		/* A ring that fills as fast must not keep the others waiting. */
		u64 left = rings->size, size;
		void *from;

		while (buffer && left && !writer->error &&
		       (from = hwpmc_buffer_next(buffer, U64_MAX, &size))) {
			hwpmc_writer_put(writer, buffer, from, size);
			left -= min(left, size);
		}
	}
}

static bool hwpmc_writer_ends(const struct hwpmc_writer *writer)
{
	return READ_ONCE(writer->stage) >= HWPMC_WRITER_ENDS;
}

/* Until there is something to do again, after the sweep that @asked was for. */
static void hwpmc_writer_wait(struct hwpmc_writer *writer, u64 asked)
{
	struct hwpmc_owner *owner = writer->owner;

	wait_event_interruptible_timeout(owner->waiters, hwpmc_buffer_ready(owner, false) ||
					 READ_ONCE(writer->asked) != asked ||
					 hwpmc_writer_ends(writer), HWPMC_WRITER_TICK);
	/* What comes while it is closed stays: a write could wait for the peer. */
	wait_event_interruptible(owner->waiters,
				 READ_ONCE(writer->stage) != HWPMC_WRITER_HALTS ||
				 READ_ONCE(writer->asked) != asked);
}

static void hwpmc_writer_run(struct hwpmc_writer *writer)
{
	while (!signal_pending(current) && !hwpmc_writer_ends(writer)) {
		/* What was recorded before a flusher asked is in this sweep. */
		u64 asked = smp_load_acquire(&writer->asked);

		hwpmc_writer_sweep(writer);
		/* And written before it is told so. */
		smp_store_release(&writer->swept, asked);
		wake_up_all(&writer->flushed);
		if (writer->error)
			return;
		hwpmc_writer_wait(writer, asked);
	}
	if (READ_ONCE(writer->stage) == HWPMC_WRITER_ENDS)
		hwpmc_writer_end(writer);
	else
		/* Killed by somebody else: nobody is to wait for it. */
		hwpmc_writer_failed(writer, -EIO);
}

/* As write(2) leaves it, so that what comes next is behind the log. */
static void hwpmc_writer_move(struct hwpmc_writer *writer)
{
	struct file *file = writer->file;
	bool locked = file->f_mode & FMODE_ATOMIC_POS;

	if (file->f_mode & FMODE_STREAM || (locked && mutex_lock_killable(&file->f_pos_lock)))
		return;
	file->f_pos = writer->pos;
	if (locked)
		mutex_unlock(&file->f_pos_lock);
}

static void hwpmc_writer_free(struct hwpmc_owner *owner, struct hwpmc_writer *writer)
{
	WRITE_ONCE(owner->writer, NULL);
	mem_cgroup_put(writer->memcg);
	kfree_rcu(writer, rcu);
}

static int hwpmc_writer_thread(void *arg)
{
	struct hwpmc_writer *writer = arg;
	struct hwpmc_owner *owner = writer->owner;
	const struct cred *mine = override_creds(writer->file->f_cred);

	/* A peer that stalls blocks the write; SIGKILL from hwpmc_writer_abandon() ends that. */
	allow_signal(SIGKILL);
	/* One that was sent before is gone, but what came before it is seen. */
	if (!hwpmc_writer_abandoned(writer) && hwpmc_writer_begin(writer))
		hwpmc_writer_run(writer);
	revert_creds(mine);
	wake_up_all(&writer->flushed);
	hwpmc_writer_move(writer);
	disallow_signal(SIGKILL);
	WRITE_ONCE(writer->done, true);
	wake_up_all(&writer->flushed);
	/* LOG_CLOSE stops it, and frees it. */
	wait_event_idle(owner->waiters, kthread_should_stop() || hwpmc_writer_abandoned(writer));
	if (hwpmc_writer_abandoned(writer)) {
		/* Here, and not in the one work item of all that threads close. */
		__fput_sync(writer->file);
		hwpmc_writer_free(owner, writer);
		hwpmc_buffer_destroy(owner);
		hwpmc_owner_free(owner);
	}
	module_put_and_kthread_exit(0);
}

/* Whole, but its thread is not woken: whatever takes memory comes before what others see. */
static struct hwpmc_writer *hwpmc_writer_new(struct hwpmc_owner *owner, struct file *file)
{
	struct hwpmc_writer *writer = kzalloc(sizeof(*writer), GFP_KERNEL_ACCOUNT);

	if (!writer)
		return ERR_PTR(hwpmc_fail(owner, -ENOMEM, "out of memory; try again"));
	writer->owner = owner;
	writer->file = file;
	writer->opened = ktime_get_mono_fast_ns();
	writer->pos = file->f_flags & O_APPEND ? i_size_read(file_inode(file)) : file->f_pos;
	writer->limit = rlimit(RLIMIT_FSIZE);
	init_waitqueue_head(&writer->flushed);
	writer->task = kthread_create(hwpmc_writer_thread, writer, "hwpmc/%d",
				      pid_nr(owner->pid));
	if (IS_ERR(writer->task)) {
		int err = PTR_ERR(writer->task);

		kfree(writer);
		return ERR_PTR(hwpmc_fail(owner, err,
					  "the log's thread could not be made: is there a process number, and memory?"));
	}
	writer->memcg = get_mem_cgroup_from_mm(current->mm);
	/* The thread's: it may outlive the file of the device. */
	__module_get(THIS_MODULE);
	return writer;
}

/* It never ran. */
static void hwpmc_writer_drop(struct hwpmc_writer *writer)
{
	kthread_stop(writer->task);
	module_put(THIS_MODULE);
	mem_cgroup_put(writer->memcg);
	kfree(writer);
}

/* The rings are there, and ours to read. */
static int hwpmc_writer_rings(struct hwpmc_owner *owner)
{
	if (!owner->rings)
		return hwpmc_buffer_create(owner, 0, 0, HWPMC_READER_KERNEL);
	if (hwpmc_buffer_claim(owner->rings, HWPMC_READER_KERNEL))
		return hwpmc_fail(owner, -EBUSY, "the rings are mapped, so the program reads them");
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

/* HWPMC_IOC_LOG_OPEN. owner->lock; may sleep. */
int hwpmc_writer_open(struct hwpmc_owner *owner, int fd)
{
	struct file *file;
	int err;

	if (owner->writer)
		return hwpmc_fail(owner, -EBUSY, "this file has a log already; close it first");
	err = hwpmc_output_get(owner, fd, &file);
	if (err)
		return err;
	err = hwpmc_writer_start(owner, file);
	if (err)
		fput(file);
	return err;
}

/* The first error of the open log, negative; 0 if none. Any context. */
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
	return hwpmc_fail(owner, err, "writing the log failed with error %d; it has stopped, and what came since is counted as lost",
			  -err);
}

/* HWPMC_IOC_LOG_FLUSH with a log: everything recorded before is written. */
int hwpmc_writer_flush(struct hwpmc_owner *owner)
{
	struct hwpmc_writer *writer = owner->writer;
	u64 asked = writer->asked + 1;

	/* Pairs with the writer's look at it, before a sweep. */
	smp_store_release(&writer->asked, asked);
	wake_up_all(&owner->waiters);
	if (wait_event_killable(writer->flushed, READ_ONCE(writer->swept) >= asked ||
				READ_ONCE(writer->error) || READ_ONCE(writer->done)))
		return hwpmc_fail(owner, -EINTR, "interrupted while the log was written");
	return hwpmc_writer_report(owner, READ_ONCE(writer->error));
}

/*
 * Mostly it has ended at once, and then what the rings were charged for is free again when
 * close(2) comes back. Not so if its write is one that no signal wakes (a file system that
 * is frozen, or does not answer). Kernel threads do not wait at all: what they close is
 * closed one after the other, for the whole system.
 */
static void hwpmc_writer_await(const struct task_struct *task)
{
	unsigned long until = jiffies + HWPMC_WRITER_AWAIT;

	while (!(current->flags & PF_KTHREAD) && !READ_ONCE(task->exit_state) &&
	       time_before(jiffies, until))
		usleep_range(50, 200);
}

/*
 * The device is closed, and nobody else will look: the thread frees the writer and its
 * owner. May sleep.
 */
void hwpmc_writer_abandon(struct hwpmc_writer *writer)
{
	struct task_struct *task = get_task_struct(writer->task);

	/*
	 * The caller is through with both. Before the signal, for a thread that is yet to
	 * allow that; the lock of signals orders the two.
	 */
	smp_store_release(&writer->stage, HWPMC_WRITER_ABANDONED);
	send_sig(SIGKILL, task, 1);
	/* When it has ended its log it waits, and is not to be signalled. */
	wake_up_process(task);
	hwpmc_writer_await(task);
	put_task_struct(task);
}

/* Whatever comes from now on stays in the rings; all goes on if the wait was interrupted. */
static int hwpmc_writer_halt(struct hwpmc_owner *owner, void (*flush)(struct hwpmc_owner *owner))
{
	struct hwpmc_writer *writer = owner->writer;
	int err;

	flush(owner);
	/* Before it is asked for: when that sweep is done the thread writes no more. */
	WRITE_ONCE(writer->stage, HWPMC_WRITER_HALTS);
	err = hwpmc_writer_flush(owner);
	if (!err) {
		/* A ring that was full had no room to tell what it lost. */
		flush(owner);
		err = hwpmc_writer_flush(owner);
	}
	/* An error of the log is told when it has ended. */
	if (!err || READ_ONCE(writer->error))
		return 0;
	WRITE_ONCE(writer->stage, HWPMC_WRITER_RUNS);
	wake_up_all(&owner->waiters);
	return err;
}

/*
 * HWPMC_IOC_LOG_CLOSE: the PMCs have stopped; @flush records what they have lost. The thread
 * writes CLOSE, too: a signal for what goes wrong there is not for the caller. Who is killed
 * meanwhile leaves the rest to who calls next.
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
	fput(writer->file);
	hwpmc_writer_free(owner, writer);
	return err;
}
