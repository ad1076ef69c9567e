/* SPDX-License-Identifier: GPL-2.0-only */
/* PMCs that count the calling thread, their page, and reads of their counters in user mode. */
#ifndef HWPMC_TEST_OWN_H
#define HWPMC_TEST_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include <hwpmc_user.h>

#define OWN_MOST	6
#ifdef __aarch64__
#define OWN_READS	true	/* threads can read their counters in user mode */
#else
#define OWN_READS	false
#endif
#define OWN_CYCLES	32	/* hwpmc_user_count.index of arm64's cycle counter */

/**
 * struct own - PMCs of the calling thread, and their page
 * @fd: the device
 * @ids: PMCs that count the thread's instructions in user mode
 * @count: the number of PMCs
 * @reader: reader of the page
 */
struct own {
	int fd;
	uint32_t ids[OWN_MOST];
	unsigned int count;
	struct hwpmc_user_reader reader;
};

/* These exit with a failed case on error. */
void own_open_as(struct own *own, int fd, unsigned int count, uint32_t flags);
void own_start(struct own *own);
void own_open(struct own *own, int fd, unsigned int count);	/* with DIRECT, started */
void own_close(struct own *own);

static inline uint32_t own_index(const struct own *own, unsigned int entry)
{
	return __atomic_load_n(&own->reader.page->counts[entry].index, __ATOMIC_RELAXED);
}

/* The page's number, which the kernel changes when it writes the page, as at each switch */
static inline __u32 own_seq(const struct own *own)
{
	return __atomic_load_n(&own->reader.page->seq, __ATOMIC_RELAXED);
}

/*
 * Reads a counter, whether or not this thread may. @index: that of struct hwpmc_user_count on
 * arm64, ECX of RDPMC on x86. Returns false if the read gets a signal.
 */
bool own_raw(uint32_t index, uint64_t *value);
/* Whether reads get the signal: of two counters on arm64, with every index on x86. */
bool own_raw_faults(void);

/* The most events of a thread in user mode from its switch-in to a read of all counters */
#define OWN_SHORT	20000
/*
 * Whether all counters of this CPU, of @rows rows, contain only what this thread executed since it
 * was scheduled in. Raises *@worst to the most events that one of them contains.
 */
bool own_clean(unsigned int rows, uint64_t *worst);

#endif /* HWPMC_TEST_OWN_H */
