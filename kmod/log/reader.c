// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of rings: the choice of the reader, whether there are records to read, and read(2).
 *
 * Called by poll(2) and read(2) of the device's file, by the log writer and by mmap(2), in process
 * context; hwpmc_reader_wake() by the writer of a record that must be read soon.
 */
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>

#include "../base/owner.h"
#include "log.h"
#include "ring.h"

/**
 * hwpmc_reader_claim - become the reader of the rings
 * @rings: the rings
 * @reader: HWPMC_READER_MAPPED or _KERNEL; NONE: a later call determines the reader
 *
 * Context: any. Return: 0, or -EBUSY if there is another reader.
 */
int hwpmc_reader_claim(struct hwpmc_rings *rings, enum hwpmc_reader reader)
{
	enum hwpmc_reader before = cmpxchg(&rings->reader, HWPMC_READER_NONE, reader);
	unsigned int cpu;

	if (before == reader)
		return 0;
	if (before != HWPMC_READER_NONE)
		return -EBUSY;
	for (cpu = 0; reader == HWPMC_READER_KERNEL && cpu < rings->count; cpu++)
		if (rings->buffers[cpu])
			WRITE_ONCE(rings->buffers[cpu]->ring.tail, &rings->buffers[cpu]->own_tail);
	return 0;
}

/*
 * Whether a ring should be read: the unread records reach the watermark, one of them is urgent, or
 * a record found no room.
 */
static bool hwpmc_reader_is_urgent(const struct hwpmc_buffer *buffer, u64 used, u64 watermark)
{
	const struct hwpmc_ring_header *header = buffer->ring.header;

	if (used >= watermark)
		return true;
	return used && (READ_ONCE(header->lost) != READ_ONCE(header->reported) ||
			READ_ONCE(header->head) - READ_ONCE(buffer->urgent) < used);
}

/**
 * hwpmc_reader_wake - make readers read the records in this CPU's ring at once
 * @owner: which has rings
 *
 * Context: any but NMI, with preemption off since the record was written.
 */
void hwpmc_reader_wake(struct hwpmc_owner *owner)
{
	struct hwpmc_buffer *buffer = owner->rings->buffers[smp_processor_id()];

	WRITE_ONCE(buffer->urgent, READ_ONCE(buffer->ring.header->head));
	irq_work_queue(&buffer->wake);
}

/**
 * hwpmc_reader_ready - whether a ring should be read
 * @owner: whose rings; it may have none
 * @any: one record is enough, also below the watermark
 *
 * Context: any.
 */
bool hwpmc_reader_ready(struct hwpmc_owner *owner, bool any)
{
	/* The rings are complete: pairs with the release in hwpmc_buffer_create(). */
	const struct hwpmc_rings *rings = smp_load_acquire(&owner->rings);
	unsigned int cpu;

	for (cpu = 0; rings && cpu < rings->count; cpu++) {
		const struct hwpmc_buffer *buffer = rings->buffers[cpu];
		u64 used;

		if (!buffer)
			continue;
		used = hwpmc_ring_used(&buffer->ring);
		if (any ? used : hwpmc_reader_is_urgent(buffer, used, rings->watermark))
			return true;
	}
	return false;
}

/**
 * hwpmc_reader_next - get the next consecutive records of a ring that the kernel reads
 * @buffer: the ring
 * @room: at most this many bytes
 * @size: set to their size in bytes; 0 if the first record exceeds @room
 *
 * Skips PADs. The lengths are trusted: only the kernel writes the data. The caller is the
 * only reader.
 * Context: process. Return: the first record, or NULL if the ring is empty.
 */
void *hwpmc_reader_next(struct hwpmc_buffer *buffer, u64 room, u64 *size)
{
	/* C */
	u64 head = smp_load_acquire(&buffer->ring.header->head), at = buffer->own_tail;
	const struct hwpmc_log_header *it;

	*size = 0;
	buffer->run = 0;
	for (; at != head; at += it->length) {
		it = buffer->ring.data + (at & (buffer->ring.size - 1));
		if (it->type != HWPMC_LOG_PAD)
			break;
	}
	/* D: release the PADs that were skipped, even if no record follows them. */
	smp_store_release(&buffer->own_tail, at);
	if (at == head)
		return NULL;
	while (at != head) {
		const struct hwpmc_log_header *next;

		next = buffer->ring.data + (at & (buffer->ring.size - 1));
		if (next->type == HWPMC_LOG_PAD || *size + next->length > room)
			break;
		*size += next->length;
		buffer->run++;
		buffer->last = next->length;
		at += next->length;
		if (!(at & (buffer->ring.size - 1)))
			break;
	}
	return (void *)it;
}

/**
 * hwpmc_reader_done - release the records that hwpmc_reader_next() returned
 * @buffer: the ring
 * @size: of these records, in bytes
 *
 * Context: process; the caller is the only reader.
 */
void hwpmc_reader_done(struct hwpmc_buffer *buffer, u64 size)
{
	buffer->taken += buffer->run;
	/* D */
	smp_store_release(&buffer->own_tail, buffer->own_tail + size);
}

