/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PROBE_PRINT_H
#define PMCTL_PROBE_PRINT_H

#include <stdio.h>

#include "probe/aggregation.h"
#include "probe/fired.h"
#include "probe/stack.h"

/**
 * struct print_ending - the numbers at the end of a run
 * @recorded: events that were read
 * @lost: events that found no room in the rings
 * @throttled: events that were not recorded since their probe was throttled
 * @skipped: events that the module skipped, since it handled another event
 */
struct print_ending {
	uint64_t recorded;
	uint64_t lost;
	uint64_t throttled;
	uint64_t skipped;
};

struct print;

/**
 * struct print_ops - a format of the output
 * @begin: prints what precedes the first event; NULL: nothing
 * @event: prints one event
 * @results: prints the results of all aggregations, for the interval that ends at @seconds;
 *	negative: for the whole run
 * @end: prints what follows all events and results; NULL: nothing
 */
struct print_ops {
	void (*begin)(struct print *print);
	void (*event)(struct print *print, const struct fired *fired);
	void (*results)(struct print *print, double seconds);
	void (*end)(struct print *print, const struct print_ending *ending);
};

/**
 * struct print - the output
 * @ops: the format
 * @out: the file
 * @names: names of stacks and threads
 * @events: all events
 * @event_count: number of events
 * @aggregations: the aggregations to show; none: show each event
 * @aggregation_count: number of them
 * @args: --args
 * @comm: --comm
 * @stacks: -g
 * @top: --top; 0: all keys
 * @start: clock_now() when the events began
 */
struct print {
	const struct print_ops *ops;
	FILE *out;
	struct stack_names *names;
	const struct probe_event *events;
	unsigned int event_count;
	struct aggregation *aggregations;
	unsigned int aggregation_count;
	bool args;
	bool comm;
	bool stacks;
	long top;
	int64_t start;
};

extern const struct print_ops print_text, print_json;

/* Returns the name of the thread of an event; "?" if unknown. */
const char *print_comm(const struct print *print, const struct fired *fired);
/* Returns the number of keys of an aggregation to show. */
uint32_t print_keys(const struct print *print, const struct aggregation *aggregation);

/* Prints as text the keys of an aggregation with their values, or their histograms. */
void print_table(struct print *print, const struct aggregation *aggregation);
void print_histograms(struct print *print, const struct aggregation *aggregation);
/* Prints as text what was left out of an aggregation. */
void print_rest(struct print *print, const struct aggregation *aggregation);

#endif
