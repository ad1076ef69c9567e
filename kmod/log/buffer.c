// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of rings: allocated for an owner, charged to its user, mapped and read.
 *
 * Called by the RING and LOG_OPEN ioctls, by mmap(2), poll(2) and read(2) of the device's
 * file, and by the log writer, in process context. hwpmc_buffer_wake_nmi() runs wherever
 * records are written.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../base/owner.h"
#include "../base/param.h"
#include "../base/stat.h"
#include "../compat/compat.h"
#include "charge.h"
#include "log.h"
#include "ring.h"

#define HWPMC_RING_MAX		SZ_1G

static struct hwpmc_param ring_kb = {
	.value = 512, .least = PAGE_SIZE / SZ_1K, .most = HWPMC_RING_MAX / SZ_1K,
};
module_param_cb(ring_kb, &hwpmc_param_ops, &ring_kb, 0644);
MODULE_PARM_DESC(ring_kb,
		 "room for records in a CPU's ring when an owner asks for no size and may have as much memory, in KiB (default 512, a page..1048576)");

/* The largest size up to the parameter ring_kb that current's user may have rings of. */
static u64 hwpmc_buffer_fitting(void)
{
	u64 size = roundup_pow_of_two((u64)READ_ONCE(ring_kb.value) * SZ_1K);
	unsigned long room = hwpmc_charge_room() / num_possible_cpus();

	while (size > PAGE_SIZE && hwpmc_buffer_stride(size) >> PAGE_SHIFT > room)
		size /= 2;
	return size;
}

/**
 * hwpmc_buffer_sizes - replace sizes of 0 by the defaults
 * @size: of each CPU's data, in bytes; 0 becomes the module parameter ring_kb, or less if
 *	current's user may not have as much memory
 * @watermark: in bytes; 0 becomes half of @size
 *
 * Context: may sleep.
 */
void hwpmc_buffer_sizes(u64 *size, u64 *watermark)
{
	if (!*size)
		*size = hwpmc_buffer_fitting();
	if (!*watermark)
		*watermark = *size / 2;
}

static void hwpmc_buffer_wake(struct irq_work *work)
{
	struct hwpmc_buffer *buffer = container_of(work, struct hwpmc_buffer, wake);

	wake_up_all(&buffer->owner->waiters);
	/* By a work item: sending SIGIO takes locks that are held with interrupts on. */
	if (READ_ONCE(buffer->owner->async))
		hwpmc_owner_notify(buffer->owner);
}

/**
 * hwpmc_buffer_wake_nmi - wake waiters if a watermark's worth of records waits
 * @buffer: of this CPU
 *
 * Wakes them once each time the watermark is reached, and not again while the records that
 * were there at the last wake-up are still unread. Context: any, NMI included, on the
 * ring's CPU.
 */
void hwpmc_buffer_wake_nmi(struct hwpmc_buffer *buffer)
{
	u64 used = hwpmc_ring_used(&buffer->ring), head = READ_ONCE(buffer->ring.header->head);
	u64 since = head - buffer->woken, watermark = buffer->owner->rings->watermark;

	if (used < watermark || (since <= used && used - since >= watermark))
		return;
	buffer->woken = head;
	irq_work_queue(&buffer->wake);
}

static struct hwpmc_buffer *hwpmc_buffer_new(struct hwpmc_owner *owner, u64 size, int cpu)
{
	struct hwpmc_buffer *buffer;
	int node = cpu_to_node(cpu);

	buffer = kzalloc_node(sizeof(*buffer), GFP_KERNEL_ACCOUNT, node);
	if (!buffer)
		return NULL;
	buffer->area = vzalloc_node(hwpmc_buffer_stride(size), node);
	if (!buffer->area) {
		kfree(buffer);
		return NULL;
	}
	buffer->owner = owner;
	init_irq_work(&buffer->wake, hwpmc_buffer_wake);
	hwpmc_ring_init(&buffer->ring, buffer->area + PAGE_SIZE, buffer->area,
			buffer->area + 2 * PAGE_SIZE, size, cpu);
	return buffer;
}

