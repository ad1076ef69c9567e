/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_RINGS_H
#define PMCTL_RINGS_H

#include <hwpmc_ring.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct rings - the rings of all CPUs
 * @made: what HWPMC_IOC_RING answered
 * @ring: one for each CPU number; not mapped where there is no such CPU
 * @count: how many
 */
struct rings {
	struct hwpmc_ring made;
	struct hwpmc_ring_reader *ring;
	unsigned int count;
};

/* What becomes of a record; it is valid during the call only. */
typedef void (*rings_take)(const struct hwpmc_log_header *record, void *context);

/*
 * Makes them, each with room for so many @kb (0: the module chooses), and maps them. 0, or -1
 * after a sentence on standard error.
 */
int rings_open(struct rings *rings, int fd, long kb);

/*
 * Hands out all that is in the rings now. 0, or -1 after a sentence on standard
 * error: a ring is broken.
 */
int rings_drain(struct rings *rings, rings_take take, void *context);

void rings_close(struct rings *rings);

#endif
