/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_RINGS_H
#define PMCTL_RINGS_H

#include <hwpmc_ring.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct rings - the rings of all CPUs
 * @made: the result of HWPMC_IOC_RING
 * @ring: one for each CPU number; not mapped where there is no such CPU
 * @count: number of entries in @ring
 */
struct rings {
	struct hwpmc_ring made;
	struct hwpmc_ring_reader *ring;
	unsigned int count;
};

/* Handles a record, which is valid only during the call. */
typedef void (*rings_take)(const struct hwpmc_log_header *record, void *context);

/*
 * Creates and maps the rings, each with room for @kb KiB. With 0 they have the module's default
 * size, or a larger size for some samples of @sample bytes if the user's limit allows it. 0, or -1
 * after a message on standard error.
 */
int rings_open(struct rings *rings, int fd, long kb, size_t sample);

/*
 * Calls @take for all records in the rings. 0, or -1 after a message on standard error if a
 * ring is corrupt.
 */
int rings_drain(struct rings *rings, rings_take take, void *context);

void rings_close(struct rings *rings);

#endif
