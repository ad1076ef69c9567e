/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites of samples share: one link of a counter that counts what the test
 * tells it to.
 */
#ifndef HWPMC_KUNIT_DUE_H
#define HWPMC_KUNIT_DUE_H

#include <kunit/test.h>
#include <linux/types.h>

#include "../kmod/pmc/context.h"
#include "../kmod/pmc/link.h"
#include "../kmod/pmc/pmc.h"

#define DUE_PERIOD	2000ULL

/**
 * struct due_case - the link, and all around it
 * @pmc: whose
 * @ctx: where
 * @link: itself
 * @samples: that were read
 * @late: of these, not from an interrupt
 * @throttles: records of that kind
 * @last: the last sample's period
 * @logged: the last throttling's period
 */
struct due_case {
	struct hwpmc_pmc pmc;
	struct hwpmc_context ctx;
	struct hwpmc_link link;
	unsigned int samples;
	unsigned int late;
	unsigned int throttles;
	u64 last;
	u64 logged;
};

/* Where the counter was aimed at. */
extern u64 due_aimed;

/* @flags and @count: of the PMC. */
struct due_case *due_begin(struct kunit *test, u32 flags, u64 count);
/* The suites' exit */
void due_exit(struct kunit *test);

/* What happens to a context on its CPU. */
enum due_event { DUE_COME, DUE_OVERFLOW, DUE_SETTLE, DUE_LEAVE };

/*
 * It happens after so many events were @counted, in a window that has @taken so many
 * samples, all of them the link's; a slow host does not throttle.
 */
void due_happens(struct due_case *it, enum due_event what, u64 counted, unsigned int taken);

/* Count the records that there are; due_happens() does. */
void due_read(struct due_case *it);

#endif /* HWPMC_KUNIT_DUE_H */
