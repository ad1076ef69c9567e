// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes to the file of a log, with the limits and the memory cgroup of the task that opened the
 * log, and keeps track of the last complete record.
 *
 * Called by the log's thread (writer.c), which may sleep; hwpmc_sink_init() by LOG_OPEN.
 */
#include <linux/fs.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "sink.h"

/**
 * hwpmc_sink_init - begin to write to a file, for current
 * @sink: zeroed
 * @file: the file
 *
 * Context: process.
 */
void hwpmc_sink_init(struct hwpmc_sink *sink, struct file *file)
{
	sink->file = file;
	sink->pos = file->f_flags & O_APPEND ? i_size_read(file_inode(file)) : file->f_pos;
	sink->limit = rlimit(RLIMIT_FSIZE);
	sink->memcg = get_mem_cgroup_from_mm(current->mm);
}

/* Undoes hwpmc_sink_init(); the caller puts the file. */
void hwpmc_sink_exit(struct hwpmc_sink *sink)
{
	mem_cgroup_put(sink->memcg);
}

/* Applies the RLIMIT_FSIZE of the caller of LOG_OPEN, not that of the log's thread. */
static size_t hwpmc_sink_room(const struct hwpmc_sink *sink, size_t size)
{
	const struct inode *inode = file_inode(sink->file);
	u64 pos = sink->file->f_flags & O_APPEND ? i_size_read(inode) : sink->pos;

	if (!S_ISREG(inode->i_mode) || sink->limit == RLIM_INFINITY)
		return size;
	return min_t(u64, size, sink->limit - min(pos, sink->limit));
}

static bool hwpmc_sink_is_stream(const struct hwpmc_sink *sink)
{
	return sink->file->f_mode & FMODE_STREAM;
}

/**
 * hwpmc_sink_ready - whether a write does not wait for a reader
 * @sink: the file; true for a regular file
 *
 * Context: process.
 */
bool hwpmc_sink_ready(const struct hwpmc_sink *sink)
{
	return !hwpmc_sink_is_stream(sink) ||
	       (vfs_poll(sink->file, NULL) & (EPOLLOUT | EPOLLERR | EPOLLHUP));
}

/**
 * hwpmc_sink_step - how much to write at once
 * @sink: the file
 *
 * Context: any. Return: bytes; a page, which a pipe that is not full takes without waiting, or
 * no limit.
 */
size_t hwpmc_sink_step(const struct hwpmc_sink *sink)
{
	return sink->nonblocking && hwpmc_sink_is_stream(sink) ? PAGE_SIZE : SIZE_MAX;
}

/* Returns false if a signal ends the wait. */
static bool hwpmc_sink_wait(struct hwpmc_sink *sink)
{
	while (sink->nonblocking && !hwpmc_sink_ready(sink)) {
		/* This ends the wait in hwpmc_writer_drain(). */
		WRITE_ONCE(sink->stalled, true);
		if (signal_pending(current))
			return false;
		schedule_timeout_interruptible(1);
	}
	return true;
}

static ssize_t hwpmc_sink_write_some(struct hwpmc_sink *sink, const void *from, size_t size)
{
	size_t room = hwpmc_sink_room(sink, min(size, hwpmc_sink_step(sink)));
	struct mem_cgroup *mine;
	ssize_t n;

	if (!room)
		return -EFBIG;
	if (!hwpmc_sink_wait(sink))
		return -EINTR;
	mine = set_active_memcg(sink->memcg);
	n = kernel_write(sink->file, from, room, hwpmc_sink_is_stream(sink) ? NULL : &sink->pos);
	set_active_memcg(mine);
	return n;
}

/**
 * hwpmc_sink_write - write bytes
 * @sink: the file
 * @from: what to write
 * @size: in bytes
 * @error: set to a negative errno if not all is written
 *
 * Retries a write that would block, or that was interrupted without a signal to this thread.
 *
 * Context: may sleep. Return: how many bytes were written.
 */
size_t hwpmc_sink_write(struct hwpmc_sink *sink, const void *from, size_t size, int *error)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = hwpmc_sink_write_some(sink, from + done, size - done);

		if ((n == -EAGAIN || n == -EINTR) && !signal_pending(current)) {
			schedule_timeout_interruptible(1);
			continue;
		}
		/* User space reads this error, and -ERESTARTSYS is internal to the kernel. */
		if (n == -ERESTARTSYS)
			n = -EINTR;
		if (n <= 0) {
			*error = n ? n : -EIO;
			sink->partial = done;
			sink->full = *error != -EINTR;
			break;
		}
		done += n;
	}
	return done;
}

/**
 * hwpmc_sink_rewind - make room for a log's last record
 * @sink: the file
 * @length: in: bytes of the record; out: the length that its header needs to cover all that it
 *	overwrites
 * @dropped: the number of complete records that it overwrites is added
 *
 * After a failed write the record overwrites the incomplete one, since there may be no room behind
 * it, and if that is too short also the complete record before it.
 *
 * Context: process. Return: false if an incomplete record is at the end, and cannot be
 * overwritten.
 */
bool hwpmc_sink_rewind(struct hwpmc_sink *sink, u32 *length, u64 *dropped)
{
	size_t back = sink->partial;

	if (!back && !sink->full)
		return true;
	if (!S_ISREG(file_inode(sink->file)->i_mode) || sink->file->f_flags & O_APPEND)
		return !back;
	if (back < *length) {
		if (back + sink->last < *length)
			return !back;
		back += sink->last;
		++*dropped;
	}
	*length = ALIGN_DOWN(back, 8);
	sink->pos -= back;
	return true;
}

/**
 * hwpmc_sink_move - move the file's position as write(2) does, so that later writes follow
 * @sink: the file
 *
 * Context: may sleep.
 */
void hwpmc_sink_move(struct hwpmc_sink *sink)
{
	struct file *file = sink->file;
	bool locked = file->f_mode & FMODE_ATOMIC_POS;

	if (hwpmc_sink_is_stream(sink) || (locked && mutex_lock_killable(&file->f_pos_lock)))
		return;
	file->f_pos = sink->pos;
	if (locked)
		mutex_unlock(&file->f_pos_lock);
}
