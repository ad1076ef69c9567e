// SPDX-License-Identifier: GPL-2.0-only
/*
 * The producer's protocol. Letters are those of the diagram in
 * uapi/linux/hwpmc_log.h; docs/ring.md has the interleavings.
 *
 * Reserving moves @reserved by a cmpxchg that is atomic on this CPU only: nobody
 * else's CPU writes. Publishing is for the outermost producer: an inner one may
 * have interrupted an outer one in the middle of its record, which head must
 * not pass.
 */
#include "ring.h"

/* On the CPU that readers see it for; nobody writes yet. */
void hwpmc_ring_init(struct hwpmc_producer *ring, void *header, const u64 *tail, void *data,
		     u64 size, unsigned int cpu)
{
	ring->header = header;
	ring->tail = tail;
	ring->data = data;
	ring->size = size;
	ring->header->data_size = size;
	ring->header->version = HWPMC_LOG_VERSION;
	ring->header->cpu = cpu;
}

/**
 * hwpmc_ring_need - what a record takes that does not fit before the data's end
 * @ring: entered
 * @at: where it would begin
 * @length: of it, no more than the data
 *
 * The rest of the data is padding, and it begins at the data's start. Both may be more
 * than the data even when all of it was read: then the padding goes alone.
 *
 * Return: in bytes; less than @length if that is so, else more.
 */
u64 hwpmc_ring_need(const struct hwpmc_producer *ring, u64 at, u32 length)
{
	u64 padding = ring->size - at;

	return padding + length <= ring->size ? padding + length : padding;
}

/**
 * hwpmc_ring_wrap_nmi - begin at the data's start again
 * @ring: entered
 * @at: where what was reserved begins
 * @need: how much that is, see hwpmc_ring_need()
 *
 * Return: as hwpmc_ring_reserve_nmi(), which calls it.
 */
void *hwpmc_ring_wrap_nmi(struct hwpmc_producer *ring, u64 at, u64 need)
{
	struct hwpmc_log_header *pad = ring->data + at;

	pad->type = HWPMC_LOG_PAD;
	pad->flags = 0;
	pad->length = ring->size - at;
	if (at + need == ring->size)
		return NULL;
	local_inc(&ring->records);
	return ring->data;
}

static void hwpmc_ring_publish(struct hwpmc_producer *ring, u64 head)
{
	struct hwpmc_ring_header *header = ring->header;

	WRITE_ONCE(header->records, local_read(&ring->records));
	WRITE_ONCE(header->lost, local_read(&ring->lost));
	WRITE_ONCE(header->reported, local_read(&ring->reported));
	/* B: pairs with the reader's acquire of head (C). */
	smp_store_release(&header->head, head);
}

/**
 * hwpmc_ring_leave_nmi - what was reserved is written
 * @ring: entered
 *
 * The outermost producer publishes. One that comes in after head was taken and
 * before @nest is 0 cannot publish for itself, so @reserved is looked at again.
 */
void hwpmc_ring_leave_nmi(struct hwpmc_producer *ring)
{
	u64 head;

	barrier();
	if (ring->nest > 1) {
		WRITE_ONCE(ring->nest, ring->nest - 1);
		return;
	}
	for (;;) {
		head = local_read(&ring->reserved);
		hwpmc_ring_publish(ring, head);
		barrier();
		WRITE_ONCE(ring->nest, 0);
		barrier();
		if (likely((u64)local_read(&ring->reserved) == head))
			return;
		WRITE_ONCE(ring->nest, 1);
		barrier();
	}
}

/* Bytes that are waiting to be read; 0 if the tail cannot be. Any CPU. */
u64 hwpmc_ring_used(const struct hwpmc_producer *ring)
{
	u64 used = READ_ONCE(ring->header->head) - READ_ONCE(*ring->tail);

	return used > ring->size ? 0 : used;
}
