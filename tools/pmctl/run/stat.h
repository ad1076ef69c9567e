/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_STAT_H
#define PMCTL_STAT_H

#include "run/aggregate.h"
#include "run/child.h"
#include "run/control.h"
#include "run/follow.h"
#include "run/rings.h"
#include "run/run_options.h"
#include "run/session.h"
#include "run/stat_print.h"
#include "run/wait.h"

/**
 * struct stat_run - one pmctl stat
 * @options: its command line
 * @session: its counters
 * @follow: the targets of -T, -u and -G
 * @rings: -W, -E and --per-thread: the rings of its records
 * @values: records that were read and not printed yet
 * @value_count: number of @values
 * @value_room: allocated length of @values
 * @values_lost: number of records that were lost
 * @aggregate: the values
 * @bias: --bias: what each event counts in an empty program; NULL without
 * @printer: the output
 * @control: --control
 * @wait: what ends a run
 * @child: the program
 * @ending: the lines below the results
 * @start: clock_now() when counting started in this run; negative: not yet
 * @counting: the PMCs run; false before @start, or after a command of --control
 * @intervals: -I: number of intervals that were printed
 * @post_failed: the command of --post failed
 * @result: the exit status
 */
struct stat_run {
	struct run_options options;
	struct session session;
	struct follow follow;
	struct rings rings;
	struct hwpmc_log_value *values;
	size_t value_count;
	size_t value_room;
	uint64_t values_lost;
	struct aggregate aggregate;
	double *bias;
	struct stat_printer printer;
	struct control control;
	struct wait wait;
	struct child child;
	struct stat_ending ending;
	int64_t start;
	bool counting;
	long intervals;
	bool post_failed;
	int result;
};

/* All runs, after @options were parsed. Sets @result. */
void stat_execute(struct stat_run *run);
void stat_free(struct stat_run *run);

/* One run, from fork and attach to the last reading. 0, or -1. */
int stat_once(struct stat_run *run);

/* Prints the values of this interval, or of all runs. */
void stat_rows(struct stat_run *run, double seconds);

/*
 * Reads the records of -W, -E and --per-thread from the rings, and prints those that no record of
 * another CPU can precede. 0, or -1 after a message.
 */
int stat_log_drain(struct stat_run *run);
/* Prints the last records, after the counters were stopped. */
int stat_log_end(struct stat_run *run);

/*
 * Sets @run->bias. Called before the runs, whose values it does not change. 0, or -1 after a
 * message.
 */
int stat_bias_measure(struct stat_run *run);
/* Returns the @value of an event without the bias, at least 0. */
double stat_bias_without(const struct stat_run *run, unsigned int event, double value);
/* Prints the bias on standard error. */
void stat_bias_show(const struct stat_run *run);

/* Opens the file of -o and sets the title. 0, or -1 after a message. */
int stat_output_open(struct stat_run *run);
/* Closes the file of -o. 0, or -1 after a message if writing failed. */
int stat_output_close(struct stat_run *run);

#endif
