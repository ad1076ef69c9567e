/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_STAT_PRINT_H
#define PMCTL_STAT_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/spread.h"
#include "run/aggregate.h"
#include "run/metric.h"

/**
 * struct stat_row - one line of results
 * @seconds: -I: time since the start; negative without
 * @scope: what the value is summed over
 * @event: what was counted
 * @grant: whether @value is valid
 * @value: the count
 * @variance: -r: standard error of the mean in percent; negative without
 * @running: nanoseconds it was counted
 * @enabled: nanoseconds it was enabled
 * @metric: derived from it
 */
struct stat_row {
	double seconds;
	const struct scope *scope;
	const struct event *event;
	enum grant grant;
	uint64_t value;
	double variance;
	uint64_t running;
	uint64_t enabled;
	struct metric metric;
};

/**
 * struct stat_ending - the lines below the results
 * @elapsed: seconds from start to stop, of each run
 * @has_usage: the next two are valid
 * @user: seconds
 * @sys: seconds
 */
struct stat_ending {
	struct spread elapsed;
	bool has_usage;
	double user;
	double sys;
};

struct stat_printer;

/**
 * struct stat_printer_ops - a format of results
 * @begin: before the first row; may be NULL
 * @row: prints one line
 * @end: after the last row; may be NULL
 */
struct stat_printer_ops {
	void (*begin)(const struct stat_printer *printer);
	void (*row)(const struct stat_printer *printer, const struct stat_row *row);
	void (*end)(const struct stat_printer *printer, const struct stat_ending *ending);
};

/**
 * struct stat_printer - the output of results
 * @ops: the format
 * @out: the file
 * @separator: CSV: the separator of fields
 * @title: text: "'make -j2'", "process id '812'"
 * @runs: text: number of runs
 * @intervals: rows start with the time
 */
struct stat_printer {
	const struct stat_printer_ops *ops;
	FILE *out;
	const char *separator;
	char *title;
	long runs;
	bool intervals;
};

extern const struct stat_printer_ops stat_print_text, stat_print_csv, stat_print_json;

/* The unit of an event's value: "msec", or "" of a count. */
const char *stat_print_unit(const struct event *event);
/*
 * Writes @value, as the module counts it, in that unit. @decimals: of values with a unit, 6 or
 * less; @grouped: with commas. @buf has NUMBER_MAX bytes.
 */
const char *stat_print_number(const struct event *event, uint64_t value, bool grouped, int decimals,
			      char *buf);
/* The same for a row's value; writes "<not supported>" or "<not counted>" if there is none. */
const char *stat_print_value(const struct stat_row *row, bool grouped, int decimals, char *buf);
/* Percentage of time counted; 100 for an event that was never enabled, as in perf. */
double stat_print_percent_running(const struct stat_row *row);
/* The event's name with its modifiers, "cycles:u", in @buf of STAT_NAME_MAX bytes. */
#define STAT_NAME_MAX	256
const char *stat_print_name(const struct event *event, char *buf);

#endif
