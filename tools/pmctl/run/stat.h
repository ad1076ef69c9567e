/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_STAT_H
#define PMCTL_STAT_H

#include "run/aggregate.h"
#include "run/child.h"
#include "run/rings.h"
#include "run/run_options.h"
#include "run/session.h"
#include "run/stat_print.h"
#include "run/wait.h"

/**
 * struct stat_run - one pmctl stat
 * @options: its command line
 * @session: its counters
 * @rings: of -W and -E: what the kernel tells of them
 * @values_lost: that did not get there
 * @aggregate: their values
 * @printer: where results go
 * @wait: what ends a run
 * @child: the program
 * @ending: what stands below the results
 * @start: when counting began in this run; clock_now(), negative: not yet
 * @result: the exit status
 */
struct stat_run {
	struct run_options options;
	struct session session;
	struct rings rings;
	uint64_t values_lost;
	struct aggregate aggregate;
	struct stat_printer printer;
	struct wait wait;
	struct child child;
	struct stat_ending ending;
	int64_t start;
	int result;
};

/* All runs, after @options were parsed. Sets @result. */
void stat_execute(struct stat_run *run);
void stat_free(struct stat_run *run);

/* One run: from fork and attach to the last reading. 0, or -1. */
int stat_once(struct stat_run *run);

/* Sends the values of this interval, or of all runs, to the report. */
void stat_rows(struct stat_run *run, double seconds);

/* Shows what -W and -E brought so far. 0, or -1 after a sentence. */
int stat_log_drain(struct stat_run *run);
/* The last of it, when the counters have stopped. */
int stat_log_end(struct stat_run *run);

/* Opens -o, names what is counted. 0, or -1 after a sentence. */
int stat_output_open(struct stat_run *run);
/* 0, or -1 after a sentence: results were lost. */
int stat_output_close(struct stat_run *run);

#endif
