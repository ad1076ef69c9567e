/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two sides of the ring's stress agree on. */
#ifndef HWPMC_TEST_RING_STRESS_H
#define HWPMC_TEST_RING_STRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/hwpmc_log.h>

/* A task, what interrupts it, and what interrupts that. */
#define LEVELS		3

/* As large as ten records or so: it is full, and wraps, all the time. */
#define RING_SIZE	1024
#define WORDS_MAX	20

/* In a ring: a record with a number of its own, and a sum over all of it. */
struct numbered {
	struct hwpmc_log_header h;	/* .id: level; .time: number */
	uint64_t sum;
	uint64_t words[];
};

static inline uint64_t numbered_word(unsigned int level, uint64_t number, unsigned int i)
{
	return (number * LEVELS + level) * 0x9e3779b97f4a7c15ULL + i;
}

/* What each side tells the other besides, so that nobody waits for ever. Atomic. */
struct run_state {
	uint64_t lost;	/* records */
	uint64_t looks;	/* at head */
	bool waiting;	/* the writer, for the reader */
	bool done;	/* the writer */
	bool left;	/* the reader */
};

/* What the reader found. */
struct found {
	uint64_t read[LEVELS];
	uint64_t last[LEVELS];	/* number of the last record */
	uint64_t skipped[LEVELS];	/* numbers that did not come */
	uint64_t wrong;
};

/* Read a ring until nothing more comes; now and then only when some was lost. */
void read_all(struct hwpmc_ring_tail *tail, const struct hwpmc_ring_header *header,
	      const void *data, struct run_state *state, struct found *found);

#endif /* HWPMC_TEST_RING_STRESS_H */
