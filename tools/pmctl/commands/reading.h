/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_READING_H
#define PMCTL_READING_H

#include <stdbool.h>

#include "log/log_read.h"
#include "report/profile.h"
#include "report/report_options.h"

#define EXIT_DAMAGED	1	/* the output covers only a part of the log */

/**
 * struct reading - a log that is read into a profile
 * @path: of the log; "-" standard input
 * @options: which samples to include
 * @log: the log
 * @profile: its samples
 * @matched: the filters that match any sample, bits of enum report_filter
 * @damaged: the log could not be read to its end
 *
 * Call reading_open(), reading_read(), a function that resolves the profile (profile_resolve() or
 * annotate_make()), reading_report_problems() and reading_close(), in this order.
 */
struct reading {
	const char *path;
	const struct report_options *options;
	struct log_reader log;
	struct profile profile;
	unsigned int matched;
	bool damaged;
};

/* 0, or -1 after a message: then there is nothing to close. */
int reading_open(struct reading *reading, const char *path, const struct report_options *options);
/*
 * Reads until the log ends or a signal ends it. The root and the filter of @request are set from
 * the options.
 */
void reading_read(struct reading *reading, const struct profile_request *request);
/* Prints what is wrong with the log, and which files are missing. */
void reading_report_problems(struct reading *reading);
/* Prints why a log has no samples. */
void reading_explain_none(const struct reading *reading);
/* Returns the signal that ended the last reading, or 0. */
int reading_signal(void);
void reading_close(struct reading *reading);

#endif