/**
 * hwpmc_reader_missing - records that were neither read nor reported as lost
 * @rings: rings that the kernel reads and nothing writes, see hwpmc_buffer_end()
 *
 * Context: process; the caller is the only reader. Return: how many.
 */
u64 hwpmc_reader_missing(const struct hwpmc_rings *rings)
{
	unsigned int cpu;
	u64 missing = 0;

	for (cpu = 0; cpu < rings->count; cpu++) {
		const struct hwpmc_buffer *buffer = rings->buffers[cpu];

		if (!buffer)
			continue;
		missing += buffer->ring.records - buffer->taken;
		missing += buffer->loss.count;
	}
	return missing;
}

/* Returns INITIALIZE before the first record: what read(2) returns is a log. */
static ssize_t hwpmc_reader_begin(struct hwpmc_owner *owner, char __user *to, size_t room)
{
	struct hwpmc_rings *rings = owner->rings;
	struct hwpmc_log_initialize record;

	if (rings->begun || !hwpmc_reader_ready(owner, true))
		return 0;
	if (room < sizeof(record))
		return hwpmc_fail(owner, -EMSGSIZE,
				  "the next record is longer than the buffer: pass a larger one");
	hwpmc_record_initialize(&record, rings->made);
	if (copy_to_user(to, &record, sizeof(record)))
		return hwpmc_fail(owner, -EFAULT, "the buffer is not the caller's memory");
	rings->begun = true;
	return sizeof(record);
}

/* Copies records of a ring until it is empty, and adds their bytes to @done. Returns 0 then. */
static int hwpmc_reader_copy(struct hwpmc_buffer *buffer, char __user *to, size_t room,
			     size_t *done)
{
	void *from;
	u64 size;

	while (buffer && (from = hwpmc_reader_next(buffer, room - *done, &size))) {
		if (!size)
			return -EMSGSIZE;
		if (copy_to_user(to + *done, from, size))
			return -EFAULT;
		hwpmc_reader_done(buffer, size);
		*done += size;
	}
	return 0;
}

/*
 * The next read begins at the ring after the one at which the buffer ended, so that a ring that is
 * never empty does not keep others from being read. It begins at that ring itself if the buffer
 * had no room for its first record behind those of other rings, which may be so in each read.
 */
static ssize_t hwpmc_reader_some(struct hwpmc_owner *owner, char __user *to, size_t room)
{
	struct hwpmc_rings *rings = owner->rings;
	ssize_t begun = hwpmc_reader_begin(owner, to, room);
	unsigned int i, cpu = rings->next;
	size_t before, done = begun;
	int err = 0;

	if (begun < 0)
		return begun;
	for (i = 0; i < rings->count && !err; i++) {
		before = done;
		err = hwpmc_reader_copy(rings->buffers[cpu], to, room, &done);
		if (!err || done > before || !done)
			cpu = cpu + 1 < rings->count ? cpu + 1 : 0;
	}
	rings->next = cpu;
	if (done || !err)
		return done;
	if (err == -EFAULT)
		return hwpmc_fail(owner, err, "the buffer is not the caller's memory");
	return hwpmc_fail(owner, err, "the next record is longer than the buffer: pass a larger one");
}

/*
 * While the log writer has the rings, read(2) has nothing to return: do not wait for a call
 * that holds owner->lock while it waits for the log's file.
 */
static int hwpmc_reader_lock(struct hwpmc_owner *owner)
{
	if (mutex_trylock(&owner->lock))
		return 0;
	if (READ_ONCE(owner->writer))
		return -EBUSY;
	return mutex_lock_interruptible(&owner->lock) ? -ERESTARTSYS : 0;
}

/**
 * hwpmc_reader_read - read(2): complete records of the rings
 * @owner: whose rings
 * @to: the caller's buffer
 * @size: of it, in bytes
 *
 * Context: may sleep; takes owner->lock. Return: bytes, 0 if there is no record, or -EBADFD
 * without rings, -EBUSY if there is another reader, -EMSGSIZE if the buffer is too small,
 * -EFAULT, -ERESTARTSYS.
 */
ssize_t hwpmc_reader_read(struct hwpmc_owner *owner, char __user *to, size_t size)
{
	ssize_t ret = hwpmc_reader_lock(owner);

	if (ret)
		return ret;
	if (!owner->rings)
		ret = hwpmc_fail(owner, -EBADFD, "there are no rings to read; create them with HWPMC_IOC_RING");
	else if (owner->writer)
		ret = hwpmc_fail(owner, -EBUSY, "the rings are written to a log; read the log");
	else if (hwpmc_reader_claim(owner->rings, HWPMC_READER_KERNEL))
		ret = hwpmc_fail(owner, -EBUSY, "the rings are mapped; read the mapping");
	else
		ret = hwpmc_reader_some(owner, to, size);
	mutex_unlock(&owner->lock);
	return ret;
}
