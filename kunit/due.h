/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What suites hwpmc_due and hwpmc_throttle share: one sampling link, on a counter whose events
 * the test sets. Called in KUnit's thread; due_run() runs the core with interrupts off, as
 * a switch and an interrupt do.
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
 * struct due_case - a sampling link, and what it logged
 * @pmc: PMC of @link; holds no row
 * @thread: a thread that is not monitored; its context is that of @link
 * @link: the link
 * @samples: SAMPLE records read
 * @late: SAMPLE records among them with HWPMC_SAMPLE_LATE, which no interrupt took
 * @throttles: THROTTLE records read
 * @represented: sum of the periods in SAMPLE records
 * @last: period in the last SAMPLE record
 * @logged: period in the last THROTTLE record
 */
struct due_case {
	struct hwpmc_pmc pmc;
	struct hwpmc_thread thread;
	struct hwpmc_link link;
	unsigned int samples;
	unsigned int late;
	unsigned int throttles;
	u64 represented;
	u64 last;
	u64 logged;
};

/* The slot's sum at which the counter was last set to overflow. */
extern u64 due_overflow_at;
/* Whether the window of due_run() has spent all its time. */
extern bool due_over;
/*
 * The counter overflows again before a round of hwpmc_defer_run() ends if it is set to fewer events
 * than this.
 */
extern u64 due_round_events;
/* How often the counter was set. */
extern unsigned int due_aims;
/* The round of hwpmc_defer_run() in which due_run() runs; 0: the first, or none */
extern unsigned int due_round;

/* Makes a link of a PMC with HWPMC_F_* @flags and @count, its period or its frequency in Hz. */
struct due_case *due_begin(struct kunit *test, u32 flags, u64 count);
/* exit of the suites */
void due_exit(struct kunit *test);

/* What happens to the context: scheduled in, overflow interrupt, flush, scheduled out. */
enum due_event { DUE_SCHED_IN, DUE_OVERFLOW, DUE_FLUSH, DUE_SCHED_OUT };

/*
 * Counts @counted events, then runs @what in a new throttling window in which the link has
 * already taken @taken samples. A new window keeps a slow host from throttling.
 */
void due_run(struct due_case *it, enum due_event what, u64 counted, unsigned int taken);

/* Reads the records that were logged, and counts them in @it; due_run() calls it. */
void due_read(struct due_case *it);

/*
 * Begin a window of this CPU, of which @limit ticks may be spent. It does not end before
 * due_end_window(), however slow the host is: windows last 1000 times as long until then.
 * Interrupts off.
 */
void due_begin_window(u64 limit);
void due_end_window(void);

#endif /* HWPMC_KUNIT_DUE_H */
