/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_AGGREGATE_H
#define PMCTL_AGGREGATE_H

#include "base/spread.h"
#include "run/session.h"

/**
 * struct cell - one event in one place
 * @value: events, of this run or interval
 * @enabled: nanoseconds it was to count; 0: it was not counted
 * @running: nanoseconds it did
 * @spread: of @value over all runs
 * @all_enabled: @enabled of all runs that are over
 * @all_running: likewise
 * @last: @value, @enabled and @running, as they were read last
 */
struct cell {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
	struct spread spread;
	uint64_t all_enabled;
	uint64_t all_running;
	struct {
		uint64_t value;
		uint64_t enabled;
		uint64_t running;
	} last;
};

enum place_kind {
	PLACE_ALL,	/* the sum of everything */
	PLACE_CPU,
	PLACE_THREAD,
};

/**
 * struct place - one line of results for each event
 * @kind: what it is
 * @number: CPU or thread id; PLACE_THREAD 0: those that have exited
 * @label: "CPU0", "make-812"
 * @cells: one for each event
 * @seen: it was in the last reading
 */
struct place {
	enum place_kind kind;
	int number;
	char *label;
	struct cell *cells;
	bool seen;
};

/**
 * struct tally - results
 * @event_count: columns
 * @places: lines; their order is that of their appearance
 * @place_count: how many
 */
struct tally {
	unsigned int event_count;
	struct place *places;
	unsigned int place_count;
};

enum tally_by { TALLY_SUM, TALLY_CPUS, TALLY_THREADS };

/* Reads all counters; what came since the last reading is each cell's value. */
int tally_take(struct tally *tally, struct session *session, enum tally_by by);
/* A run is over: its values go to the spreads, the next one starts at 0. */
void tally_run(struct tally *tally);
void tally_free(struct tally *tally);

#endif
