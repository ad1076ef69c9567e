// SPDX-License-Identifier: GPL-2.0-only
/*
 * The producer side of a ring: wrapping and publishing.
 *
 * Called by all code that writes records, in any context, NMI included, on the ring's CPU
 * with interrupts off. The letters A to D are those of the diagram in
 * uapi/linux/hwpmc_log.h; docs/ring.md explains why they are sufficient, and why writers do not
 * nest.
 */
#include "ring.h"

/**
 * hwpmc_ring_init - initialize the producer side of a ring
 * @ring: zeroed
 * @header: the header page, zeroed
 * @tail: where the reader's tail is
 * @data: memory for records
 * @size: of @data in bytes, a power of two
 * @cpu: the CPU that writes, as readers see it
 *
 * Context: any; before the first record.
 */
void hwpmc_ring_init(struct hwpmc_producer *ring, void *header, const u64 *tail, void *data,
		     u64 size, unsigned int cpu)
{
	ring->header = header;
	ring->tail = tail;
	ring->data = data;
	ring->size = size;
	ring->cpu = cpu;
	ring->header->data_size = size;
	ring->header->version = HWPMC_LOG_VERSION;
	ring->header->cpu = cpu;
}

/**
 * hwpmc_ring_need - bytes to reserve for a record that does not fit before the data's end
 * @ring: of this CPU
 * @at: offset in the data where the record would begin
 * @length: of the record in bytes, at most the size of the data
 *
 * Padding fills the data up to its end, and the record begins at the data's start. If both
 * together exceed the size of the data, even an empty ring has no room: then only the
 * padding is reserved.
 *
 * Context: any, NMI included. Return: bytes; if only padding, the bytes up to the data's
 * end.
 */
u64 hwpmc_ring_need(const struct hwpmc_producer *ring, u64 at, u32 length)
{
	u64 padding = ring->size - at;

	return padding + length <= ring->size ? padding + length : padding;
}

/**
 * hwpmc_ring_wrap_nmi - write the padding and continue at the data's start
 * @ring: of this CPU
 * @at: offset in the data where the reserved bytes begin
 * @need: how many are reserved, see hwpmc_ring_need()
 *
 * Context: any, NMI included. Return: as hwpmc_ring_reserve_nmi(), which calls it.
 */
void *hwpmc_ring_wrap_nmi(struct hwpmc_producer *ring, u64 at, u64 need)
{
	struct hwpmc_log_header *pad = ring->data + at;

	pad->type = HWPMC_LOG_PAD;
	pad->flags = 0;
	pad->length = ring->size - at;
	if (at + need == ring->size)
		return NULL;
	ring->records++;
	return ring->data;
}

/**
 * hwpmc_ring_publish_nmi - publish the reserved bytes, which are complete
 * @ring: hwpmc_ring_reserve_nmi() was called, and may have failed
 *
 * Context: as hwpmc_ring_reserve_nmi().
 */
void hwpmc_ring_publish_nmi(struct hwpmc_producer *ring)
{
	struct hwpmc_ring_header *header = ring->header;

	WRITE_ONCE(header->records, ring->records);
	/* B: pairs with the reader's acquire of head (C). */
	smp_store_release(&header->head, ring->reserved);
	hwpmc_ring_check_end(ring);
}

/**
 * hwpmc_ring_used - bytes that wait to be read
 * @ring: any CPU's
 *
 * Context: any. Return: bytes; 0 if the reader's tail is out of range.
 */
u64 hwpmc_ring_used(const struct hwpmc_producer *ring)
{
	u64 used = READ_ONCE(ring->header->head) - READ_ONCE(*ring->tail);

	return used > ring->size ? 0 : used;
}
