/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The producer side of a ring; uapi/linux/hwpmc_log.h has the reader's side. Used by
 * record.c, reader.c and the sampler in kmod/pmc/, in any context, NMI included. It handles
 * neither owners nor the meaning of records.
 */
#ifndef HWPMC_RING_H
#define HWPMC_RING_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <uapi/linux/hwpmc_log.h>

/**
 * struct hwpmc_producer - the producer side of a ring: one CPU writes it
 * @header: the page that readers see
 * @tail: the reader's tail; not trusted
 * @data: records
 * @size: of @data in bytes, a power of two
 * @reserved: bytes that were reserved so far; wraps like @header->head
 * @records: records that were written
 * @lost: records that found no room
 * @reported: those of @lost that DROP records report
 * @cpu: as in @header, for the header of each record
 * @writing: a record was reserved and is not published yet; for kernels with lock debugging
 *
 * Only code on the ring's CPU writes, with interrupts off and overflows deferred (base/defer.h), so
 * no other writer interrupts it. docs/ring.md describes what writes the ring of a CPU that is
 * offline.
 */
struct hwpmc_producer {
	struct hwpmc_ring_header *header;
	const u64 *tail;
	void *data;
	u64 size;
	u64 reserved;
	u64 records;
	u64 lost;
	u64 reported;
	unsigned int cpu;
	bool writing;
};

void hwpmc_ring_init(struct hwpmc_producer *ring, void *header, const u64 *tail, void *data,
		     u64 size, unsigned int cpu);
u64 hwpmc_ring_need(const struct hwpmc_producer *ring, u64 at, u32 length);
void *hwpmc_ring_wrap_nmi(struct hwpmc_producer *ring, u64 at, u64 need);
void hwpmc_ring_publish_nmi(struct hwpmc_producer *ring);
u64 hwpmc_ring_used(const struct hwpmc_producer *ring);

/* With lock debugging, warn if a writer interrupts another one: from before its first read... */
static __always_inline void hwpmc_ring_check_begin(struct hwpmc_producer *ring)
{
	if (!IS_ENABLED(CONFIG_PROVE_LOCKING))
		return;
	WARN_ON_ONCE(READ_ONCE(ring->writing));
	WRITE_ONCE(ring->writing, true);
	barrier();
}

/* ... until all is written. */
static __always_inline void hwpmc_ring_check_end(struct hwpmc_producer *ring)
{
	if (!IS_ENABLED(CONFIG_PROVE_LOCKING))
		return;
	barrier();
	WRITE_ONCE(ring->writing, false);
}

/**
 * hwpmc_ring_reserve_nmi - reserve room for one record
 * @ring: of this CPU
 * @length: of the record, in bytes; a multiple of 8, at least 8
 *
 * The caller fills in the record and calls hwpmc_ring_publish_nmi(), which it also calls if there
 * was no room, since padding may have been reserved. It counts a record that finds no room.
 * Inline, since every sample calls it.
 *
 * Context: on the ring's CPU; interrupts off and overflows deferred, or their NMI. Return:
 * where to write the record, or NULL without room.
 */
static __always_inline void *hwpmc_ring_reserve_nmi(struct hwpmc_producer *ring, u32 length)
{
	u64 begin, at, tail, need = length, size = ring->size;
	void *to;

	hwpmc_ring_check_begin(ring);
	begin = ring->reserved;
	at = begin & (size - 1);
	/* A: pairs with the reader's release of its tail (D). */
	tail = smp_load_acquire(ring->tail);
	if (unlikely(length > size - at)) {
		if (length > size)
			return NULL;
		need = hwpmc_ring_need(ring, at, length);
	}
	/* The reader may write any tail; one that is out of range leaves no room. */
	if (unlikely(begin - tail > size - need))
		return NULL;
	ring->reserved = begin + need;
	if (unlikely(need != length))
		return hwpmc_ring_wrap_nmi(ring, at, need);
	ring->records++;
	to = ring->data + at;
	/* So that the caller's test for NULL takes no instruction here. */
	if (!to)
		__builtin_unreachable();
	return to;
}

/**
 * hwpmc_ring_lose_nmi - count records that found no room, or were not written
 * @ring: of this CPU
 * @count: how many
 *
 * Readers see the new count at once. Context: as hwpmc_ring_reserve_nmi().
 */
static inline void hwpmc_ring_lose_nmi(struct hwpmc_producer *ring, u64 count)
{
	ring->lost += count;
	WRITE_ONCE(ring->header->lost, ring->lost);
}

/**
 * hwpmc_ring_report_nmi - count losses that a DROP record reports
 * @ring: of this CPU; the record is published
 * @count: how many records were lost
 *
 * Readers see the new count at once, not before they can see the record. Context: as
 * hwpmc_ring_reserve_nmi().
 */
static inline void hwpmc_ring_report_nmi(struct hwpmc_producer *ring, u64 count)
{
	ring->reported += count;
	/* Not before the DROP record's head. */
	smp_store_release(&ring->header->reported, ring->reported);
}

#endif /* HWPMC_RING_H */
