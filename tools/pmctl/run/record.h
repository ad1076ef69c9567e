/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_RECORD_H
#define PMCTL_RECORD_H

#include "log/log_write.h"
#include "run/child.h"
#include "run/rings.h"
#include "run/run_options.h"
#include "run/session.h"
#include "run/wait.h"

/**
 * struct record_options - the command line of pmctl record
 * @common: what stat has too
 * @sampling: -c, -F and -g dwarf
 * @flags: HWPMC_F_* of -F and -g
 * @has_period: -c
 * @has_frequency: -F
 * @modifiers: --all-user, --all-kernel: MODIFIER_*, for all events
 * @compress: -z
 * @buffer: -m in KiB, 0 without
 */
struct record_options {
	struct run_options common;
	struct sampling sampling;
	unsigned int flags;
	bool has_period;
	bool has_frequency;
	unsigned int modifiers;
	bool compress;
	long buffer;
};

/**
 * struct record_run - one pmctl record
 * @options: its command line
 * @words: that command line, as typed
 * @session: its PMCs
 * @rings: what they fill
 * @log: what it goes to
 * @begin: before the first record was written into a ring, clock_now()
 * @files: tsearch() tree of the files that were mapped
 * @samples: that came
 * @wait: what ends the run
 * @child: the program
 * @error_reported: that the log cannot be written was said
 * @progress: standard error is a terminal: we show how far we are
 * @started: the PMCs have been started
 * @result: the exit status
 */
struct record_run {
	struct record_options options;
	char *words;
	struct session session;
	struct rings rings;
	struct log_writer log;
	uint64_t begin;
	void *files;
	uint64_t samples;
	struct wait wait;
	struct child child;
	bool error_reported;
	bool progress;
	bool started;
	int result;
};

/* The run, after @options were parsed. Sets @result. */
void record_execute(struct record_run *run);
void record_free(struct record_run *run);

/* What the log begins with. */
void record_log_begin(struct record_run *run);
/* Takes what is in the rings. 0, or -1 after a sentence on standard error. */
int record_log_drain(struct record_run *run);
/* What it ends with. 0, or -1 after a sentence on standard error. */
int record_log_end(struct record_run *run);
void record_log_free(struct record_run *run);

#endif
