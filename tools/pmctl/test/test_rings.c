// SPDX-License-Identifier: GPL-2.0-only
/* A producer and a reader in two threads: each record is read once or counted as lost. */
#include <hwpmc_ring.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

#include "check.h"
#include "fake_rings.h"

#define RECORDS	2000000

static struct hwpmc_ring made = { .size = sizeof(made) };
static uint64_t lost;
static int done;

/* Varying lengths, so that records wrap around at all offsets. */
static uint32_t length_of(uint64_t number)
{
	return (uint32_t)(24 + 8 + 8 * (number * 7 % 100));
}

static void fill(uint64_t *words, uint64_t number)
{
	struct hwpmc_log_header *header = (void *)words;

	header->type = HWPMC_LOG_USER;
	header->length = length_of(number);
	header->time = number;
	for (uint32_t i = 3; i < header->length / 8; i++)
		words[i] = number * 1000 + i;
}

static void *produce(void *unused)
{
	static uint64_t words[128];

	(void)unused;
	for (uint64_t number = 0; number < RECORDS; number++) {
		fill(words, number);
		/* The reader is slower than the producer at times. */
		for (int tries = number % 16 ? 1000 : 1; fake_rings_put(0, (void *)words); ) {
			if (!--tries) {
				lost++;
				break;
			}
			sched_yield();
		}
	}
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	return NULL;
}

static int right(const struct hwpmc_log_header *record)
{
	const uint64_t *words = (const void *)record;

	if (record->length != length_of(record->time))
		return 0;
	for (uint32_t i = 3; i < record->length / 8; i++)
		if (words[i] != record->time * 1000 + i)
			return 0;
	return 1;
}

static void both(void)
{
	const struct hwpmc_log_header *record;
	struct hwpmc_ring_reader ring;
	uint64_t count = 0, wrong = 0, next = 0;
	pthread_t producer;
	int last;

	check(!hwpmc_ring_map(&ring, fake_rings_memory(), &made, 0), "a ring is mapped");
	pthread_create(&producer, NULL, produce, NULL);
	do {
		last = __atomic_load_n(&done, __ATOMIC_ACQUIRE);
		hwpmc_ring_begin(&ring);
		for (; (record = hwpmc_ring_next(&ring)); count++) {
			wrong += !right(record) || record->time < next;
			next = record->time + 1;
		}
		hwpmc_ring_end(&ring);
	} while (!last);
	pthread_join(producer, NULL);
	check(!wrong && !ring.broken, "every record is whole and in its order");
	check(count + lost == RECORDS && count, "read and lost are all there were");
	check(ring.header->records == count, "as the ring says");
	hwpmc_ring_unmap(&ring);
}

/* Corrupt rings. */
static void broken(void)
{
	struct hwpmc_ring_reader ring;
	unsigned char *memory = mmap(NULL, made.stride * 2, PROT_READ | PROT_WRITE, MAP_SHARED,
				     fake_rings_memory(), 0);
	struct hwpmc_ring_header *header = (void *)(memory + made.stride + made.header_offset);
	struct hwpmc_log_header *record = (void *)(memory + made.stride + made.data_offset);

	hwpmc_ring_map(&ring, fake_rings_memory(), &made, 1);
	header->head = 64;
	record->type = HWPMC_LOG_CLOSE;
	record->length = 0;
	hwpmc_ring_begin(&ring);
	check(!hwpmc_ring_next(&ring) && ring.broken, "a record without length ends it");
	record->length = 64;
	check(!hwpmc_ring_begin(&ring) && !hwpmc_ring_next(&ring), "and that for good");
	ring.broken = 0;
	hwpmc_ring_begin(&ring);
	record->length = 4;
	check(!hwpmc_ring_next(&ring) && ring.broken, "so does one that is too short");
	ring.broken = 0;
	hwpmc_ring_begin(&ring);
	record->length = 72;
	check(!hwpmc_ring_next(&ring) && ring.broken, "so does one beyond the head");
	ring.broken = 0;
	header->head = made.data_size + 8;
	check(!hwpmc_ring_begin(&ring) && ring.broken, "and more than the ring can hold");
	hwpmc_ring_unmap(&ring);
	munmap(memory, made.stride * 2);
}

int main(void)
{
	check(!fake_rings_make(&made), "rings are made");
	both();
	broken();
	check(hwpmc_ring_map(&(struct hwpmc_ring_reader){ 0 }, -1, &made, 0) && errno == EBADF,
	      "no device, no ring");
	return check_result();
}
