// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes records to rings and counts those that find no room.
 *
 * Called by all code that writes records, in any context but NMI; functions whose names end in _nmi
 * also in an NMI.
 * A DROP record reports a loss before the next record of the same PMC, or, of other records, before
 * the next one of these; at the latest when the owner flushes.
 */
#include <linux/audit.h>
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/kconfig.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "../../arch/hwpmc_arch.h"
#include "../base/defer.h"
#include "../base/machine.h"
#include "../base/owner.h"
#include "log.h"
#include "ring.h"

/**
 * hwpmc_record_nmi - write one record
 * @buffer: of this CPU
 * @record: complete but for its header, of which only the length is set
 * @type: enum hwpmc_log_type
 * @id: the PMC it is about, or 0
 * @now: time in ns
 *
 * The caller counts a record that finds no room. Context: as hwpmc_record_or_lose_nmi(). Return:
 * false if there was no room.
 */
static bool hwpmc_record_nmi(struct hwpmc_buffer *buffer, void *record, u16 type, u32 id, u64 now)
{
	struct hwpmc_log_header *header = record;
	unsigned int cpu = buffer->ring.header->cpu;
	void *to;

	hwpmc_defer_assert();
	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		WARN_ON_ONCE(cpu_online(cpu) && cpu != smp_processor_id());
	header->type = type;
	header->id = id;
	header->cpu = cpu;
	header->time = now;
	to = hwpmc_ring_reserve_nmi(&buffer->ring, header->length);
	if (to)
		memcpy(to, record, header->length);
	hwpmc_ring_publish_nmi(&buffer->ring);
	hwpmc_buffer_wake_nmi(buffer);
	return to;
}

/**
 * hwpmc_record_loss - count a record that found no room
 * @loss: where it is counted
 * @buffer: of this CPU
 * @now: time in ns
 * @events: events that the record stands for, or 0
 *
 * The first loss wakes readers even if the unread records are below the watermark: in a ring that
 * has no room for the next record they may never reach it. Context: as hwpmc_record_or_lose_nmi().
 */
void hwpmc_record_loss(struct hwpmc_loss *loss, struct hwpmc_buffer *buffer, u64 now, u64 events)
{
	hwpmc_defer_assert();
	hwpmc_ring_lose_nmi(&buffer->ring, 1);
	if (!loss->count++) {
		loss->first = now;
		hwpmc_buffer_wake_lost_nmi(buffer);
	}
	loss->last = now;
	loss->events += events;
}

/**
 * hwpmc_record_throttled - count records that are not written
 * @loss: where they are counted
 * @first: time of the first of them, in ns
 * @last: now, in ns
 * @count: how many
 * @events: events that they would stand for
 *
 * Unlike a loss in a full ring, this wakes no reader, and the ring counts it when a DROP record
 * reports it. Context: as hwpmc_record_loss().
 */
void hwpmc_record_throttled(struct hwpmc_loss *loss, u64 first, u64 last, u64 count, u64 events)
{
	loss->first = loss->count ? min(loss->first, first) : first;
	loss->last = last;
	loss->count += count;
	loss->events += events;
	loss->throttled += count;
}

/**
 * hwpmc_record_drop_nmi - report losses by a DROP record
 * @buffer: of this CPU
 * @id: the PMC whose records were lost, or 0
 * @loss: what was lost; reset if it is reported
 * @now: time in ns, not later than that of the next record: a ring is in order of time
 *
 * Context: as hwpmc_record_or_lose_nmi(). Return: false if there was no room.
 */
bool hwpmc_record_drop_nmi(struct hwpmc_buffer *buffer, u32 id, struct hwpmc_loss *loss, u64 now)
{
	struct hwpmc_log_drop record = {
		.h.length = sizeof(record),
		.lost = loss->count,
		.first = loss->first,
		.last = loss->last,
		.events = loss->events,
		.throttled = loss->throttled,
	};

	if (!loss->count)
		return true;
	if (!hwpmc_record_nmi(buffer, &record, HWPMC_LOG_DROP, id, now))
		return false;
	hwpmc_ring_lose_nmi(&buffer->ring, loss->throttled);
	hwpmc_ring_report_nmi(&buffer->ring, loss->count);
	*loss = (struct hwpmc_loss){};
	return true;
}

/**
 * hwpmc_record_lose_nmi - count the loss of a record that is not a sample
 * @buffer: of this CPU
 * @now: time in ns
 *
 * Context: as hwpmc_record_or_lose_nmi().
 */
void hwpmc_record_lose_nmi(struct hwpmc_buffer *buffer, u64 now)
{
	hwpmc_record_loss(&buffer->loss, buffer, now, 0);
}

/**
 * hwpmc_record_or_lose_nmi - write one record that is not a sample, or count it as lost
 * @buffer: of this CPU
 * @record: see hwpmc_record_nmi()
 * @type: enum hwpmc_log_type
 * @id: the PMC it is about, or 0
 * @now: time in ns
 *
 * Context: on @buffer's CPU, or on any if that is offline and cannot come online; interrupts off
 * and overflows deferred, or their NMI, so that no other code uses @buffer meanwhile.
 * Return: false if it was lost.
 */
