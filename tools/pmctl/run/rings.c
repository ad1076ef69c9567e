// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/device.h"
#include "base/error.h"
#include "base/memory.h"
#include "run/rings.h"

/*
 * A ring has room for this many large samples. Half of them are taken between the wake-up of pmctl
 * and its read of the other half: 64 ms of one CPU at the default of 1,000 samples a second.
 */
#define SAMPLES	128

/* After this many bytes the tail is moved, not only at the end of a pass. */
#define STEP	(64 * 1024)

static int map_all(struct rings *rings, int fd)
{
	unsigned int mapped = 0;

	for (unsigned int cpu = 0; cpu < rings->count; cpu++) {
		if (!hwpmc_ring_map(&rings->ring[cpu], fd, &rings->made, cpu)) {
			mapped++;
			continue;
		}
		/* CPU numbers may have gaps: there is no ring for them. */
		if (errno == EINVAL && (mapped || cpu + 1 < rings->count))
			continue;
		error("cannot map the ring of CPU %u: %s", cpu, strerror(errno));
		rings_close(rings);
		return -1;
	}
	return 0;
}

/* Rounds up to a power of two, as the module requires. */
static uint64_t data_size(long kb)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);

	while (size < (uint64_t)kb * 1024)
		size *= 2;
	return size;
}

/* Returns the module's default, in bytes; 0: unknown. */
static uint64_t default_size(void)
{
	FILE *file = fopen("/sys/module/hwpmc/parameters/ring_kb", "re");
	long kb = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%ld", &kb) != 1)
		kb = 0;
	fclose(file);
	return kb > 0 ? data_size(kb) : 0;
}

/* Creates rings of a size, or of the largest smaller size that the user's limit allows. */
static int create(struct rings *rings, int fd, uint64_t size)
{
	uint64_t least = (uint64_t)sysconf(_SC_PAGESIZE);

	for (;;) {
		rings->made = (struct hwpmc_ring){ .size = sizeof(rings->made), .data_size = size };
		if (!device_call(fd, HWPMC_IOC_RING, &rings->made))
			return 0;
		if (errno != EPERM || size <= least)
			return -1;
		size /= 2;
	}
}

static void note_smaller(const struct rings *rings, uint64_t wanted)
{
	if (rings->made.data_size < wanted)
		note("rings of %llu KiB instead of %llu KiB, because of your memory limit: "
		     "raise ulimit -l or the module's parameter mlock_kb, or samples may be lost",
		     (unsigned long long)rings->made.data_size / 1024,
		     (unsigned long long)wanted / 1024);
}

/* Returns the size without -m, in bytes; 0: the module's default. */
static uint64_t size_for(size_t sample, uint64_t usual)
{
	uint64_t size = data_size((long)(SAMPLES * sample / 1024));

	return sample && size > usual ? size : 0;
}

int rings_open(struct rings *rings, int fd, long kb, size_t sample)
{
	uint64_t usual = default_size(), size = kb ? data_size(kb) : size_for(sample, usual);
	char why[HWPMC_SENTENCE_MAX];

	memset(rings, 0, sizeof(*rings));
	if (create(rings, fd, size)) {
		device_sentence(errno, why, sizeof(why));
		error("cannot create the rings: %s", why);
		return -1;
	}
	note_smaller(rings, kb ? size : usual);
	rings->count = rings->made.rings;
	rings->ring = xcalloc(rings->count, sizeof(*rings->ring));
	return map_all(rings, fd);
}

static void drain(struct hwpmc_ring_reader *ring, rings_take take, void *context)
{
	const struct hwpmc_log_header *record;
	uint64_t given = ring->tail;

	/* Reads only what is in the ring now, so that other rings are not delayed. */
	hwpmc_ring_begin(ring);
	while ((record = hwpmc_ring_next(ring))) {
		take(record, context);
		if (ring->tail - given < STEP)
			continue;
		hwpmc_ring_end(ring);
		given = ring->tail;
	}
	hwpmc_ring_end(ring);
}

int rings_drain(struct rings *rings, rings_take take, void *context)
{
	for (unsigned int cpu = 0; cpu < rings->count; cpu++) {
		struct hwpmc_ring_reader *ring = &rings->ring[cpu];

		if (!ring->data)
			continue;
		drain(ring, take, context);
		if (!ring->broken)
			continue;
		error("the ring of CPU %u is corrupt: head %llu, tail %llu", cpu,
		      (unsigned long long)ring->head, (unsigned long long)ring->tail);
		return -1;
	}
	return 0;
}

void rings_close(struct rings *rings)
{
	for (unsigned int cpu = 0; cpu < rings->count; cpu++)
		hwpmc_ring_unmap(&rings->ring[cpu]);
	free(rings->ring);
	memset(rings, 0, sizeof(*rings));
}
