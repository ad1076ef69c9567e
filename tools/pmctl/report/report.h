/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_REPORT_H
#define PMCTL_REPORT_H

#include <stdio.h>

#include "report/table.h"

/**
 * struct profile_report - a report and where it goes
 * @profile: what it tells
 * @options: how
 * @entries: its lines; not there for stacks
 * @out: where it goes
 */
struct profile_report {
	const struct profile *profile;
	const struct profile_options *options;
	struct entries entries;
	FILE *out;
};

/* Ways to show a report. */
void profile_text(const struct profile_report *report);
void profile_csv(const struct profile_report *report);
void profile_json(const struct profile_report *report);
void profile_folded(const struct profile_report *report);

/* Events of what is @part in percent. */
double profile_percent(const struct profile_event *event, uint64_t part);
/* Whether --event names it. */
bool profile_shows(const struct profile_report *report, uint32_t event);
/* Says that nothing is left to show, and what the log has. */
void profile_note_empty(const struct profile_report *report);
/* The entries of an event that are not too small: from *@first on. */
uint32_t profile_entries(const struct profile_report *report, uint32_t event, uint32_t *first);
/* From what on branches are shown, in percent. */
double profile_graph_limit(const struct profile_options *options);
/* How to show an object: the end of its path. */
const char *profile_object(const struct profile *profile, uint32_t object);
/* A field of an entry as text. @buf: for numbers. */
const char *profile_field(const struct profile *profile, const struct entry *entry,
			  enum sort_key key, char buf[32]);

#endif