bool hwpmc_record_or_lose_nmi(struct hwpmc_buffer *buffer, void *record, u16 type, u32 id,
			      u64 now)
{
	if (hwpmc_record_drop_nmi(buffer, 0, &buffer->loss, now) &&
	    hwpmc_record_nmi(buffer, record, type, id, now))
		return true;
	hwpmc_record_lose_nmi(buffer, now);
	return false;
}

/**
 * hwpmc_record_lose - count a record as lost whose contents could not be read
 * @owner: which has rings
 *
 * Context: any but NMI.
 */
void hwpmc_record_lose(struct hwpmc_owner *owner)
{
	unsigned long flags;

	local_irq_save(flags);
	hwpmc_defer_begin();
	hwpmc_record_lose_nmi(owner->rings->buffers[smp_processor_id()], ktime_get_mono_fast_ns());
	hwpmc_defer_end();
	local_irq_restore(flags);
}

static bool hwpmc_record_try(struct hwpmc_owner *owner, void *record, size_t size, u16 type, u32 id)
{
	struct hwpmc_log_header *header = record;
	struct hwpmc_buffer *buffer;
	unsigned long flags;
	bool done;

	header->length = size;
	local_irq_save(flags);
	hwpmc_defer_begin();
	buffer = owner->rings->buffers[smp_processor_id()];
	done = hwpmc_record_or_lose_nmi(buffer, record, type, id, ktime_get_mono_fast_ns());
	hwpmc_defer_end();
	local_irq_restore(flags);
	return done;
}

/**
 * hwpmc_record_put - write one record to this CPU's ring, or count it as lost
 * @owner: which has rings
 * @record: see hwpmc_record_nmi()
 * @size: of the record, in bytes
 * @type: enum hwpmc_log_type
 * @id: the PMC it is about, or 0
 *
 * Context: any but NMI.
 */
void hwpmc_record_put(struct hwpmc_owner *owner, void *record, size_t size, u16 type, u32 id)
{
	hwpmc_record_try(owner, record, size, type, id);
}

/**
 * hwpmc_record_user - write a USER record
 * @owner: which has rings; owner->lock held
 * @cookie: the caller's number
 * @text: in kernel memory
 * @length: of @text in bytes; 0 for none
 *
 * Context: may sleep. Return: 0, -ENOSPC if it was lost, -EMSGSIZE if it exceeds the size
 * of a ring, -ENOMEM.
 */
int hwpmc_record_user(struct hwpmc_owner *owner, u32 cookie, const char *text, u32 length)
{
	size_t size = ALIGN(sizeof(struct hwpmc_log_user) + length + 1, 8);
	struct hwpmc_log_user *record;
	bool done;

	if (size > owner->rings->size)
		return -EMSGSIZE;
	record = kzalloc(size, GFP_KERNEL);
	if (!record)
		return -ENOMEM;
	record->cookie = cookie;
	if (length) {
		record->text_offset = sizeof(*record);
		memcpy(record + 1, text, length);
	}
	done = hwpmc_record_try(owner, record, size, HWPMC_LOG_USER, 0);
	kfree(record);
	return done ? 0 : -ENOSPC;
}

/**
 * hwpmc_record_initialize - fill in the first record of a log
 * @record: filled in, with its header
 * @time: when the log began, ktime in ns
 *
 * Context: any but NMI.
 */
void hwpmc_record_initialize(struct hwpmc_log_initialize *record, u64 time)
{
	*record = (struct hwpmc_log_initialize) {
		.h = {
			.type = HWPMC_LOG_INITIALIZE,
			.length = sizeof(*record),
			.time = time,
		},
		.magic = HWPMC_LOG_MAGIC,
		.version = HWPMC_LOG_VERSION,
		.cpus = nr_cpu_ids,
		.cpuid = hwpmc_machine->cpuid,
		.realtime = ktime_get_real_ns() - (ktime_get_mono_fast_ns() - time),
		.machine = HWPMC_AUDIT_ARCH,
	};
}

/**
 * hwpmc_record_drop_last - fill in a DROP record for what a ring had no room for
 * @buffer: a ring that nothing writes any more, see hwpmc_buffer_end()
 * @record: filled in, with its header
 *
 * Context: process. Return: false if nothing was lost.
 */
bool hwpmc_record_drop_last(const struct hwpmc_buffer *buffer, struct hwpmc_log_drop *record)
{
	*record = (struct hwpmc_log_drop) {
		.h = {
			.type = HWPMC_LOG_DROP,
			.length = sizeof(*record),
			.time = ktime_get_mono_fast_ns(),
			.cpu = buffer->ring.header->cpu,
		},
		.lost = buffer->loss.count,
		.first = buffer->loss.first,
		.last = buffer->loss.last,
		.events = buffer->loss.events,
		.throttled = buffer->loss.throttled,
	};
	return record->lost;
}
