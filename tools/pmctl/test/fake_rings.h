/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_TEST_FAKE_RINGS_H
#define PMCTL_TEST_FAKE_RINGS_H

#include <stddef.h>
#include <linux/hwpmc.h>
#include <linux/hwpmc_log.h>

/*
 * Two rings in memory with the layout of the module's. The producer follows the module's side of
 * the diagram in linux/hwpmc_log.h.
 */
#define FAKE_RINGS	2

/* HWPMC_IOC_RING. 0, or -1 with errno. */
int fake_rings_make(struct hwpmc_ring *request);
/* A descriptor of their memory, to be mapped at the module's offsets; -1 without rings. */
int fake_rings_memory(void);
/* Writes a record into a ring, or counts it as lost: then it returns -1. */
int fake_rings_put(unsigned int ring, const struct hwpmc_log_header *record);

#endif
