// SPDX-License-Identifier: GPL-2.0-only
#include <sys/mman.h>

#include <hwpmc_ring.h>

#include "ring.h"

static void *ring_part(const struct ring_map *map, size_t size, int prot, uint64_t offset)
{
	return mmap(NULL, size, prot, MAP_SHARED, map->fd, offset);
}

static bool ring_map_one(struct ring_map *map, unsigned int cpu)
{
	struct ring_one *one = &map->cpus[cpu];
	uint64_t at = cpu * map->made.stride;
	size_t rest = map->made.stride - map->made.header_offset;

	one->tail = ring_part(map, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, at);
	if (one->tail == MAP_FAILED) {
		one->tail = NULL;
		return errno == EINVAL;
	}
	one->header = ring_part(map, rest, PROT_READ, at + map->made.header_offset);
	if (one->header == MAP_FAILED)
		return false;
	one->data = (char *)one->header + map->made.data_offset - map->made.header_offset;
	return true;
}

void ring_map_again(struct ring_map *map, int fd, const struct hwpmc_ring *made)
{
	*map = (struct ring_map){
		.fd = fd, .made = *made, .cpus = calloc(made->rings, sizeof(*map->cpus)),
	};
	for (unsigned int cpu = 0; cpu < map->made.rings; cpu++)
		if (!ring_map_one(map, cpu))
			die("ring of cpu %u: %s", cpu, strerror(errno));
}

int dev_rings(int fd, uint64_t size)
{
	struct hwpmc_ring ring = { .data_size = size };

	return dev_call(fd, HWPMC_IOC_RING, &ring, sizeof(ring));
}

void ring_open(struct ring_map *map, int fd, uint64_t size)
{
	memset(map, 0, sizeof(*map));
	map->fd = fd;
	map->made.data_size = size;
	if (dev_call(fd, HWPMC_IOC_RING, &map->made, sizeof(map->made)))
		die("rings: %s", dev_sentence(fd));
	ring_map_again(map, fd, &map->made);
}

void ring_close(struct ring_map *map)
{
	for (unsigned int cpu = 0; cpu < map->made.rings; cpu++) {
		if (!map->cpus[cpu].tail)
			continue;
		munmap(map->cpus[cpu].tail, sysconf(_SC_PAGESIZE));
		munmap(map->cpus[cpu].header, map->made.stride - map->made.header_offset);
	}
	free(map->cpus);
	free(map->periods);
}

static bool ring_record_can_be(const struct ring_map *map, const struct hwpmc_log_header *record,
			       uint64_t at, uint64_t head)
{
	uint64_t place = at & (map->made.data_size - 1);

	return record->length >= 8 && record->length % 8 == 0 && record->length <= head - at &&
	       place + record->length <= map->made.data_size;
}

static uint64_t *ring_period(struct ring_map *map, uint32_t id)
{
	for (unsigned int i = 0; i < map->period_count; i++)
		if (map->periods[i].id == id)
			return &map->periods[i].count;
	return NULL;
}

void ring_set_period(struct ring_map *map, uint32_t id, uint64_t period)
{
	uint64_t *count = ring_period(map, id);

	if (!count) {
		map->periods = realloc(map->periods,
				       (map->period_count + 1) * sizeof(*map->periods));
		map->periods[map->period_count].id = id;
		count = &map->periods[map->period_count++].count;
	}
	*count = period;
}

/*
 * Calls @fn for a record, after filling in the fields that a SAMPLE leaves out. If the record has
 * no period and its PMC's ALLOCATE record was not read, the period is set to a value that no test
 * accepts.
 */
static void ring_give(struct ring_map *map, const struct hwpmc_log_header *record,
		      void (*fn)(const struct hwpmc_log_header *record, void *arg), void *arg)
{
	struct hwpmc_log_sample room;
	uint64_t *count;

	if (record->type == HWPMC_LOG_SAMPLE) {
		count = ring_period(map, record->id);
		record = &hwpmc_sample_whole(record, count ? *count : UINT64_MAX, &room)->h;
	}
	fn(record, arg);
}

/* Returns the record at @at; NULL, and a failed case, if its length is invalid. */
static const struct hwpmc_log_header *ring_record(const struct ring_map *map,
						  const struct ring_one *one, uint64_t at,
						  uint64_t head)
{
	const struct hwpmc_log_header *record =
		(const void *)(one->data + (at & (map->made.data_size - 1)));

	if (ring_record_can_be(map, record, at, head))
		return record;
	check(false, "the record at %llu of %u bytes is valid", (unsigned long long)at,
	      record->length);
	return NULL;
}

/* Called for all rings first: the ALLOCATE record of a sample's PMC may be in another ring. */
static void ring_read_periods(struct ring_map *map, struct ring_one *one)
{
	uint64_t head = __atomic_load_n(&one->header->head, __ATOMIC_ACQUIRE);	/* C */
	const struct hwpmc_log_header *record;

	for (uint64_t at = one->tail->tail; at != head; at += record->length) {
		record = ring_record(map, one, at, head);
		if (!record)
			return;
		if (record->type == HWPMC_LOG_ALLOCATE)
			ring_set_period(map, record->id,
					((const struct hwpmc_log_allocate *)record)->count);
	}
}

