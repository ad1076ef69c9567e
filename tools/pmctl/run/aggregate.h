/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_AGGREGATE_H
#define PMCTL_AGGREGATE_H

#include "base/spread.h"
#include "run/session.h"

/**
 * struct aggregate_cell - one event in one place
 * @value: events, of this run or interval
 * @enabled: nanoseconds it was to count; 0: it was not counted
 * @running: nanoseconds it did
 * @spread: of @value over all runs
 * @all_enabled: @enabled of all runs that are over
 * @all_running: likewise
 * @last: @value, @enabled and @running, as they were read last
 */
struct aggregate_cell {
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

enum scope_kind {
	SCOPE_ALL,	/* the sum of everything */
	SCOPE_CPU,
	SCOPE_THREAD,
};

/**
 * struct scope - one line of results for each event
 * @kind: what it is
 * @number: CPU or thread id; SCOPE_THREAD 0: those that have exited
 * @label: "CPU0", "make-812"
 * @cells: one for each event
 * @seen: it was in the last reading
 */
struct scope {
	enum scope_kind kind;
	int number;
	char *label;
	struct aggregate_cell *cells;
	bool seen;
};

/**
 * struct aggregate - results
 * @event_count: columns
 * @scopes: lines; their order is that of their appearance
 * @scope_count: how many
 */
struct aggregate {
	unsigned int event_count;
	struct scope *scopes;
	unsigned int scope_count;
};

enum aggregate_by { TALLY_SUM, TALLY_CPUS, TALLY_THREADS };

/* Reads all counters; what came since the last reading is each cell's value. */
int aggregate_take(struct aggregate *aggregate, struct session *session, enum aggregate_by by);
/* A run is over: its values go to the spreads, the next one starts at 0. */
void aggregate_run(struct aggregate *aggregate);
void aggregate_free(struct aggregate *aggregate);

#endif