static void hwpmc_buffer_free(struct hwpmc_buffer *buffer)
{
	if (!buffer)
		return;
	vfree(buffer->area);
	kfree(buffer);
}

static int hwpmc_rings_charge(struct hwpmc_owner *owner, struct hwpmc_rings *rings)
{
	unsigned long pages = num_possible_cpus() * (rings->stride >> PAGE_SHIFT);
	int err = hwpmc_charge_add(&rings->charge, pages);

	if (err == -ENOMEM)
		return hwpmc_fail(owner, err, "out of memory; try again");
	if (err)
		return hwpmc_fail(owner, err,
				  "rings of %lu KiB are more than the %lu KiB that you may have: ask for smaller ones, or raise ulimit -l or the parameter mlock_kb",
				  pages << (PAGE_SHIFT - 10),
				  hwpmc_charge_room() << (PAGE_SHIFT - 10));
	return 0;
}

static void hwpmc_rings_free(struct hwpmc_rings *rings)
{
	unsigned int cpu;

	for (cpu = 0; cpu < rings->count; cpu++)
		hwpmc_buffer_free(rings->buffers[cpu]);
	hwpmc_charge_drop(&rings->charge);
	kvfree(rings);
}

static int hwpmc_rings_fill(struct hwpmc_owner *owner, struct hwpmc_rings *rings)
{
	int cpu, err = hwpmc_rings_charge(owner, rings);

	if (err)
		return err;
	for_each_possible_cpu(cpu) {
		rings->buffers[cpu] = hwpmc_buffer_new(owner, rings->size, cpu);
		if (!rings->buffers[cpu])
			return hwpmc_fail(owner, -ENOMEM,
					  "out of memory for rings of %llu KiB a CPU; ask for smaller ones",
					  rings->size / SZ_1K);
	}
	return 0;
}

static int hwpmc_buffer_check(struct hwpmc_owner *owner, u64 size, u64 watermark)
{
	if (owner->rings)
		return hwpmc_fail(owner, -EBUSY, "this file already has rings");
	if (!is_power_of_2(size) || size < PAGE_SIZE || size > HWPMC_RING_MAX)
		return hwpmc_fail(owner, -EINVAL,
				  "a ring's size is a power of two from %lu to %lu bytes; %llu is not",
				  PAGE_SIZE, (unsigned long)HWPMC_RING_MAX, size);
	if (watermark > size)
		return hwpmc_fail(owner, -EINVAL, "a watermark above the ring's size is never reached: ask for a smaller one");
	return 0;
}

/**
 * hwpmc_buffer_create - create the rings of an owner
 * @owner: whose rings; owner->lock held
 * @size: of each CPU's data, in bytes; 0 for the default
 * @watermark: in bytes; 0 for half of @size
 * @reader: the only reader, or HWPMC_READER_NONE if the first to read is
 *
 * Context: may sleep. Return: 0, or an error of HWPMC_IOC_RING.
 */
int hwpmc_buffer_create(struct hwpmc_owner *owner, u64 size, u64 watermark,
			enum hwpmc_reader reader)
{
	struct hwpmc_rings *rings;
	int err;

