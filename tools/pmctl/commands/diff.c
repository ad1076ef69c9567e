// SPDX-License-Identifier: GPL-2.0-only
/* pmctl diff: compares two or more logs. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "commands/command.h"
#include "commands/reading.h"
#include "report/diff.h"

static const char help[] =
	"usage: pmctl diff [OPTION]... OLD NEW [NEW]...\n"
	"\n"
	"Shows where events occurred more often, or less often, than in the log OLD. Each line has its\n"
	"part of the events in OLD and in NEW, the difference in points, and how many times as many\n"
	"events it has. The largest difference is first. Events of the same name are compared.\n"
	"\n"
	"  -s, --sort KEYS           by symbol,dso,comm,pid,tid,srcline,cpu (symbol)\n"
	"      --percent-limit N     hide what differs by less than N points; in a flame graph boxes\n"
	"                            of less than N percent\n"
	"      --event NAME          only this event; may be repeated\n"
	"      --comm LIST           only these commands; shell patterns are allowed\n"
	"      --pid, --tid LIST     only these processes, threads\n"
	"  -C, --cpu CPUS            only these CPUs: 0,2-3\n"
	"      --time START,STOP     only these seconds, as 'pmctl script' shows them\n"
	"      --dso LIST            only these files; [kernel] is the kernel\n"
	"      --symbol NAME         only this function; may be repeated\n"
	"  -q, --quiet               print no head lines\n"
	"  -x, --field-separator SEP as CSV, separated by SEP\n"
	"  -j, --json                as JSON\n"
	"      --flamegraph FILE.svg draw the flame graph of NEW: red functions grew, blue ones shrank\n"
	"      --inline, --no-inline show inlined functions, or count them for the function that\n"
	"                            contains them (shown with --flamegraph)\n"
	"      --by-address          one line for each address without a symbol, not for each file\n"
	"      --symfs DIR           look for files and their symbols below DIR\n"
	"      --no-pager            print to the terminal, not through less\n"
	"\n"
	"The exit status is 0; 1 if a log could not be read to its end; 125 if pmctl itself failed.\n";

enum { OPT_FLAMEGRAPH = 256, OPT_INLINE, OPT_NO_INLINE, OPT_BY_ADDRESS };

static const struct option own_options[] = {
	{ "sort", required_argument, NULL, 's' },
	{ "flamegraph", required_argument, NULL, OPT_FLAMEGRAPH },
	{ "inline", no_argument, NULL, OPT_INLINE },
	{ "no-inline", no_argument, NULL, OPT_NO_INLINE },
	{ "by-address", no_argument, NULL, OPT_BY_ADDRESS },
	{ NULL, 0, NULL, 0 },
};

static int take(int letter, void *context)
{
	struct report_options *options = context;

	switch (letter) {
	case 's':
		return report_options_take_sort(options, optarg);
	case OPT_FLAMEGRAPH:
		options->flamegraph = optarg;
		return 0;
	case OPT_INLINE:
	case OPT_NO_INLINE:
		options->inlines = letter == OPT_INLINE;
		options->inlines_given = true;
		return 0;
	case OPT_BY_ADDRESS:
		options->by_address = true;
		return 0;
	case 'i':
		error("give the logs without -i: 'pmctl diff OLD NEW'");
		return -1;
	default:
		return shared_options_take(letter, options);
	}
}

static const struct options_grammar grammar = {
	.command = "diff",
	.letters = ":s:c:d:S:C:x:jqvi:",
	.own = own_options,
	.shared = shared_options,
	.take = take,
};

static const char *problem_of(const struct report_options *options, int count)
{
	if (count < 2)
		return "give two logs: 'pmctl diff OLD NEW'";
	if (!options->flamegraph)
		return NULL;
	if (count > 2)
		return "--flamegraph compares two logs";
	if (options->separator || options->json)
		return "--flamegraph is a format of its own: it cannot be combined with -x or -j";
	return NULL;
}

static int parse(int argc, char **argv, struct report_options *options)
{
	const char *problem;

	shared_options_init(options);
	if (options_parse(argc, argv, &grammar, options))
		return -1;
	problem = problem_of(options, argc - optind);
	if (problem) {
		error("%s", problem);
		return -1;
	}
	if (options->flamegraph && log_read_is_log(options->flamegraph)) {
		error("'%s' is a log: give another file name for the flame graph",
		      options->flamegraph);
		return -1;
	}
	if (!options->sort_count)
		report_options_take_sort(options, "symbol");
	if (!options->inlines_given)
		options->inlines = options->flamegraph;
	return shared_options_check(options);
}

/**
 * struct comparison - one pmctl diff
 * @options: its command line
 * @readings: of each log
 * @reports: of each log
 * @count: number of logs
 * @read: number of logs that were opened
 */
struct comparison {
	struct report_options options;
	struct reading *readings;
	struct report *reports;
	uint32_t count;
	uint32_t read;
};

