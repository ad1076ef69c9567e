/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_AGGREGATE_H
#define PMCTL_AGGREGATE_H

#include <linux/hwpmc_log.h>

#include "base/spread.h"
#include "run/session.h"
#include "run/topology.h"

/**
 * struct aggregate_cell - the values of one event in one scope
 * @value: events, of this run or interval
 * @enabled: nanoseconds the counter was enabled; 0: it was not counted
 * @running: nanoseconds the counter ran
 * @spread: mean and deviation of @value over all runs
 * @all_enabled: sum of @enabled of all finished runs
 * @all_running: sum of @running of all finished runs
 * @exited: SCOPE_THREAD: the count with which it exited
 * @last: @value, @enabled and @running of the last reading
 */
struct aggregate_cell {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
	struct spread spread;
	uint64_t all_enabled;
	uint64_t all_running;
	uint64_t exited;
	struct {
		uint64_t value;
		uint64_t enabled;
		uint64_t running;
	} last;
};

enum scope_kind {
	SCOPE_ALL,	/* the sum of all counters */
	SCOPE_CPU,
	SCOPE_CORE,
	SCOPE_SOCKET,
	SCOPE_NODE,
	SCOPE_THREAD,
};

/**
 * struct scope - what values are added up for: one line of results per event
 * @kind: all, a CPU, a group of CPUs or a thread
 * @number: CPU, group or thread id; SCOPE_THREAD 0: threads that have exited without a record
 * @label: "CPU0", "S0-D0-C1", "make-812"
 * @cpus: of a group, how many CPUs are counted; else 0
 * @cells: one per event
 * @seen: it was part of the last reading
 * @has_exited: it is a thread that has exited
 * @was_shown: it was part of a reading after it had exited
 */
struct scope {
	enum scope_kind kind;
	int number;
	char *label;
	unsigned int cpus;
	struct aggregate_cell *cells;
	bool seen;
	bool has_exited;
	bool was_shown;
};

/**
 * struct aggregate - the values of all events in all scopes
 * @event_count: number of events
 * @scopes: in the order in which they were first read
 * @scope_count: number of scopes
 * @topology: the groups of CPUs, once they were read
 */
struct aggregate {
	unsigned int event_count;
	struct scope *scopes;
	unsigned int scope_count;
	struct topology topology;
};

enum aggregate_by {
	TALLY_SUM,
	TALLY_CPUS,
	TALLY_CORES,
	TALLY_SOCKETS,
	TALLY_NODES,
	TALLY_THREADS,
};

/* Reads all counters; the values are those since the last reading. */
int aggregate_take(struct aggregate *aggregate, struct session *session, enum aggregate_by by);
/*
 * A thread has exited, with that count. Until the end it is shown as a thread, with its name at the
 * last reading, or @comm, which may be NULL.
 */
void aggregate_exit(struct aggregate *aggregate, const struct session *session,
		    const struct hwpmc_log_value *value, const char *comm);
/* Ends a run: adds its values to the spreads; the next run starts at 0. */
void aggregate_run(struct aggregate *aggregate);
void aggregate_free(struct aggregate *aggregate);

#endif