	hwpmc_buffer_sizes(&size, &watermark);
	hwpmc_stat_inc(HWPMC_STAT_BUFFER_REQUESTS);
	err = hwpmc_buffer_check(owner, size, watermark);
	if (err)
		goto fail;
	rings = kvzalloc(struct_size(rings, buffers, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!rings) {
		err = hwpmc_fail(owner, -ENOMEM, "out of memory; try again");
		goto fail;
	}
	rings->count = nr_cpu_ids;
	rings->size = size;
	rings->watermark = watermark;
	rings->stride = hwpmc_buffer_stride(size);
	mutex_init(&rings->mapping);
	rings->made = ktime_get_mono_fast_ns();
	err = hwpmc_rings_fill(owner, rings);
	if (err) {
		hwpmc_rings_free(rings);
		goto fail;
	}
	hwpmc_buffer_claim(rings, reader);
	/* Release: probes and mmap(2) must find it complete. */
	smp_store_release(&owner->rings, rings);
	hwpmc_loggers_add(owner);
	rings->listed = true;
	return 0;
fail:
	hwpmc_stat_inc(HWPMC_STAT_BUFFER_FAILURES);
	return err;
}

/**
 * hwpmc_buffer_end - let nothing more be written to the rings of an owner
 * @owner: its file is closed and its PMCs are released; it may have no rings
 *
 * Context: may sleep.
 */
void hwpmc_buffer_end(struct hwpmc_owner *owner)
{
	struct hwpmc_rings *rings = owner->rings;

	if (!rings || !rings->listed)
		return;
	hwpmc_loggers_remove(owner);
	rings->listed = false;
}

/**
 * hwpmc_buffer_destroy - free the rings of an owner, if it has any
 * @owner: whose file is closed; its PMCs are released, and its log has ended
 *
 * Context: may sleep.
 */
void hwpmc_buffer_destroy(struct hwpmc_owner *owner)
{
	struct hwpmc_rings *rings = owner->rings;
	unsigned int cpu;

	if (!rings)
		return;
	hwpmc_buffer_end(owner);
	for (cpu = 0; cpu < rings->count; cpu++)
		if (rings->buffers[cpu])
			irq_work_sync(&rings->buffers[cpu]->wake);
	cancel_work_sync(&owner->notify);
	hwpmc_rings_free(rings);
}

/**
 * hwpmc_buffer_claim - become the reader of the rings
 * @rings: the rings
 * @reader: mapped or kernel; NONE leaves it open
 *
 * Context: any. Return: 0, or -EBUSY if there is another reader.
 */
int hwpmc_buffer_claim(struct hwpmc_rings *rings, enum hwpmc_reader reader)
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

static int hwpmc_buffer_map_pages(struct vm_area_struct *vma, void *from)
{
	unsigned long at;
	int err = 0;

	for (at = vma->vm_start; !err && at < vma->vm_end; at += PAGE_SIZE, from += PAGE_SIZE)
		err = vm_insert_page(vma, at, vmalloc_to_page(from));
	return err;
}

/*
 * The process that maps is the reader. If the first mapping fails the reader is reset: the
 * pages that it mapped before it failed are read-only, since the tail, which may be
 * written, is one page.
 */
static int hwpmc_buffer_map(struct hwpmc_rings *rings, struct vm_area_struct *vma, void *from)
{
	enum hwpmc_reader before;
	int err;

	mutex_lock(&rings->mapping);
	before = READ_ONCE(rings->reader);
	err = hwpmc_buffer_claim(rings, HWPMC_READER_MAPPED);
	if (!err) {
		err = hwpmc_buffer_map_pages(vma, from);
		if (err && before == HWPMC_READER_NONE)
			WRITE_ONCE(rings->reader, before);
	}
	mutex_unlock(&rings->mapping);
	return err;
}

/**
 * hwpmc_buffer_mmap - mmap(2) of a ring
 * @owner: whose rings
 * @vma: the new mapping
 *
 * Only the tail page may be writable. The mapping holds the file, so the memory is not
 * freed before it. Takes no owner->lock: calls access user memory with that held, and may
 * fault.
 *
 * Context: may sleep; mmap lock held. Return: 0, -ENXIO without rings, -EINVAL, -EPERM for
 * a writable or executable mapping, -EBUSY if the kernel reads the rings.
 */
int hwpmc_buffer_mmap(struct hwpmc_owner *owner, struct vm_area_struct *vma)
{
	/* Whole, since hwpmc_buffer_create() releases it. */
	struct hwpmc_rings *rings = smp_load_acquire(&owner->rings);
	u64 size = vma->vm_end - vma->vm_start, offset = (u64)vma->vm_pgoff << PAGE_SHIFT, cpu;

	if (!rings)
		return -ENXIO;
	cpu = div64_u64_rem(offset, rings->stride, &offset);
	if (cpu >= rings->count)
		return -EINVAL;
	cpu = array_index_nospec(cpu, rings->count);
	if (!rings->buffers[cpu] || size > rings->stride - offset || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	if (offset || size > PAGE_SIZE) {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		hwpmc_vma_flags(vma, 0, VM_MAYWRITE);
	}
	hwpmc_vma_flags(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY, VM_MAYEXEC);
	return hwpmc_buffer_map(rings, vma, rings->buffers[cpu]->area + offset);
}

/*
 * Whether a ring should be read: it has a watermark's worth of records, a record found no room,
 * or one that is to be read at once is among those that wait.
 */
static bool hwpmc_buffer_is_urgent(const struct hwpmc_buffer *buffer, u64 used, u64 watermark)
{
	const struct hwpmc_ring_header *header = buffer->ring.header;

	if (used >= watermark)
		return true;
	return used && (READ_ONCE(header->lost) != READ_ONCE(header->reported) ||
			READ_ONCE(header->head) - READ_ONCE(buffer->urgent) < used);
}

/**
 * hwpmc_buffer_urge - have what was written to this CPU's ring so far be read at once
 * @owner: which has rings
 *
 * Context: any but NMI, with preemption off since the record was written.
 */
void hwpmc_buffer_urge(struct hwpmc_owner *owner)
{
	struct hwpmc_buffer *buffer = owner->rings->buffers[smp_processor_id()];

	WRITE_ONCE(buffer->urgent, READ_ONCE(buffer->ring.header->head));
	irq_work_queue(&buffer->wake);
}

/**
 * hwpmc_buffer_ready - whether a ring should be read
 * @owner: whose rings; it may have none
 * @any: any record is enough, not only a watermark's worth
 *
 * Context: any.
 */
bool hwpmc_buffer_ready(struct hwpmc_owner *owner, bool any)
{
	/* Whole, since hwpmc_buffer_create() releases it. */
	const struct hwpmc_rings *rings = smp_load_acquire(&owner->rings);
	unsigned int cpu;

	for (cpu = 0; rings && cpu < rings->count; cpu++) {
		const struct hwpmc_buffer *buffer = rings->buffers[cpu];
		u64 used;

		if (!buffer)
			continue;
		used = hwpmc_ring_used(&buffer->ring);
		if (any ? used : hwpmc_buffer_is_urgent(buffer, used, rings->watermark))
			return true;
	}
	return false;
}

/**
 * hwpmc_buffer_next - get the next consecutive records of a ring that the kernel reads
 * @buffer: the ring
 * @room: at most this many bytes
 * @size: set to their size in bytes; 0 if the first record exceeds @room
 *
 * Skips PADs. The lengths are trusted: only the kernel writes the data. The caller is the
 * only reader.
 * Context: process. Return: the first record, or NULL if the ring is empty.
 */
void *hwpmc_buffer_next(struct hwpmc_buffer *buffer, u64 room, u64 *size)
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
	/* D: a PAD may be the last. */
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
 * hwpmc_buffer_done - release the records that hwpmc_buffer_next() returned
 * @buffer: the ring
 * @size: of these records, in bytes
 *
 * Context: process; the caller is the only reader.
 */
void hwpmc_buffer_done(struct hwpmc_buffer *buffer, u64 size)
{
	buffer->taken += buffer->run;
	/* D */
	smp_store_release(&buffer->own_tail, buffer->own_tail + size);
}

/**
 * hwpmc_buffer_missing - records that were neither read nor reported as lost
 * @rings: rings that the kernel reads and nothing writes, see hwpmc_buffer_end()
 *
 * Context: process; the caller is the only reader. Return: how many.
 */
u64 hwpmc_buffer_missing(const struct hwpmc_rings *rings)
{
	unsigned int cpu;
	u64 missing = 0;

	for (cpu = 0; cpu < rings->count; cpu++) {
		const struct hwpmc_buffer *buffer = rings->buffers[cpu];

		if (!buffer)
			continue;
		missing += (u64)local_read(&buffer->ring.records) - buffer->taken;
		missing += buffer->loss.count;
	}
	return missing;
}

/* Returns INITIALIZE before the first record: what read(2) returns is a log. */
static ssize_t hwpmc_buffer_read_begin(struct hwpmc_owner *owner, char __user *to, size_t room)
{
	struct hwpmc_rings *rings = owner->rings;
	struct hwpmc_log_initialize record;

	if (rings->begun || !hwpmc_buffer_ready(owner, true))
		return 0;
	if (room < sizeof(record))
		return hwpmc_fail(owner, -EINVAL, "the next record is longer than the buffer: pass a larger one");
	hwpmc_record_initialize(&record, rings->made);
	if (copy_to_user(to, &record, sizeof(record)))
		return hwpmc_fail(owner, -EFAULT, "the buffer is not the caller's memory");
	rings->begun = true;
	return sizeof(record);
}

static ssize_t hwpmc_buffer_read_some(struct hwpmc_owner *owner, char __user *to, size_t room)
{
	ssize_t done = hwpmc_buffer_read_begin(owner, to, room);
	unsigned int cpu;

	if (done < 0)
		return done;
	for (cpu = 0; cpu < owner->rings->count; cpu++) {
		struct hwpmc_buffer *buffer = owner->rings->buffers[cpu];
		void *from;
		u64 size;

		while (buffer && (from = hwpmc_buffer_next(buffer, room - done, &size))) {
			if (!size)
				return done ? done : hwpmc_fail(owner, -EINVAL,
								"the next record is longer than the buffer: pass a larger one");
			if (copy_to_user(to + done, from, size))
				return done ? done : hwpmc_fail(owner, -EFAULT,
								"the buffer is not the caller's memory");
			hwpmc_buffer_done(buffer, size);
			done += size;
		}
	}
	return done;
}

/*
 * While the log writer has the rings, read(2) has nothing to return: do not wait for a call
 * that holds owner->lock while it waits for the log's file.
 */
static int hwpmc_buffer_lock(struct hwpmc_owner *owner)
{
	if (mutex_trylock(&owner->lock))
		return 0;
	if (READ_ONCE(owner->writer))
		return -EBUSY;
	return mutex_lock_interruptible(&owner->lock) ? -ERESTARTSYS : 0;
}

/**
 * hwpmc_buffer_read - read(2): whole records that wait in the rings
 * @owner: whose rings
 * @to: the caller's buffer
 * @size: of it, in bytes
 *
 * Context: may sleep; takes owner->lock. Return: bytes, 0 if no record waits, or -EBADFD
 * without rings, -EBUSY if there is another reader, -EINVAL if the buffer is too small,
 * -EFAULT, -ERESTARTSYS.
 */
ssize_t hwpmc_buffer_read(struct hwpmc_owner *owner, char __user *to, size_t size)
{
	ssize_t ret = hwpmc_buffer_lock(owner);

	if (ret)
		return ret;
	if (!owner->rings)
		ret = hwpmc_fail(owner, -EBADFD, "there are no rings to read; create them with HWPMC_IOC_RING");
	else if (owner->writer)
		ret = hwpmc_fail(owner, -EBUSY, "the rings are written to a log; read the log");
	else if (hwpmc_buffer_claim(owner->rings, HWPMC_READER_KERNEL))
		ret = hwpmc_fail(owner, -EBUSY, "the rings are mapped; read the mapping");
	else
		ret = hwpmc_buffer_read_some(owner, to, size);
	mutex_unlock(&owner->lock);
	return ret;
}
