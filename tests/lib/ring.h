/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that map rings, and check every record that they read. */
#ifndef HWPMC_TEST_RING_H
#define HWPMC_TEST_RING_H

#include <linux/hwpmc_log.h>

#include "test.h"

/* The period with which a PMC was allocated. */
struct ring_period {
	uint32_t id;
	uint64_t count;
};

struct ring_map {
	int fd;
	struct hwpmc_ring made;
	struct ring_one {
		struct hwpmc_ring_tail *tail;
		struct hwpmc_ring_header *header;
		const char *data;
		uint64_t head;
	} *cpus;		/* indexed by CPU; NULL if the CPU is not possible */
	struct ring_period *periods;	/* from ALLOCATE records */
	unsigned int period_count;
};

/* Creates rings of @size bytes each (0: the default). Returns 0 or -errno. */
int dev_rings(int fd, uint64_t size);
/* Creates such rings and maps them; exits with a failed case on error. */
void ring_open(struct ring_map *map, int fd, uint64_t size);
/* Maps existing rings, for example in another process. @map: zeroed */
void ring_map_again(struct ring_map *map, int fd, const struct hwpmc_ring *made);
void ring_close(struct ring_map *map);
/*
 * Sets the period with which PMC @id was allocated, if another reader has read its ALLOCATE record.
 */
void ring_set_period(struct ring_map *map, uint32_t id, uint64_t period);

/*
 * Calls @fn for every record in the rings except PADs, and advances the tails. SAMPLE records have
 * all their fields, including those that the module left out. Returns the number of records. An
 * invalid record is a failed case.
 */
unsigned long ring_drain(struct ring_map *map,
			 void (*fn)(const struct hwpmc_log_header *record, void *arg), void *arg);

/* The records of one PMC. */
struct ring_tally {
	uint32_t id;
	unsigned long samples;
	uint64_t events;	/* represented by the samples */
	unsigned long drops;	/* DROP records of the PMC */
	uint64_t lost;		/* sum of their losses */
	uint64_t lost_events;	/* represented by the lost samples */
	uint64_t lost_throttled;	/* part of @lost: samples due while the PMC was throttled */
	uint64_t lost_others;	/* sum of DROP records without a PMC */
	unsigned long throttled;	/* THROTTLE records: throttling begins */
	unsigned long unthrottled;	/* THROTTLE records: throttling ends */
	unsigned long late;	/* samples taken at a switch */
	unsigned long out_of_order;	/* times that decrease on a CPU, or within a DROP record */
	uint64_t last[64];
};

/* Whether the sample was taken at a stop or a switch-out of a throttled PMC, without stacks. */
bool ring_was_throttled(const struct hwpmc_log_sample *sample);

/* For ring_drain(): adds to a struct ring_tally. */
void ring_count(const struct hwpmc_log_header *record, void *tally);

/* Allocates a sampling PMC. @cpu -1: virtual */
uint32_t dev_sampler(int fd, int cpu, uint64_t event, uint64_t period, uint64_t caps,
		     uint32_t flags);
struct hwpmc_sampled dev_sampled(int fd, uint32_t id, int cpu);
int dev_flush(int fd);
/* HWPMC_IOC_LOG_OPEN, LOG_FLUSH or LOG_CLOSE; @to: descriptor of the log, or 0 */
int dev_log(int fd, unsigned long cmd, int to);
int dev_log_write(int fd, uint32_t cookie, const char *text);

#endif /* HWPMC_TEST_RING_H */
