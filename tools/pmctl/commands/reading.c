// SPDX-License-Identifier: GPL-2.0-only
/* Reads a log into a profile, for report, annotate and diff. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "commands/reading.h"
#include "log/log_merge.h"
#include "report/report.h"

/*
 * The memory for sorting records by time, in bytes: more than the rings of a recording usually
 * have.
 */
#ifndef MERGE_MAX
#define MERGE_MAX	(64UL * 1024 * 1024)
#endif

/* --- ^C: show what was read so far */

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t interrupted;
static int log_fd = -1, null_fd = -1;

/* Replaces the log by /dev/null, so that a read that waits for a pipe ends, too. */
static void on_signal(int number)
{
	interrupted = number;
	dup2(null_fd, log_fd);
}

static void catch_signals(int fd)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, found;

	log_fd = fd;
	null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		/* A signal that nohup(1) ignored stays ignored. */
		if (!sigaction(signals[i], NULL, &found) && found.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	/* If standard output is a closed pipe, a flame graph is still written to its file. */
	sigaction(SIGPIPE, &ignore, NULL);
}

/* After the log was read a signal terminates pmctl at once. */
static void restore_signals(void)
{
	struct sigaction usual = { .sa_handler = SIG_DFL }, found;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &found) && found.sa_handler == on_signal)
			sigaction(signals[i], &usual, NULL);
	if (null_fd >= 0)
		close(null_fd);
	null_fd = -1;
}

/* --- Reading */

/* Files with symbols stay open: raise the limit of open files. */
static void allow_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

static bool wanted(void *context, const char *comm, const struct hwpmc_log_sample *sample)
{
	struct reading *reading = context;
	const struct report_options *options = reading->options;
	unsigned int matched = 0;

	if (report_options_match_number(&options->pids, sample->pid))
		matched |= 1U << FILTER_PID;
	if (report_options_match_number(&options->tids, sample->tid))
		matched |= 1U << FILTER_TID;
	if (patterns_match(&options->comms, comm))
		matched |= 1U << FILTER_COMM;
	if (!options->time_text || options_in_times(&options->times, sample->h.time))
		matched |= 1U << FILTER_TIME;
	if (!options->cpu_text || cpulist_has(&options->cpus, sample->h.cpu))
		matched |= 1U << FILTER_CPU;
	reading->matched |= matched;
	return matched == (1U << FILTER_COUNT) - 1;
}

/*
 * Reads the build-ids at the end of the log, before the first stack is unwound. A pipe or a FIFO
 * can be read only once: then stacks are unwound without them.
 */
static void read_build_ids(struct profile *profile)
{
	const struct hwpmc_log_header *record;
	struct reading *reading = profile->context;
	struct log_reader again;
	struct stat stat;
	char why[512];

	if (!strcmp(reading->path, "-") || fstat(reading->log.fd, &stat) ||
	    !S_ISREG(stat.st_mode) || log_read_open(&again, reading->path, why, sizeof(why)))
		return;
	while (!interrupted && (record = log_read_next(&again)))
		if (record->type == HWPMC_LOG_BUILD_ID)
			profile_build_id(profile, (const void *)record);
	log_read_close(&again);
}

static void read_log(struct reading *reading)
{
	const struct hwpmc_log_header *record;
	struct log_merge merge;

	log_merge_open(&merge, &reading->log, MERGE_MAX);
	while ((record = log_merge_next(&merge)))
		profile_take(&reading->profile, record);
	if (merge.late)
		note("%llu records were too far out of order to be sorted: "
		     "a few names may be wrong", (unsigned long long)merge.late);
	if (merge.without_period)
		note("%llu samples count as 0 events: the log does not have the periods of their "
		     "PMCs", (unsigned long long)merge.without_period);
	log_merge_close(&merge);
}

/* Prints what is damaged or missing in the log. */
void reading_report_problems(struct reading *reading)
{
	char why[512];

	if (interrupted) {
		note("interrupted: the report covers what was read so far");
	} else if (log_read_problem(&reading->log, why, sizeof(why))) {
		error("%s", why);
		reading->damaged = true;
	} else if (!reading->log.closed) {
		note("'%s' has no end: the recording was cut short or is still running",
		     reading->log.name);
	}
	if (reading->log.unwritten)
		note("%llu records are missing at the end: the recording program ended, and they could not be written in time",
		     (unsigned long long)reading->log.unwritten);
	if (reading->profile.lost)
		note("%llu records of processes and maps were lost: some names may be missing; "
		     "record with larger buffers (-m)",
		     (unsigned long long)reading->profile.lost);
	symbols_report_problems(&reading->profile.symbols);
}

/* --- Beginning and end */

int reading_open(struct reading *reading, const char *path, const struct report_options *options)
{
	char why[512];

	reading->path = path;
	reading->options = options;
	if (!log_read_open(&reading->log, path, why, sizeof(why)))
		return 0;
	error("%s", why);
	return -1;
}

void reading_read(struct reading *reading, const struct profile_request *how)
{
	struct profile_request request = *how;

	request.root = reading->options->root;
	request.wanted = wanted;
	request.context = reading;
	catch_signals(reading->log.fd);
	allow_files();
	profile_init(&reading->profile, &request);
	reading->profile.before_unwind = read_build_ids;
	reading->profile.context = reading;
	read_log(reading);
	restore_signals();
}

void reading_explain_none(const struct reading *reading)
{
	const struct profile *profile = &reading->profile;
	uint64_t lost = 0;

	for (uint32_t i = 0; i < profile->event_count; i++)
		lost = number_sum(lost, profile->events[i].lost);
	if (lost)
		error("'%s' has no samples: all %llu were lost because the buffers were full; "
		      "record with larger buffers (-m) or fewer samples (-F, -c)",
		      reading->log.name, (unsigned long long)lost);
	else
		error("'%s' has no samples: the targets did not run, or not for long enough",
		      reading->log.name);
}

int reading_signal(void)
{
	return interrupted;
}

void reading_close(struct reading *reading)
{
	profile_free(&reading->profile);
	log_read_close(&reading->log);
}
