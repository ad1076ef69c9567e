/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring's producer side: see uapi/linux/hwpmc_log.h for the reader's. It knows
 * neither owners nor what records mean.
 */
#ifndef HWPMC_RING_H
#define HWPMC_RING_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/local.h>
#include <uapi/linux/hwpmc_log.h>

/**
 * struct hwpmc_producer - the ring's producer: one CPU's
 * @header: the page that readers see
 * @tail: the reader's; not to be believed
 * @data: records
 * @size: of @data, a power of two
 * @reserved: bytes given to producers so far, wrapping like @header->head
 * @nest: producers that are inside, each having interrupted the one before
 * @records: written
 * @lost: that found no room
 * @reported: of these, told by DROP records
 *
 * Whoever writes is on the ring's CPU with preemption off, and may be
 * interrupted there by another who writes: a task by an interrupt, both by an
 * NMI. Each finishes before the one it interrupted goes on.
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
 * Context: any, preemption off, up to hwpmc_ring_leave_nmi().
 */
static inline void hwpmc_ring_enter(struct hwpmc_producer *ring)
{
	WRITE_ONCE(ring->nest, ring->nest + 1);
	/* Before anything is reserved: an inner producer must not publish it. */
	barrier();
}

/**
 * hwpmc_ring_reserve_nmi - room for one record
 * @ring: entered
 * @length: of the record, in bytes, a multiple of 8 and at least 8
 *
 * Inline, since every sample does it.
 *
 * Return: where to write it, or NULL if there is no room; the caller counts
 * that. Context: any, NMI included.
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
		/* Whatever its reader wrote there: a tail that cannot be leaves no room. */
		if (unlikely(begin - tail > ring->size - need))
			return NULL;
	} while (unlikely((u64)local_cmpxchg(&ring->reserved, begin, begin + need) != begin));
	if (unlikely(need != length))
		return hwpmc_ring_wrap_nmi(ring, at, need);
	local_inc(&ring->records);
	return ring->data + at;
}

#endif /* HWPMC_RING_H */
