/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares the rows of two or more reports. Events are matched by their names. */
#ifndef PMCTL_DIFF_H
#define PMCTL_DIFF_H

#include "report/report.h"

/**
 * struct diff_key - what distinguishes one row from another; numbers of texts in struct diff
 * @event: in names
 * @comm: likewise, like @symbol, @object and @source
 * @pid: 0 where rows are not sorted by it, like @tid and @cpu
 * @flags: FRAME_KERNEL
 */
struct diff_key {
	uint32_t event;
	uint32_t comm;
	uint32_t symbol;
	uint32_t object;
	uint32_t source;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint32_t flags;
};

/**
 * struct diff_part - a row in one of the logs
 * @events: events that occurred there
 * @samples: their samples
 * @percent: the part of the log's events, in percent
 */
struct diff_part {
	uint64_t events;
	uint64_t samples;
	double percent;
};

/**
 * struct diff_event - an event that the first log and another one have
 * @name: in names
 * @of: by log: the event there, or NULL
 */
struct diff_event {
	uint32_t name;
	const struct profile_event **of;
};

/**
 * struct diff - the difference of logs
 * @reports: the reports, with their tables; the others are compared with the first
 * @paths: of the logs
 * @count: number of logs, at least 2
 * @options: how to show it
 * @names: all texts
 * @keys: struct diff_key by row
 * @parts: by row and log: row * @count + log
 * @order: the rows that are shown: by event, then the largest difference first
 * @shown: number of rows in @order
 * @events: those that are compared
 * @event_count: number of events
 * @out: the output
 * @width: letters in its lines of text; 0: any number
 */
struct diff {
	const struct report *reports;
	const char *const *paths;
	uint32_t count;
	const struct report_options *options;
	struct intern names;
	struct intern keys;
	struct diff_part *parts;
	uint32_t *order;
	uint32_t shown;
	struct diff_event *events;
	uint32_t event_count;
	FILE *out;
	int width;
};

/* @reports, @paths, @count, @options, @out and @width are set. */
void diff_make(struct diff *diff);
void diff_free(struct diff *diff);

static inline const struct diff_key *diff_key(const struct diff *diff, uint32_t row)
{
	return intern_at(&diff->keys, row);
}

static inline const struct diff_part *diff_part(const struct diff *diff, uint32_t row, uint32_t log)
{
	return &diff->parts[(size_t)row * diff->count + log];
}

/* Returns the increase of a row from the first log to this one, in points. */
double diff_delta(const struct diff *diff, uint32_t row, uint32_t log);
/* Returns the ratio of the events; infinite if the first log has none. */
double diff_ratio(const struct diff *diff, uint32_t row, uint32_t log);
/* Returns a field of a row as text, which may be in @buf. */
const char *diff_field(const struct diff *diff, uint32_t row, enum sort_key key, char buf[32]);

/* The formats. */
void diff_text(const struct diff *diff);
void diff_csv(const struct diff *diff);
void diff_json(const struct diff *diff);

#endif
