/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CLOCK_H
#define PMCTL_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_MS	1000000LL
#define NS_PER_SECOND	1000000000LL

/* CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

#endif
