/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * hwpmc - a reader of the rings, for any C or C++ program; nothing to link
 *
 *	struct hwpmc_ring made = { .size = sizeof(made) };
 *	struct hwpmc_ring_reader ring;
 *	const struct hwpmc_log_header *record;
 *
 *	ioctl(fd, HWPMC_IOC_RING, &made);
 *	hwpmc_ring_map(&ring, fd, &made, cpu);		for each cpu below made.rings
 *	...START, poll() for POLLIN...
 *	hwpmc_ring_begin(&ring);
 *	while ((record = hwpmc_ring_next(&ring)))
 *		...
 *	hwpmc_ring_end(&ring);
 *
 * Only one thread may read a ring at a time. A local copy of the reader makes reading a sixth
 * faster, since the compiler keeps it in registers. The letters are those of linux/hwpmc_log.h.
 */
#ifndef _HWPMC_RING_H
#define _HWPMC_RING_H

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <linux/hwpmc.h>
#include <linux/hwpmc_log.h>

/**
 * struct hwpmc_ring_reader - one CPU's ring, mapped
 * @shared: the page that the reader writes
 * @header: the page that the kernel writes
 * @data: the records
 * @data_size: of @data, in bytes; a power of two
 * @header_size: of @header's mapping, in bytes
 * @shared_size: of @shared's
 * @head: end of the records that hwpmc_ring_begin() found
 * @tail: end of the records that were read
 * @broken: the ring's content is impossible; nothing more is read
 */
struct hwpmc_ring_reader {
	struct hwpmc_ring_tail *shared;
	const struct hwpmc_ring_header *header;
	const unsigned char *data;
	size_t data_size;
	size_t header_size;
	size_t shared_size;
	__u64 head;
	__u64 tail;
	int broken;
};

static inline void hwpmc_ring_unmap(struct hwpmc_ring_reader *ring)
{
	if (ring->shared)
		munmap(ring->shared, ring->shared_size);
	if (ring->header)
		munmap((void *)ring->header, ring->header_size);
	if (ring->data)
		munmap((void *)ring->data, ring->data_size);
	memset(ring, 0, sizeof(*ring));
}

static inline void *hwpmc_ring_part(int fd, size_t size, int prot, __u64 offset)
{
	off_t from = (off_t)offset;
	void *part;

	/* A truncated offset (32 bits without _FILE_OFFSET_BITS=64) would map another ring. */
	if (from < 0 || (__u64)from != offset) {
		errno = EOVERFLOW;
		return NULL;
	}
	part = mmap(NULL, size, prot, MAP_SHARED, fd, from);
	return part == MAP_FAILED ? NULL : part;
}

/**
 * hwpmc_ring_map() - map a ring
 * @ring: is filled in
 * @fd: the device
 * @made: what HWPMC_IOC_RING returned
 * @cpu: whose ring
 *
 * Return: 0, or -1 with errno set: by mmap(2), or EOVERFLOW if off_t is too small for the
 * ring's offset, as on 32-bit machines without _FILE_OFFSET_BITS=64.
 */
static inline int hwpmc_ring_map(struct hwpmc_ring_reader *ring, int fd,
				 const struct hwpmc_ring *made, unsigned int cpu)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	__u64 place = cpu * made->stride;
	int error;

	memset(ring, 0, sizeof(*ring));
	ring->data_size = (size_t)made->data_size;
	ring->header_size = page;
	ring->shared_size = page;
	ring->shared = (struct hwpmc_ring_tail *)
		hwpmc_ring_part(fd, page, PROT_READ | PROT_WRITE, place);
	if (ring->shared)
		ring->header = (const struct hwpmc_ring_header *)
			hwpmc_ring_part(fd, page, PROT_READ, place + made->header_offset);
	if (ring->header)
		ring->data = (const unsigned char *)
			hwpmc_ring_part(fd, ring->data_size, PROT_READ, place + made->data_offset);
	if (ring->data) {
		/* Relaxed: nobody else writes the tail. */
		ring->tail = __atomic_load_n(&ring->shared->tail, __ATOMIC_RELAXED);
		ring->head = ring->tail;
		return 0;
	}
	error = errno;
	hwpmc_ring_unmap(ring);
	errno = error;
	return -1;
}

/* Reads nothing more from this ring. */
static inline void hwpmc_ring_break(struct hwpmc_ring_reader *ring)
{
	ring->broken = 1;
	ring->head = ring->tail;
}

/**
 * hwpmc_ring_begin() - find the records to read
 * @ring: a mapped one
 *
 * Return: how many bytes are to be read now.
 */
static inline __u64 hwpmc_ring_begin(struct hwpmc_ring_reader *ring)
{
	if (ring->broken)
		return 0;
	/*
	 * (C) pairs with (B): the records below the head that is loaded here were stored
	 * before that head.
	 */
	ring->head = __atomic_load_n(&ring->header->head, __ATOMIC_ACQUIRE);
	if (ring->head - ring->tail > ring->data_size)
		hwpmc_ring_break(ring);
	return ring->head - ring->tail;
}

/**
 * hwpmc_ring_next() - the next record
 * @ring: hwpmc_ring_begin() was called
 *
 * Return: a record, valid until hwpmc_ring_end(); NULL when all that
 * hwpmc_ring_begin() found has been read.
 */
static inline const struct hwpmc_log_header *hwpmc_ring_next(struct hwpmc_ring_reader *ring)
{
	while (ring->tail != ring->head) {
		size_t place = (size_t)(ring->tail & (ring->data_size - 1));
		const struct hwpmc_log_header *record =
			(const struct hwpmc_log_header *)(ring->data + place);
		__u32 length = record->length;

		/* Also refuses a length of 0: the subtraction wraps to the largest number. */
		if (length % 8 || length - 1ULL >= ring->head - ring->tail ||
		    length > ring->data_size - place) {
			hwpmc_ring_break(ring);
			break;
		}
		ring->tail += length;
		if (record->type != HWPMC_LOG_PAD)
			return record;
	}
	return NULL;
}

/**
 * hwpmc_ring_end() - release the room of what was read
 * @ring: hwpmc_ring_next() was called, any number of times
 */
static inline void hwpmc_ring_end(struct hwpmc_ring_reader *ring)
{
	/*
	 * (D) pairs with (A): the records were loaded before the kernel sees this tail,
	 * and so before it stores anything in their place.
	 */
	__atomic_store_n(&ring->shared->tail, ring->tail, __ATOMIC_RELEASE);
}

/**
 * hwpmc_sample_whole() - a SAMPLE record with the fields that it leaves out
 * @record: of type HWPMC_LOG_SAMPLE
 * @period: the count with which its PMC was allocated, as in the ALLOCATE record
 * @room: for a copy
 *
 * Return: @record, if it has all fields; otherwise @room, with a copy that has them.
 */
static inline const struct hwpmc_log_sample *
hwpmc_sample_whole(const struct hwpmc_log_header *record, __u64 period,
		   struct hwpmc_log_sample *room)
{
	if (record->length >= sizeof(*room))
		return (const struct hwpmc_log_sample *)record;
	memset(room, 0, sizeof(*room));
	room->period = period;
	memcpy(room, record, record->length);
	room->h.length = sizeof(*room);
	return room;
}

#endif /* _HWPMC_RING_H */
