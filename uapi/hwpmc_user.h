/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * hwpmc - a reader of a thread's counts, for any C or C++ program; nothing to link
 *
 *	struct hwpmc_user_reader reader;
 *	__u64 values[2], ticks;
 *
 *	...ALLOCATE with HWPMC_F_THREAD and ATTACH two PMCs, ids[0] and ids[1]...
 *	hwpmc_user_map(&reader, fd, ids, 2);
 *	...START...
 *	hwpmc_user_last(&reader, values, &ticks);	without a system call
 *	hwpmc_user_now(&reader, values);		by a system call
 *	hwpmc_user_unmap(&reader);
 *
 * hwpmc_user_last() has what the thread had counted when it was scheduled out last, or when its
 * counters were read last: exact up to then. Any number of threads may read. The letters are those
 * of linux/hwpmc.h.
 */
#ifndef _HWPMC_USER_H
#define _HWPMC_USER_H

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <linux/hwpmc.h>

/**
 * struct hwpmc_user_reader - a page, mapped
 * @page: the page that the kernel writes
 * @size: of the mapping, in bytes
 * @fd: the device
 * @count: number of the page's entries
 */
struct hwpmc_user_reader {
	const struct hwpmc_user_page *page;
	size_t size;
	int fd;
	unsigned int count;
};

static inline void hwpmc_user_unmap(struct hwpmc_user_reader *reader)
{
	if (reader->page)
		munmap((void *)reader->page, reader->size);
	memset(reader, 0, sizeof(*reader));
}

/**
 * hwpmc_user_map() - make and map the page of PMCs
 * @reader: is filled in
 * @fd: the device
 * @ids: of PMCs that follow one thread, see struct hwpmc_user_read
 * @count: how many
 *
 * Return: 0, or -1 with errno set: by HWPMC_IOC_USER_READ, by mmap(2), or EOVERFLOW if off_t is too
 * small for the page's offset, as on 32-bit machines without _FILE_OFFSET_BITS=64.
 */
static inline int hwpmc_user_map(struct hwpmc_user_reader *reader, int fd, const __u32 *ids,
				 unsigned int count)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct hwpmc_user_read made;
	void *page;
	off_t from;

	memset(reader, 0, sizeof(*reader));
	memset(&made, 0, sizeof(made));
	made.size = sizeof(made);
	made.count = count;
	made.ids = (__u64)(size_t)ids;
	if (ioctl(fd, HWPMC_IOC_USER_READ, &made))
		return -1;
	from = (off_t)made.offset;
	if (from < 0 || (__u64)from != made.offset) {
		errno = EOVERFLOW;
		return -1;
	}
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, from);
	if (page == MAP_FAILED)
		return -1;
	reader->page = (const struct hwpmc_user_page *)page;
	reader->size = size;
	reader->fd = fd;
	reader->count = count;
	return 0;
}

/**
 * hwpmc_user_state() - whether a count may still change
 * @reader: a mapped page
 * @index: of the PMC, in the list that was mapped
 *
 * What hwpmc_user_last() returns after a state that is final is the final value. Return: enum
 * hwpmc_user_state.
 */
static inline __u32 hwpmc_user_state(const struct hwpmc_user_reader *reader, unsigned int index)
{
	return __atomic_load_n(&reader->page->counts[index].state, __ATOMIC_ACQUIRE);
}

/**
 * hwpmc_user_last() - the counts at the last switch of the thread, all of one instant
 * @reader: a mapped page
 * @values: out: of all its PMCs, in events
 * @ticks: out: when that was, for hwpmc_user_age(); or NULL
 */
static inline void hwpmc_user_last(const struct hwpmc_user_reader *reader, __u64 *values,
				   __u64 *ticks)
{
	const struct hwpmc_user_page *page = reader->page;
	unsigned int i, count = reader->count;
	__u32 seq;

	do {
		/* (C) pairs with (B): the values are not older than this number. */
		seq = __atomic_load_n(&page->seq, __ATOMIC_ACQUIRE);
		/* Relaxed: (C) and (D) order them. */
		for (i = 0; i < count; i++)
			values[i] = __atomic_load_n(&page->counts[i].value, __ATOMIC_RELAXED);
		if (ticks)
			*ticks = __atomic_load_n(&page->ticks, __ATOMIC_RELAXED);
		/* (D) pairs with (A): a newer value was written after a newer number. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while ((seq & 1) || seq != __atomic_load_n(&page->seq, __ATOMIC_RELAXED));
}

/**
 * hwpmc_user_now() - the present counts, all of one instant
 * @reader: a mapped page, none of whose PMCs was released
 * @values: out: of all its PMCs, in events
 *
 * A system call, which reads the counters on the thread's CPU. Return: 0, or -1 with errno set by
 * HWPMC_IOC_RW.
 */
static inline int hwpmc_user_now(const struct hwpmc_user_reader *reader, __u64 *values)
{
	__u32 ids[HWPMC_USER_MAX];
	struct hwpmc_rw rw;
	unsigned int i;

	for (i = 0; i < reader->count; i++)
		ids[i] = reader->page->counts[i].id;
	memset(&rw, 0, sizeof(rw));
	rw.size = sizeof(rw);
	rw.flags = HWPMC_RW_OLD;
	rw.count = reader->count;
	rw.ids = (__u64)(size_t)ids;
	rw.values = (__u64)(size_t)values;
	return ioctl(reader->fd, HWPMC_IOC_RW, &rw);
}

/* The clock of struct hwpmc_user_page. */
static inline __u64 hwpmc_user_clock(void)
{
#ifdef __aarch64__
	__u64 ticks;

	__asm__ __volatile__("isb\n\tmrs %0, cntvct_el0" : "=r" (ticks) : : "memory");
	return ticks;
#elif defined(__arm__)
	__u64 ticks;

	/* The same counter, for 32-bit programs. */
	__asm__ __volatile__("isb\n\tmrrc p15, 1, %Q0, %R0, c14" : "=r" (ticks) : : "memory");
	return ticks;
#else
	return __builtin_ia32_rdtsc();
#endif
}

/**
 * hwpmc_user_age() - how long ago a reading was
 * @reader: a mapped page
 * @ticks: as hwpmc_user_last() returned it
 *
 * The reading's time is CLOCK_MONOTONIC, read at the same time, minus the age. That is as exact as
 * the clock's frequency is: to some millionths of the age. Return: ns.
 */
static inline __u64 hwpmc_user_age(const struct hwpmc_user_reader *reader, __u64 ticks)
{
	__u64 khz = reader->page->ticks_khz, age = hwpmc_user_clock() - ticks;

	/* In two parts, so that no product is too large. */
	return age / khz * 1000000 + age % khz * 1000000 / khz;
}

#endif /* _HWPMC_USER_H */
