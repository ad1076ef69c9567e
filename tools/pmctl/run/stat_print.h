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
 * @seconds: -I: when, since the start; negative without
 * @scope: where, NULL label for everything
 * @event: what
 * @grant: whether there is a number
 * @value: the number
 * @variance: -r: standard deviation of the mean in percent; negative without
 * @running: nanoseconds it was counted
 * @enabled: nanoseconds it was to be counted
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
 * struct stat_ending - what stands below the results
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
 * struct stat_printer_ops - a way to show results
 * @begin: before the first row; may be NULL
 * @row: one line
 * @end: after the last row; may be NULL
 */
struct stat_printer_ops {
	void (*begin)(const struct stat_printer *printer);
	void (*row)(const struct stat_printer *printer, const struct stat_row *row);
	void (*end)(const struct stat_printer *printer, const struct stat_ending *ending);
};

/**
 * struct stat_printer - where results go, and how
 * @ops: how
 * @out: where
 * @separator: CSV: between fields
 * @title: text: "'make -j2'", "process id '812'"
 * @runs: text: how often it ran
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

/* "<not supported>" and such, or the number. @buf: NUMBER_MAX. */
const char *stat_print_value(const struct stat_row *row, bool grouped, char *buf);
double stat_print_percent_running(const struct stat_row *row);

#endif