static unsigned long ring_drain_one(struct ring_map *map, struct ring_one *one,
				    void (*fn)(const struct hwpmc_log_header *record, void *arg),
				    void *arg)
{
	const struct hwpmc_log_header *record;
	uint64_t at = one->tail->tail;
	unsigned long n = 0;

	while (at != one->head && (record = ring_record(map, one, at, one->head))) {
		if (record->type != HWPMC_LOG_PAD) {
			n++;
			ring_give(map, record, fn, arg);
		}
		at += record->length;
	}
	__atomic_store_n(&one->tail->tail, at, __ATOMIC_RELEASE);		/* D */
	return n;
}

unsigned long ring_drain(struct ring_map *map,
			 void (*fn)(const struct hwpmc_log_header *record, void *arg), void *arg)
{
	unsigned long n = 0;

	/* Read all heads first: then the ALLOCATE record of a sample below a head is in a ring. */
	for (unsigned int cpu = 0; cpu < map->made.rings; cpu++)
		if (map->cpus[cpu].tail)
			map->cpus[cpu].head = __atomic_load_n(&map->cpus[cpu].header->head,
							      __ATOMIC_ACQUIRE);	/* C */
	for (unsigned int cpu = 0; cpu < map->made.rings; cpu++)
		if (map->cpus[cpu].tail)
			ring_read_periods(map, &map->cpus[cpu]);
	for (unsigned int cpu = 0; cpu < map->made.rings; cpu++)
		if (map->cpus[cpu].tail)
			n += ring_drain_one(map, &map->cpus[cpu], fn, arg);
	return n;
}

bool ring_was_throttled(const struct hwpmc_log_sample *sample)
{
	return sample->h.flags & HWPMC_SAMPLE_LATE && sample->h.flags & HWPMC_SAMPLE_CUT &&
	       !sample->chain_offset;
}

void ring_count(const struct hwpmc_log_header *record, void *arg)
{
	struct ring_tally *tally = arg;
	const struct hwpmc_log_drop *drop = (const void *)record;

	if (record->cpu < ARRAY_SIZE(tally->last) &&
	    (record->type == HWPMC_LOG_SAMPLE || record->type == HWPMC_LOG_PROBE ||
	     record->type == HWPMC_LOG_DROP)) {
		tally->out_of_order += record->time < tally->last[record->cpu];
		tally->last[record->cpu] = record->time;
	}
	if (record->type == HWPMC_LOG_DROP)
		tally->out_of_order += drop->first > drop->last || drop->last > record->time;
	if (record->type == HWPMC_LOG_DROP && !record->id)
		tally->lost_others += drop->lost;
	if (record->id != tally->id)
		return;
	switch (record->type) {
	case HWPMC_LOG_SAMPLE:
	case HWPMC_LOG_PROBE:
		tally->samples++;
		tally->late += !!(record->flags & HWPMC_SAMPLE_LATE);
		tally->events += ((const struct hwpmc_log_sample *)record)->period;
		break;
	case HWPMC_LOG_DROP:
		tally->drops++;
		tally->lost += drop->lost;
		tally->lost_events += drop->events;
		tally->lost_throttled += drop->throttled;
		break;
	case HWPMC_LOG_THROTTLE:
		if (record->flags & HWPMC_THROTTLE_ON)
			tally->throttled++;
		else
			tally->unthrottled++;
		break;
	}
}

uint32_t dev_sampler(int fd, int cpu, uint64_t event, uint64_t period, uint64_t caps,
		     uint32_t flags)
{
	struct hwpmc_allocate a = {
		.flags = flags, .class_id = dev_class(), .caps = caps, .cpu = cpu,
		.mode = cpu < 0 ? HWPMC_MODE_TS : HWPMC_MODE_SS, .event = event, .count = period,
	};

	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("allocate a sampler: %s", dev_sentence(fd));
	return a.id;
}

struct hwpmc_sampled dev_sampled(int fd, uint32_t id, int cpu)
{
	struct hwpmc_sampled s = { .id = id, .cpu = cpu };

	if (dev_call(fd, HWPMC_IOC_SAMPLED, &s, sizeof(s)))
		die("SAMPLED: %s", dev_sentence(fd));
	return s;
}

int dev_log(int fd, unsigned long cmd, int to)
{
	struct hwpmc_log log = { .fd = to };

	return dev_call(fd, cmd, &log, sizeof(log));
}

int dev_flush(int fd)
{
	return dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0);
}

int dev_log_write(int fd, uint32_t cookie, const char *text)
{
	struct hwpmc_log_write w = {
		.cookie = cookie, .length = strlen(text), .text = (uintptr_t)text,
	};

	return dev_call(fd, HWPMC_IOC_LOG_WRITE, &w, sizeof(w));
}
