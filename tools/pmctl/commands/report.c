// SPDX-License-Identifier: GPL-2.0-only
/* pmctl report: reads a log and prints a report. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/number.h"
#include "base/signals.h"
#include "commands/command.h"
#include "log/log_merge.h"
#include "log/log_read.h"
#include "report/call_graph.h"
#include "report/report.h"

static const char help[] =
	"usage: pmctl report [OPTION]... [FILE]\n"
	"\n"
	"Shows where events happened, from a log that 'pmctl record' has written.\n"
	"\n"
	"  -i, --input FILE          the log; '-' is standard input (pmctl.log)\n"
	"  -s, --sort KEYS           by comm,pid,tid,dso,symbol,srcline,cpu (comm,dso,symbol)\n"
	"  -g [callers|callees][,N]  with call graphs: below each line its callers, or with\n"
	"      --call-graph KIND     'callees' what it called; from N percent on (0.5);\n"
	"                            also perf's 'callee', 'caller' and 'graph'\n"
	"      --children            also count a function together with what it called\n"
	"      --percent-limit N     hide what has less than N percent\n"
	"      --no-children         override an earlier --children\n"
	"      --inline, --no-inline show inlined functions, or count them for the function that\n"
	"                            contains them (shown with -g, --folded, --flamegraph)\n"
	"      --by-address          one line for each address without a symbol, not for each file\n"
	"      --comm LIST           only these commands; shell patterns are allowed\n"
	"      --pid, --tid LIST     only these processes, threads\n"
	"  -C, --cpu CPUS            only these CPUs: 0,2-3\n"
	"      --time START,STOP     only these seconds, as 'pmctl script' shows them\n"
	"      --dso LIST            only these files; [kernel] is the kernel\n"
	"      --symbol NAME         only this function; may be repeated\n"
	"      --event NAME          only this event; may be repeated\n"
	"  -n, --show-nr-samples     print the number of samples of each line\n"
	"  -q, --quiet               print no head lines\n"
	"  -x, --field-separator SEP as CSV, separated by SEP\n"
	"  -j, --json                as JSON\n"
	"      --folded              one line per stack, for flame graph tools\n"
	"      --flamegraph FILE.svg draw a flame graph, which a browser shows\n"
	"      --symfs DIR           look for files and their symbols below DIR\n"
	"\n"
	"perf's --stdio, -v, -B, -S, --comms, --dsos and --symbols are accepted.\n"
	"Percentages are of all events in the log, including those that are hidden.\n"
	"The exit status is 0; 1 if the log could not be read to its end: the report covers what\n"
	"was read; 125 if pmctl itself failed.\n";

/*
 * The memory for sorting records by time, in bytes: more than the rings of a recording usually
 * have.
 */
#define MERGE_MAX	(64UL * 1024 * 1024)

#define EXIT_DAMAGED	1	/* the report covers a part of the log only */

/**
 * struct reporting - one pmctl report
 * @options: its command line
 * @log: the log
 * @profile: its samples
 * @matched: the filters that match any sample, bits of enum report_filter
 * @damaged: the log could not be read to its end
 */
struct reporting {
	struct report_options options;
	struct log_reader log;
	struct profile profile;
	unsigned int matched;
	bool damaged;
};

/* --- ^C: report what was read so far */

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t interrupted;
static int log_fd = -1, null_fd = -1;

/* Replaces the log by /dev/null, so that also a read that waits for a pipe ends. */
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
	struct reporting *reporting = context;
	const struct report_options *options = &reporting->options;
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
	reporting->matched |= matched;
	return matched == (1U << FILTER_COUNT) - 1;
}

static unsigned int groups_of(const struct report_options *options)
{
	if (options->folded)
		return GROUP_COMM;
	return (report_options_sorted_by(options, SORT_COMM) ||
		options->flamegraph ? GROUP_COMM : 0) |
	       (report_options_sorted_by(options, SORT_PID) ? GROUP_PID : 0) |
	       (report_options_sorted_by(options, SORT_TID) ? GROUP_TID : 0) |
	       (report_options_sorted_by(options, SORT_CPU) ? GROUP_CPU : 0);
}

/*
 * Reads the build-ids at the end of the log, before the first stack is unwound. A pipe or a FIFO
 * can be read only once: then stacks are unwound without them.
 */
static void read_build_ids(struct profile *profile)
{
	const struct hwpmc_log_header *record;
	struct reporting *reporting = profile->context;
	struct log_reader again;
	struct stat stat;
	char why[512];

	if (!strcmp(reporting->options.input, "-") || fstat(reporting->log.fd, &stat) ||
	    !S_ISREG(stat.st_mode) ||
	    log_read_open(&again, reporting->options.input, why, sizeof(why)))
		return;
	while (!interrupted && (record = log_read_next(&again)))
		if (record->type == HWPMC_LOG_BUILD_ID)
			profile_build_id(profile, (const void *)record);
	log_read_close(&again);
}

