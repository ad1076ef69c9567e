/* SPDX-License-Identifier: GPL-2.0-only */
/* Rings as the tests read them: mapped, and checked record by record. */
#ifndef HWPMC_TEST_RING_H
#define HWPMC_TEST_RING_H

#include <linux/hwpmc_log.h>

#include "test.h"

struct ring_map {
	int fd;
	struct hwpmc_ring made;
	struct ring_one {
		struct hwpmc_ring_tail *tail;
		struct hwpmc_ring_header *header;
		const char *data;
	} *cpus;		/* by number; NULLs where no CPU can be */
};

/* Make rings of @size bytes each (0: the usual) and map them; dies if it cannot. */
void ring_open(struct ring_map *map, int fd, uint64_t size);
/* Map rings that are there, in another process say; dies if it cannot. */
void ring_map_again(struct ring_map *map, int fd, const struct hwpmc_ring *made);
void ring_close(struct ring_map *map);

/*
 * Hand every record that is there to @fn and move the tails; PADs are left out.
 * Returns how many. A record that cannot be is a "not ok" line.
 */
unsigned long ring_drain(struct ring_map *map,
			 void (*fn)(const struct hwpmc_log_header *record, void *arg), void *arg);

/* What a drain saw of one PMC. */
struct ring_tally {
	uint32_t id;
	unsigned long samples;
	uint64_t events;	/* that these stand for */
	unsigned long drops;	/* DROP records of the PMC */
	uint64_t lost;		/* that they tell of */
	uint64_t lost_events;
	uint64_t lost_others;	/* told of by DROP records of no PMC */
	unsigned long throttled;
	unsigned long relieved;
	unsigned long late;	/* samples that were noticed at a switch */
	unsigned long out_of_order;	/* on a CPU, by time; or what a DROP record tells of is */
	uint64_t last[64];
};

/* Whether a throttled PMC took it when it stopped or left: such a sample has no stacks. */
bool ring_was_throttled(const struct hwpmc_log_sample *sample);

/* For ring_drain(): adds to a struct ring_tally. */
void ring_count(const struct hwpmc_log_header *record, void *tally);

/* A sampling PMC; dies if refused. @cpu -1: virtual */
uint32_t dev_sampler(int fd, int cpu, uint64_t event, uint64_t period, uint32_t caps,
		     uint32_t flags);
struct hwpmc_sampled dev_sampled(int fd, uint32_t id, int cpu);
int dev_flush(int fd);
/* HWPMC_IOC_LOG_OPEN, LOG_FLUSH or LOG_CLOSE; @to: the descriptor it goes to, else 0 */
int dev_log(int fd, unsigned long cmd, int to);
int dev_log_write(int fd, uint32_t cookie, const char *text);

#endif /* HWPMC_TEST_RING_H */
