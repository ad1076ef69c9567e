// SPDX-License-Identifier: GPL-2.0-only
/* The reader, which uses the header for programs (hwpmc_ring.h). */
#include <sched.h>
#include <stdio.h>

#include <hwpmc_ring.h>

#include "stress.h"

static void look_at(const struct hwpmc_log_header *h, struct found *found)
{
	const struct numbered *it = (const void *)h;
	unsigned int words = (h->length - sizeof(*it)) / sizeof(uint64_t), i;
	uint64_t sum = h->time;

	if (h->type != HWPMC_LOG_USER || words > WORDS_MAX || h->time <= found->last) {
		if (!found->wrong++)
			printf("# type %u of %u bytes, number %llu\n", h->type, h->length,
			       (unsigned long long)h->time);
		return;
	}
	found->read++;
	found->skipped += h->time - found->last - 1;
	found->last = h->time;
	for (i = 0; i < words; i++)
		sum += it->words[i];
	if (sum != it->sum && !found->wrong++)
		printf("# record %llu is torn\n", (unsigned long long)h->time);
}

/* Makes the reader slow: waits until a record is lost. */
static void wait_for_loss(const struct run_state *state)
{
	uint64_t lost = __atomic_load_n(&state->lost, __ATOMIC_RELAXED);

	while (__atomic_load_n(&state->lost, __ATOMIC_RELAXED) == lost &&
	       !__atomic_load_n(&state->waiting, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&state->done, __ATOMIC_ACQUIRE))
		sched_yield();
}

void read_all(struct hwpmc_ring_tail *tail, const struct hwpmc_ring_header *header,
	      const void *data, struct run_state *state, struct found *found)
{
	struct hwpmc_ring_reader ring = {
		.shared = tail, .header = header, .data = data, .data_size = RING_SIZE,
		.tail = tail->tail, .head = tail->tail,
	};
	const struct hwpmc_log_header *record;
	unsigned int turn, taken;
	bool done;

	for (turn = 0;; turn++) {
		/* Read before head, so that everything written before it is visible. */
		done = __atomic_load_n(&state->done, __ATOMIC_ACQUIRE);
		__atomic_fetch_add(&state->looks, 1, __ATOMIC_RELAXED);
		if (!hwpmc_ring_begin(&ring)) {
			if (done || ring.broken)
				break;
			sched_yield();
			continue;
		}
		/* Consumes at most one to seven records, so that some are often left. */
		for (taken = 0; taken < 1 + turn % 7 && (record = hwpmc_ring_next(&ring)); taken++)
			look_at(record, found);
		hwpmc_ring_end(&ring);
		if (turn % 16 == 15)
			wait_for_loss(state);
	}
	found->wrong += ring.broken;
}