static void read_log(struct reporting *reporting)
{
	const struct hwpmc_log_header *record;
	struct log_merge merge;

	log_merge_open(&merge, &reporting->log, MERGE_MAX);
	while ((record = log_merge_next(&merge)))
		profile_take(&reporting->profile, record);
	if (merge.late)
		note("%llu records were too far out of order to be sorted: "
		     "a few names may be wrong", (unsigned long long)merge.late);
	log_merge_close(&merge);
}

/* Prints what is wrong with the log. */
static void report_problems(struct reporting *reporting)
{
	char why[512];

	if (interrupted) {
		note("interrupted: the report covers what was read so far");
	} else if (log_read_problem(&reporting->log, why, sizeof(why))) {
		error("%s", why);
		reporting->damaged = true;
	} else if (!reporting->log.closed) {
		note("'%s' has no end: the recording was cut short or is still running",
		     reporting->log.name);
	}
	if (reporting->log.unwritten)
		note("%llu records are missing at the end: the recording program ended, and they could not be written in time",
		     (unsigned long long)reporting->log.unwritten);
	if (reporting->profile.lost)
		note("%llu records of processes and maps were lost: some names may be missing; "
		     "record with larger buffers (-m)",
		     (unsigned long long)reporting->profile.lost);
	symbols_report_problems(&reporting->profile.symbols);
}

/* --- Showing */

/* Whether the filters leave no sample. Rows below --percent-limit count. */
static bool is_empty(const struct report *report)
{
	const struct table *table = &report->table;

	for (uint32_t i = 0; i < table->count; i++) {
		const struct table_row *row = &table->rows[i];

		if ((report->options->children ? row->total_samples : row->self_samples) &&
		    report_shows_event(report,
				       profile_group(report->profile, row->key.group)->event))
			return false;
	}
	return true;
}

static int show(struct reporting *reporting)
{
	const struct report_options *options = &reporting->options;
	struct report report = {
		.profile = &reporting->profile,
		.options = options,
		.matched = reporting->matched,
		.out = stdout,
	};

	if (options->flamegraph && report_flamegraph(&report, options->flamegraph))
		return -1;
	if (options->folded) {
		report_folded(&report);
		return 0;
	}
	/* A flame graph is instead of a table. */
	if (options->flamegraph)
		return 0;
	table_make(&report.table, &reporting->profile, options);
	call_graph_make(&report.table);
	table_sort(&report.table);
	if (is_empty(&report))
		report_note_empty(&report);
	else
		report_note_small(&report);
	if (options->json)
		report_json(&report);
	else if (options->separator)
		report_csv(&report);
	else
		report_text(&report);
	table_free(&report.table);
	return 0;
}

static void explain_none(const struct reporting *reporting)
{
	const struct profile *profile = &reporting->profile;
	uint64_t lost = 0;

	for (uint32_t i = 0; i < profile->event_count; i++)
		lost = number_sum(lost, profile->events[i].lost);
	if (lost)
		error("'%s' has no samples: all %llu were lost because the buffers were full; "
		      "record with larger buffers (-m) or fewer samples (-F, -c)",
		      reporting->log.name, (unsigned long long)lost);
	else
		error("'%s' has no samples: the targets did not run, or not for long enough",
		      reporting->log.name);
}

static int open_log(struct reporting *reporting)
{
	char why[512];

	if (!log_read_open(&reporting->log, reporting->options.input, why, sizeof(why)))
		return 0;
	error("%s", why);
	return -1;
}

static int report_main(struct reporting *reporting)
{
	const struct report_options *options = &reporting->options;
	struct profile_request request = {
		.groups = groups_of(options),
		.root = options->root,
		.inlines = options->inlines,
		.by_object = !options->by_address,
		.sources = report_options_sorted_by(options, SORT_SRCLINE),
		.wanted = wanted,
		.context = reporting,
	};
	int result;

	/* "--flamegraph pmctl.log": the file name is missing. Do not overwrite the log. */
	if (options->flamegraph && log_read_is_log(options->flamegraph)) {
		error("'%s' is a log: give another file name for the flame graph",
		      options->flamegraph);
		return -1;
	}
	if (open_log(reporting))
		return -1;
	catch_signals(reporting->log.fd);
	allow_files();
	profile_init(&reporting->profile, &request);
	reporting->profile.before_unwind = read_build_ids;
	reporting->profile.context = reporting;
	read_log(reporting);
	restore_signals();
	profile_resolve(&reporting->profile);
	report_problems(reporting);
	if (!reporting->profile.samples) {
		explain_none(reporting);
		result = -1;
	} else {
		result = show(reporting);
	}
	profile_free(&reporting->profile);
	log_read_close(&reporting->log);
	return result;
}

static int cmd_report(int argc, char **argv)
{
	struct reporting reporting = { .log.fd = -1 };
	int result = EXIT_OWN;

	if (!report_options_parse(argc, argv, &reporting.options) && !report_main(&reporting))
		result = reporting.damaged ? EXIT_DAMAGED : 0;
	report_options_free(&reporting.options);
	if (interrupted)
		signals_die(interrupted);
	return result;
}

const struct command report_command = {
	.name = "report",
	.run = cmd_report,
	.brief = "show where the events of a log happened",
	.help = help,
	.grammar = &report_options_grammar,
};