static int read_log(struct comparison *comparison, const char *path)
{
	const struct report_options *options = &comparison->options;
	struct reading *reading = &comparison->readings[comparison->read];
	struct report *report = &comparison->reports[comparison->read];
	bool stacks = options->flamegraph;
	bool comms = stacks || report_options_sorted_by(options, SORT_COMM);
	struct profile_request request = {
		.groups = (comms ? GROUP_COMM : 0) |
			  (report_options_sorted_by(options, SORT_PID) ? GROUP_PID : 0) |
			  (report_options_sorted_by(options, SORT_TID) ? GROUP_TID : 0) |
			  (report_options_sorted_by(options, SORT_CPU) ? GROUP_CPU : 0),
		.inlines = options->inlines,
		.by_object = !options->by_address,
		.sources = report_options_sorted_by(options, SORT_SRCLINE),
		.leaves = !stacks,
	};

	if (reading_open(reading, path, options))
		return -1;
	comparison->read++;
	reading_read(reading, &request);
	profile_resolve(&reading->profile);
	reading_report_problems(reading);
	*report = (struct report){
		.profile = &reading->profile,
		.options = options,
		.matched = reading->matched,
		.out = stdout,
	};
	if (reading->profile.samples)
		return 0;
	reading_explain_none(reading);
	return -1;
}

static int show_table(struct comparison *comparison, char **paths)
{
	const struct report_options *options = &comparison->options;
	struct diff diff = {
		.reports = comparison->reports,
		.paths = (const char *const *)paths,
		.count = comparison->count,
		.options = options,
		.out = stdout,
	};
	int result = 0;

	for (uint32_t i = 0; i < comparison->count; i++)
		table_make(&comparison->reports[i].table, &comparison->readings[i].profile,
			   options);
	diff_make(&diff);
	if (diff.event_count && !diff.keys.count)
		report_note_empty(&comparison->reports[0]);
	else if (diff.event_count && !diff.shown)
		note("no line differs by %g points or more, which is --percent-limit",
		     options->limit);
	if (!diff.event_count) {
		error("the logs have no event in common");
		result = -1;
	} else if (options->json) {
		diff_json(&diff);
	} else if (options->separator) {
		diff_csv(&diff);
	} else {
		terminal_page();
		diff.width = terminal_width();
		diff_text(&diff);
	}
	diff_free(&diff);
	for (uint32_t i = 0; i < comparison->count; i++)
		table_free(&comparison->reports[i].table);
	return result;
}

static const char *event_name(const struct report *report, uint32_t event)
{
	return intern_text(&report->profile->names, report->profile->events[event].name);
}

static bool has_event(const struct report *report, const char *name)
{
	for (uint32_t i = 0; i < report->profile->event_count; i++)
		if (!strcmp(event_name(report, i), name))
			return true;
	return false;
}

/* Returns the first event that is in both logs and that --event selects; NULL if there is none. */
static const char *common_event(const struct comparison *comparison)
{
	const struct report *old = &comparison->reports[0], *new = &comparison->reports[1];

	for (uint32_t i = 0; i < new->profile->event_count; i++)
		if (report_shows_event(new, i) && has_event(old, event_name(new, i)))
			return event_name(new, i);
	return NULL;
}

static int draw(struct comparison *comparison)
{
	struct report_options *options = &comparison->options;
	const char *event = common_event(comparison);

	if (!event) {
		error("the logs have no event in common");
		return -1;
	}
	patterns_free(&options->events);
	patterns_add(&options->events, event);
	if (comparison->reports[1].profile->event_count > 1)
		note("the flame graph shows event '%s' only; choose another with --event", event);
	return report_flamegraph_diff(&comparison->reports[1], &comparison->readings[1].profile,
				      &comparison->reports[0], options->flamegraph);
}

static int compare(struct comparison *comparison, char **paths)
{
	for (uint32_t i = 0; i < comparison->count; i++)
		if (read_log(comparison, paths[i]))
			return -1;
	return comparison->options.flamegraph ? draw(comparison) : show_table(comparison, paths);
}

static int diff_logs(struct comparison *comparison, char **paths, int count)
{
	bool damaged = false;
	int result;

	comparison->count = (uint32_t)count;
	comparison->readings = xcalloc(comparison->count, sizeof(*comparison->readings));
	comparison->reports = xcalloc(comparison->count, sizeof(*comparison->reports));
	result = compare(comparison, paths) ? EXIT_OWN : 0;
	for (uint32_t i = 0; i < comparison->read; i++) {
		damaged = damaged || comparison->readings[i].damaged;
		reading_close(&comparison->readings[i]);
	}
	free(comparison->readings);
	free(comparison->reports);
	return !result && damaged ? EXIT_DAMAGED : result;
}

static int cmd_diff(int argc, char **argv)
{
	struct comparison comparison = { 0 };
	int result = EXIT_OWN;

	if (!parse(argc, argv, &comparison.options))
		result = diff_logs(&comparison, argv + optind, argc - optind);
	report_options_free(&comparison.options);
	if (reading_signal())
		signals_die(reading_signal());
	return result;
}

const struct command diff_command = {
	.name = "diff",
	.run = cmd_diff,
	.brief = "compare two or more logs",
	.help = help,
	.grammar = &grammar,
};
