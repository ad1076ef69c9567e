/* SPDX-License-Identifier: GPL-2.0-only */
/* PMCs of class PROBE. */
#ifndef HWPMC_TEST_PROBE_H
#define HWPMC_TEST_PROBE_H

#include <stdint.h>

/* Allocate a PMC that counts the probe @name. Returns an id > 0, or -errno. */
int64_t probe_allocate(int fd, const char *name, uint32_t mode, int cpu, uint32_t flags);
/* The same for one that is attached to nothing yet; exits with a failed case on error. */
uint32_t probe_count(int fd, const char *name, uint32_t flags);
/* Events of the PMC's probe that were skipped so far, on all CPUs. */
uint64_t probe_skipped(int fd, uint32_t id);

#endif /* HWPMC_TEST_PROBE_H */
