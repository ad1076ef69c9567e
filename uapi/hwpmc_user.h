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
 *	hwpmc_user_self(&reader, values);		from the counters, if it can
 *	hwpmc_user_unmap(&reader);
 *
 * hwpmc_user_last() returns what the thread had counted when it was last scheduled out, or when its
 * counters were last read: exact up to then. Any number of threads may read. The letters are those
 * of linux/hwpmc.h.
 *
 * hwpmc_user_self() is only for the thread whose counts are in the page: PMCs with HWPMC_F_DIRECT
 * are read from their counters where the kernel permits it, and by a system call elsewhere.
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
 * After this returned a final state, hwpmc_user_last() returns the final value. Return: enum
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

#ifdef __aarch64__
/* Reads the counter @index of struct hwpmc_user_count; @index is not 0. */
static inline __u64 hwpmc_user_counter(__u32 index)
{
	__u64 now = 0;

#define HWPMC_USER_READ_EVENT(n)							\
	case (n) + 1:									\
		__asm__ __volatile__("mrs %0, pmevcntr" #n "_el0" : "=r" (now) : : "memory");	\
		break;
	switch (index) {
	HWPMC_USER_READ_EVENT(0) HWPMC_USER_READ_EVENT(1) HWPMC_USER_READ_EVENT(2)
	HWPMC_USER_READ_EVENT(3) HWPMC_USER_READ_EVENT(4) HWPMC_USER_READ_EVENT(5)
	HWPMC_USER_READ_EVENT(6) HWPMC_USER_READ_EVENT(7) HWPMC_USER_READ_EVENT(8)
	HWPMC_USER_READ_EVENT(9) HWPMC_USER_READ_EVENT(10) HWPMC_USER_READ_EVENT(11)
	HWPMC_USER_READ_EVENT(12) HWPMC_USER_READ_EVENT(13) HWPMC_USER_READ_EVENT(14)
	HWPMC_USER_READ_EVENT(15) HWPMC_USER_READ_EVENT(16) HWPMC_USER_READ_EVENT(17)
	HWPMC_USER_READ_EVENT(18) HWPMC_USER_READ_EVENT(19) HWPMC_USER_READ_EVENT(20)
	HWPMC_USER_READ_EVENT(21) HWPMC_USER_READ_EVENT(22) HWPMC_USER_READ_EVENT(23)
	HWPMC_USER_READ_EVENT(24) HWPMC_USER_READ_EVENT(25) HWPMC_USER_READ_EVENT(26)
	HWPMC_USER_READ_EVENT(27) HWPMC_USER_READ_EVENT(28) HWPMC_USER_READ_EVENT(29)
	HWPMC_USER_READ_EVENT(30)
	case 32:
		__asm__ __volatile__("mrs %0, pmccntr_el0" : "=r" (now) : : "memory");
		break;
	}
#undef HWPMC_USER_READ_EVENT
	return now;
}
#endif

/*
 * Reads counts of the calling thread from their counters: @count entries from entry @first on. The
 * kernel changes the thread's page only while the thread is not in user mode. So @seq shows
 * whether it did, and barriers of the compiler are enough. Returns 1, or 0 if one of them cannot be
 * read.
 */
static inline int hwpmc_user_any(const struct hwpmc_user_page *page, unsigned int first,
				 unsigned int count, __u64 *values)
{
#ifdef __aarch64__
	unsigned int i;
	__u32 seq;

	do {
		seq = __atomic_load_n(&page->seq, __ATOMIC_RELAXED);
		for (i = 0; i < count; i++) {
			const struct hwpmc_user_count *at = &page->counts[first + i];
			__u32 index = __atomic_load_n(&at->index, __ATOMIC_RELAXED);

			if (!index)
				return 0;
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
			values[i] = at->offset + (hwpmc_user_counter(index) ^ at->flip);
		}
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (seq != __atomic_load_n(&page->seq, __ATOMIC_RELAXED));
	return 1;
#else
	/* Also for 32-bit programs on arm64, whose page may have an @index. */
	(void)page;
	(void)first;
	(void)count;
	(void)values;
	return 0;
#endif
}

/* Not a signal fence: only volatile asm is in an order with the asm that reads a register. */
static inline __attribute__((__always_inline__)) void hwpmc_user_barrier(void)
{
	__asm__ __volatile__("" : : : "memory");
}

/*
 * As hwpmc_user_any(), but faster, for the first @count entries (a constant, 6 at most) if entry N
 * is on event counter N; returns 0 if one is not. The values are stored at the end, so that the
 * compiler can store them in pairs.
 */
static inline __attribute__((__always_inline__)) int
hwpmc_user_in_order(const struct hwpmc_user_page *page, unsigned int count, __u64 *values)
{
#ifdef __aarch64__
#define HWPMC_USER_TAKE(n)								\
	if (count > (n)) {								\
		if (__builtin_expect(page->counts[n].index != (n) + 1, 0))		\
			return 0;							\
		__asm__ __volatile__("mrs %0, pmevcntr" #n "_el0" : "=r" (now[n]));	\
		now[n] = page->counts[n].offset + (now[n] ^ page->counts[n].flip);	\
	}
#define HWPMC_USER_PUT(n)								\
	if (count > (n))								\
		values[n] = now[n];
	__u64 now[6];
	__u32 seq;

	do {
		seq = __atomic_load_n(&page->seq, __ATOMIC_RELAXED);
		hwpmc_user_barrier();
		/* Plain loads, which the compiler merges; each is used once. */
		HWPMC_USER_TAKE(0) HWPMC_USER_TAKE(1) HWPMC_USER_TAKE(2)
		HWPMC_USER_TAKE(3) HWPMC_USER_TAKE(4) HWPMC_USER_TAKE(5)
		hwpmc_user_barrier();
	} while (__builtin_expect(seq != __atomic_load_n(&page->seq, __ATOMIC_RELAXED), 0));
	HWPMC_USER_PUT(0) HWPMC_USER_PUT(1) HWPMC_USER_PUT(2)
	HWPMC_USER_PUT(3) HWPMC_USER_PUT(4) HWPMC_USER_PUT(5)
	return 1;
#undef HWPMC_USER_TAKE
#undef HWPMC_USER_PUT
#else
	(void)page;
	(void)count;
	(void)values;
	return 0;
#endif
}

/* hwpmc_user_in_order() for two to five entries */
static inline int hwpmc_user_some_in_order(const struct hwpmc_user_page *page, unsigned int count,
					   __u64 *values)
{
	switch (count) {
	case 2:
		return hwpmc_user_in_order(page, 2, values);
	case 3:
		return hwpmc_user_in_order(page, 3, values);
	case 4:
		return hwpmc_user_in_order(page, 4, values);
	case 5:
		return hwpmc_user_in_order(page, 5, values);
	}
	return 0;
}

/* The slow path of hwpmc_user_self() and hwpmc_user_self_one() */
static __attribute__((__noinline__, __unused__)) int
hwpmc_user_self_slow(const struct hwpmc_user_reader *reader, unsigned int first,
		     unsigned int count, __u64 *values)
{
	__u64 all[HWPMC_USER_MAX];

	if (!first && hwpmc_user_some_in_order(reader->page, count, values))
		return 0;
	if (hwpmc_user_any(reader->page, first, count, values))
		return 0;
	if (hwpmc_user_now(reader, all))
		return -1;
	memcpy(values, all + first, count * sizeof(*values));
	return 0;
}

/**
 * hwpmc_user_self() - the present counts of the calling thread
 * @reader: a mapped page of the calling thread, none of whose PMCs was released
 * @values: out: of all its PMCs, in events
 *
 * The counters are read one after the other; none is read before a switch and another one after it.
 * No other thread may call this: it would read another CPU's counters, or get SIGILL. Neither
 * another thread nor a signal handler of this one may release or detach the PMCs meanwhile; if an
 * administrator ends one just then, the thread gets SIGILL, too. Return: as hwpmc_user_now().
 */
static inline int hwpmc_user_self(const struct hwpmc_user_reader *reader, __u64 *values)
{
	unsigned int count = reader->count;

	/* Inline for 6, as many event counters as many CPUs have. */
	if (count == 6 && hwpmc_user_in_order(reader->page, 6, values))
		return 0;
	return hwpmc_user_self_slow(reader, 0, count, values);
}

/**
 * hwpmc_user_self_one() - the present count of the calling thread, of one PMC
 * @reader: as for hwpmc_user_self()
 * @index: of the PMC, in the list that was mapped; 0 is the fastest
 * @value: out: in events
 *
 * Return: as hwpmc_user_self().
 */
static inline __attribute__((__always_inline__)) int
hwpmc_user_self_one(const struct hwpmc_user_reader *reader, unsigned int index, __u64 *value)
{
	if (!index && hwpmc_user_in_order(reader->page, 1, value))
		return 0;
	return hwpmc_user_self_slow(reader, index, 1, value);
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
