/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the writer and the reader of the ring's stress test. */
#ifndef HWPMC_TEST_RING_STRESS_H
#define HWPMC_TEST_RING_STRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/hwpmc_log.h>

/* Bytes: room for about ten records, so that the ring is often full and wraps often. */
#define RING_SIZE	1024
#define WORDS_MAX	20

/* A record with its own number, and a checksum. */
struct numbered {
	struct hwpmc_log_header h;	/* .time: number */
	uint64_t sum;
	uint64_t words[];
};

static inline uint64_t numbered_word(uint64_t number, unsigned int i)
{
	return number * 0x9e3779b97f4a7c15ULL + i;
}

/* State that both sides share, so that neither waits forever. Accessed atomically. */
struct run_state {
	uint64_t lost;	/* number of records */
	uint64_t looks;	/* how often the reader has read head */
	bool waiting;	/* the writer waits for the reader */
	bool done;	/* the writer has finished */
	bool left;	/* the reader has finished */
};

/* The reader's results. */
struct found {
	uint64_t read;
	uint64_t last;		/* number of the last record */
	uint64_t skipped;	/* numbers that were not read */
	uint64_t wrong;
};

/* Reads a ring until the writer has finished. At times it waits until records were lost. */
void read_all(struct hwpmc_ring_tail *tail, const struct hwpmc_ring_header *header,
	      const void *data, struct run_state *state, struct found *found);

#endif /* HWPMC_TEST_RING_STRESS_H */
