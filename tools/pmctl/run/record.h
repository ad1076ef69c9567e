/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_RECORD_H
#define PMCTL_RECORD_H

#include "log/log_throttle.h"
#include "log/log_write.h"
#include "run/child.h"
#include "run/retain.h"
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
 * struct switching - when record begins another log: --switch-output
 * @on: whether the option was given
 * @at_signal: at each SIGUSR2
 * @bytes: when the log has so many bytes; 0: at no size
 * @ms: when the log is so old; 0: at no age
 */
struct switching {
	bool on;
	bool at_signal;
	uint64_t bytes;
	long ms;
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
 * @log_to: --log-to, NULL without
 * @switching: --switch-output
 * @overwrite: --overwrite in MB, 0 without
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
	const char *log_to;
	struct switching switching;
	long overwrite;
};

/**
 * struct record_run - one pmctl record
 * @options: its command line
 * @words: the command line as typed
 * @session: its PMCs
 * @rings: the rings of their samples
 * @log: the log that is written; its @fd is -1 while there is none, as with --overwrite
 * @path: where it is
 * @number: of the log, if there may be several
 * @written: bytes of the logs that were closed
 * @state: with --switch-output and --overwrite: the records that each log needs, in memory
 * @retained: --overwrite: the newest samples
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
	char *path;
	unsigned int number;
	uint64_t written;
	struct log_writer state;
	struct retain retained;
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

/* Opens the log, or the next one. 0, or -1 after a message on standard error. */
int record_output_open(struct record_run *run);
bool record_output_is_stdout(const struct record_run *run);
/* Whether there may be several logs. */
bool record_output_numbered(const struct record_run *run);

/* Reads the kernel's symbols, and writes the first records of the log if it is open. */
void record_log_begin(struct record_run *run);
/* Ends the log and begins another one; with --overwrite, writes what is retained into a log. */
int record_log_switch(struct record_run *run);
/* Moves records from the rings to the log. 0, or -1 after a message on standard error. */
int record_log_drain(struct record_run *run);
/* Writes the last records and closes the log. 0, or -1 after a message on standard error. */
int record_log_end(struct record_run *run);
void record_log_free(struct record_run *run);

#endif
