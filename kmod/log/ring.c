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

/* Bytes between @tail, whatever its reader wrote there, and @begin; too many if it cannot be. */
static u64 hwpmc_ring_between(u64 tail, u64 begin)
{
	return begin - tail;
}

/* What does not fit before the data's end begins at its start again. */
static u64 hwpmc_ring_padding(const struct hwpmc_producer *ring, u64 begin, u32 length)
{
	u64 left = ring->size - (begin & (ring->size - 1));

	return left < length ? left : 0;
}

static void hwpmc_ring_pad(struct hwpmc_producer *ring, u64 begin, u64 padding)
{
	struct hwpmc_log_header *pad = ring->data + (begin & (ring->size - 1));

	pad->type = HWPMC_LOG_PAD;
	pad->flags = 0;
	pad->length = padding;
}

/**
 * hwpmc_ring_reserve_nmi - room for one record
 * @ring: entered
 * @length: of the record, in bytes, a multiple of 8 and at least 8
 *
 * A record and its padding may be more than the data even when all of it was read.
 * Then the padding goes alone, and the next record begins at the data's start.
 *
 * Return: where to write it, or NULL if there is no room; the caller counts
 * that. Context: any, NMI included.
 */
void *hwpmc_ring_reserve_nmi(struct hwpmc_producer *ring, u32 length)
{
	u64 begin, padding, need, used;
	bool whole;

	if (length > ring->size)
		return NULL;
	do {
		/* A: pairs with the reader's release of its tail (D). */
		u64 tail = smp_load_acquire(ring->tail);

		begin = local_read(&ring->reserved);
		padding = hwpmc_ring_padding(ring, begin, length);
		whole = padding + length <= ring->size;
		need = whole ? padding + length : padding;
		used = hwpmc_ring_between(tail, begin);
		if (used > ring->size || ring->size - used < need)
			return NULL;
	} while ((u64)local_cmpxchg(&ring->reserved, begin, begin + need) != begin);

	if (padding)
		hwpmc_ring_pad(ring, begin, padding);
	if (unlikely(!whole))
		return NULL;
	local_inc(&ring->records);
	return ring->data + ((begin + padding) & (ring->size - 1));
}

static void hwpmc_ring_publish(struct hwpmc_producer *ring, u64 head)
{
	WRITE_ONCE(ring->header->records, local_read(&ring->records));
	WRITE_ONCE(ring->header->lost, local_read(&ring->lost));
	WRITE_ONCE(ring->header->reported, local_read(&ring->reported));
	/* B: pairs with the reader's acquire of head (C). */
	smp_store_release(&ring->header->head, head);
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
