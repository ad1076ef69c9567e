/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The producer side of a ring; uapi/linux/hwpmc_log.h has the reader's side. Used by
 * record.c, reader.c and the sampler in kmod/pmc/, in any context, NMI included. It handles
 * neither owners nor the meaning of records.
 */
#ifndef HWPMC_RING_H
#define HWPMC_RING_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/local.h>
#include <uapi/linux/hwpmc_log.h>

/**
 * struct hwpmc_producer - the producer side of a ring: one CPU writes it
 * @header: the page that readers see
 * @tail: the reader's tail; not trusted
 * @data: records
 * @size: of @data in bytes, a power of two
 * @reserved: bytes that were reserved so far; wraps like @header->head
 * @nest: depth of producers that write, each of which interrupted the one before
 * @records: records that were written
 * @lost: records that found no room
 * @reported: those of @lost that DROP records report
 *
 * A producer runs on the ring's CPU with preemption off. Another producer may interrupt it
 * there: an interrupt interrupts a task, an NMI interrupts both. The inner producer
 * finishes before the outer one continues.
 */
struct hwpmc_producer {
	struct hwpmc_ring_header *header;
	const u64 *tail;
	void *data;
	u64 size;
	local_t reserved;
	unsigned int nest;
	local_t records;
	local_t lost;
	local_t reported;
};

void hwpmc_ring_init(struct hwpmc_producer *ring, void *header, const u64 *tail, void *data,
		     u64 size, unsigned int cpu);
u64 hwpmc_ring_need(const struct hwpmc_producer *ring, u64 at, u32 length);
void *hwpmc_ring_wrap_nmi(struct hwpmc_producer *ring, u64 at, u64 need);
void hwpmc_ring_leave_nmi(struct hwpmc_producer *ring);
u64 hwpmc_ring_used(const struct hwpmc_producer *ring);

/**
 * hwpmc_ring_enter - begin to write
 * @ring: of this CPU
 *
 * Context: any; preemption off until hwpmc_ring_leave_nmi().
 */
static inline void hwpmc_ring_enter(struct hwpmc_producer *ring)
{
	WRITE_ONCE(ring->nest, ring->nest + 1);
	/*
	 * Before the first reservation: an inner producer must not publish what this one
	 * reserves.
	 */
	barrier();
}

/**
 * hwpmc_ring_reserve_nmi - reserve room for one record
 * @ring: entered
 * @length: of the record, in bytes; a multiple of 8, at least 8
 *
 * Inline, since every sample calls it. The caller counts a record that finds no room.
 *
 * Context: any, NMI included. Return: where to write the record, or NULL without room.
 */
static __always_inline void *hwpmc_ring_reserve_nmi(struct hwpmc_producer *ring, u32 length)
{
	u64 tail, begin, at, need;

	if (unlikely(length > ring->size))
		return NULL;
	do {
		/* A: pairs with the reader's release of its tail (D). */
		tail = smp_load_acquire(ring->tail);
		begin = local_read(&ring->reserved);
		at = begin & (ring->size - 1);
		need = length;
		if (unlikely(length > ring->size - at))
			need = hwpmc_ring_need(ring, at, length);
		/* The reader may write any tail; one that is out of range leaves no room. */
		if (unlikely(begin - tail > ring->size - need))
			return NULL;
	} while (unlikely((u64)local_cmpxchg(&ring->reserved, begin, begin + need) != begin));
	if (unlikely(need != length))
		return hwpmc_ring_wrap_nmi(ring, at, need);
	local_inc(&ring->records);
	return ring->data + at;
}

#endif /* HWPMC_RING_H */
