// SPDX-License-Identifier: GPL-2.0-only
/*
 * "stress RECORDS": stress test of the ring's protocol: the unchanged kmod/log/ring.c writes, and
 * another thread reads. Every record is read completely and once, or its writer got an error.
 *
 * Between steps of the protocol the writer sometimes waits until the reader has looked at the ring.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring.h"
#include "stress.h"

static struct hwpmc_producer ring;
static struct hwpmc_ring_header header;
static struct hwpmc_ring_tail tail;
static uint64_t data[RING_SIZE / sizeof(uint64_t)];

static struct run_state state;
static struct found found;
static uint64_t made, lost, unpublished;

static _Thread_local bool producing;
static uint64_t random_state = 1;

static uint64_t random_number(void)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return random_state >> 33;
}

/*
 * Waits until the reader has read head twice. If an error in the protocol publishes a record too
 * early, the reader reads it during this wait.
 */
static void let_reader_look(void)
{
	uint64_t looks = __atomic_load_n(&state.looks, __ATOMIC_RELAXED);

	__atomic_store_n(&state.waiting, true, __ATOMIC_RELAXED);
	while (__atomic_load_n(&state.looks, __ATOMIC_RELAXED) - looks < 2 &&
	       !__atomic_load_n(&state.left, __ATOMIC_RELAXED))
		sched_yield();
	__atomic_store_n(&state.waiting, false, __ATOMIC_RELAXED);
}

void protocol_step(void)
{
	if (producing && !(random_number() % 509))
		let_reader_look();
}

static void fill(struct numbered *it, unsigned int words, uint64_t number)
{
	unsigned int i;

	it->h = (struct hwpmc_log_header) {
		.type = HWPMC_LOG_USER, .length = sizeof(*it) + words * sizeof(uint64_t),
		.time = number,
	};
	it->sum = number;
	for (i = 0; i < words; i++) {
		if (!(i % 4))
			protocol_step();
		it->words[i] = numbered_word(number, i);
		it->sum += it->words[i];
	}
}

static bool write_one(void)
{
	unsigned int words = random_number() % (WORDS_MAX + 1);
	uint64_t number = ++made;
	struct numbered *to;

	to = hwpmc_ring_reserve_nmi(&ring, sizeof(*to) + words * sizeof(uint64_t));
	if (to)
		fill(to, words, number);
	hwpmc_ring_publish_nmi(&ring);
	unpublished += header.head != ring.reserved;
	if (!to) {
		hwpmc_ring_lose_nmi(&ring, 1);
		lost++;
		__atomic_fetch_add(&state.lost, 1, __ATOMIC_RELAXED);
	}
	return to;
}

/* Called when the ring is full; waits for the reader every other time. */
static void wait_for_room(void)
{
	uint64_t before = __atomic_load_n(&tail.tail, __ATOMIC_RELAXED);

	if (lost % 2)
		return;
	__atomic_store_n(&state.waiting, true, __ATOMIC_RELAXED);
	/* The reader may already have read everything. */
	while (__atomic_load_n(&tail.tail, __ATOMIC_RELAXED) == before &&
	       __atomic_load_n(&header.head, __ATOMIC_RELAXED) != before &&
	       !__atomic_load_n(&state.left, __ATOMIC_RELAXED))
		sched_yield();
	__atomic_store_n(&state.waiting, false, __ATOMIC_RELAXED);
}

static void *produce(void *arg)
{
	uint64_t records = *(uint64_t *)arg;

	producing = true;
	while (made < records)
		if (!write_one())
			wait_for_room();
	producing = false;
	__atomic_store_n(&state.done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void *consume(void *arg)
{
	read_all(&tail, &header, data, &state, &found);
	/* Also after an error. */
	__atomic_store_n(&state.left, true, __ATOMIC_RELAXED);
	return arg;
}

static bool verdict(void)
{
	uint64_t at_end = made - found.last;

	printf("# %llu made, %llu read, %llu lost\n", (unsigned long long)made,
	       (unsigned long long)found.read, (unsigned long long)lost);
	printf("# %llu wrong, %llu times not published; the header has %llu records, %llu lost\n",
	       (unsigned long long)found.wrong, (unsigned long long)unpublished,
	       (unsigned long long)header.records, (unsigned long long)header.lost);
	return !found.wrong && !unpublished && found.read && lost && found.read + lost == made &&
	       found.skipped + at_end == lost && header.records == found.read &&
	       header.lost == lost;
}

int main(int argc, char **argv)
{
	uint64_t records = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	pthread_t producer, consumer;

	/* With a faulty protocol the test may never terminate. */
	alarm(300);
	hwpmc_ring_init(&ring, &header, &tail.tail, data, RING_SIZE, 0);
	/* Start values from which the positions soon wrap. */
	tail.tail = -64 * RING_SIZE;
	header.head = tail.tail;
	ring.reserved = tail.tail;
	if (pthread_create(&consumer, NULL, consume, NULL) ||
	    pthread_create(&producer, NULL, produce, &records))
		return 1;
	pthread_join(producer, NULL);
	pthread_join(consumer, NULL);
	return verdict() ? 0 : 1;
}
