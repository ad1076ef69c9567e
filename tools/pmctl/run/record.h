/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_RECORD_H
#define PMCTL_RECORD_H

#include "log/log_throttle.h"
#include "log/log_write.h"
#include "run/child.h"
#include "run/kernel_symbols.h"
#include "run/rings.h"
#include "run/run_options.h"
#include "run/session.h"
#include "run/wait.h"

enum own_samples {
	OWN_SAMPLES_DEFAULT,	/* excluded if whole CPUs are sampled */
	OWN_SAMPLES_KEEP,
	OWN_SAMPLES_EXCLUDE,
};

enum compress {
	COMPRESS_FILES,		/* a file is compressed, a pipe is not */
	COMPRESS_NEVER,
	COMPRESS_ALWAYS,
};

/**
 * struct record_options - the command line of pmctl record
 * @common: options that stat also has
 * @sampling: -c, -F and -g dwarf
 * @flags: HWPMC_F_* of -F and -g
 * @has_period: -c
 * @has_frequency: -F
 * @modifiers: --all-user, --all-kernel: MODIFIER_*, for all events
 * @own_samples: --exclude-self, --no-exclude-self
 * @compress: -z, --no-compress
 * @buffer: -m in KiB, 0 without
 */
struct record_options {
	struct run_options common;
	struct sampling sampling;
	unsigned int flags;
	bool has_period;
	bool has_frequency;
	unsigned int modifiers;
	enum own_samples own_samples;
	enum compress compress;
	long buffer;
};

/**
 * struct record_run - one pmctl record
 * @options: its command line
 * @words: the command line as typed
 * @session: its PMCs
 * @rings: the rings of their samples
 * @log: the log that is written
 * @begin: clock_now() before the first record was written into a ring
 * @symbols: the kernel's symbols when sampling began
 * @files: tsearch() tree of struct unread_file
 * @samples: number of samples in the log
 * @excluded: number of samples of pmctl itself that were left out of it
 * @throttle: which PMCs are throttled
 * @events: events that @samples stand for
 * @throttled_events: events of @events while a PMC was throttled
 * @wait: what ends the run
 * @child: the program
 * @error_reported: the message about a failed write was printed
 * @throttle_reported: the note that a PMC is throttled was printed
 * @lost_pid: the last process that was lost by exec
 * @progress: standard error is a terminal: show progress
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
	struct kernel_symbols symbols;
	void *files;
	uint64_t samples;
	uint64_t excluded;
	struct log_throttle throttle;
	uint64_t events;
	uint64_t throttled_events;
	struct wait wait;
	struct child child;
	bool error_reported;
	bool throttle_reported;
	pid_t lost_pid;
	bool progress;
	bool started;
	int result;
};

/* The run, after @options were parsed. Sets @result. */
void record_execute(struct record_run *run);
void record_free(struct record_run *run);

/* Writes the first records of the log. */
void record_log_begin(struct record_run *run);
/* Moves records from the rings to the log. 0, or -1 after a message on standard error. */
int record_log_drain(struct record_run *run);
/* Writes the last records and closes the log. 0, or -1 after a message on standard error. */
int record_log_end(struct record_run *run);
void record_log_free(struct record_run *run);

#endif
