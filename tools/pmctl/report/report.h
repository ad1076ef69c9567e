/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_REPORT_H
#define PMCTL_REPORT_H

#include <stdio.h>

#include "base/number.h"
#include "report/table.h"

/* The filters that select samples while the log is read. */
enum report_filter {
	FILTER_COMM, FILTER_PID, FILTER_TID, FILTER_TIME, FILTER_CPU, FILTER_COUNT,
};

/**
 * struct report - a report and its output
 * @profile: the data
 * @options: how to show it
 * @matched: the filters that match any sample, bits of enum report_filter
 * @table: its rows; empty for stacks
 * @out: the output
 * @width: letters in its lines of text; 0: any number
 */
struct report {
	const struct profile *profile;
	const struct report_options *options;
	unsigned int matched;
	struct table table;
	FILE *out;
	int width;
};

/* The formats of a report. */
void report_text(const struct report *report);
void report_csv(const struct report *report);
void report_json(const struct report *report);
void report_folded(const struct report *report);
/* Draws to a file: 0, or -1 after a message. "-" is standard output. */
int report_flamegraph(const struct report *report, const char *path);
/*
 * The same, coloured by the changes since @old. @profile belongs to @report: the names of @old are
 * added to it.
 */
int report_flamegraph_diff(const struct report *report, struct profile *profile,
			   const struct report *old, const char *path);

/* Prints the machine and the command of a log, in lines that begin with #. */
void report_machine(const struct profile *profile, FILE *out);
/* @part of the events, in percent. */
double report_percent(const struct profile_event *event, uint64_t part);
#define REPORT_AMOUNT_MAX	(NUMBER_MAX + 16)

/* A number of events with its unit: "1,234 events", or "1,234.56 ms" of off-CPU time. */
const char *report_amount(const struct profile_event *event, uint64_t events,
			  char buf[REPORT_AMOUNT_MAX]);
/* Whether --event selects event number @event. */
bool report_shows_event(const struct report *report, uint32_t event);
/* Prints which options no sample matches, and which events the log has. */
void report_note_empty(const struct report *report);
/* Prints a note for each event whose lines --percent-limit leaves out. */
void report_note_small(const struct report *report);
/* Returns the number of rows of an event that --percent-limit keeps; *@first is the first one. */
uint32_t report_rows(const struct report *report, uint32_t event, uint32_t *first);
/* A field of a row as text, which may be in @buf. */
const char *report_field(const struct profile *profile, const struct table_row *row,
			 enum sort_key key, char buf[32]);

#endif
