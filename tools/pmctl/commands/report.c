// SPDX-License-Identifier: GPL-2.0-only
/* pmctl report: reads a log and prints a report. */
#include "base/error.h"
#include "base/exit.h"
#include "base/signals.h"
#include "base/terminal.h"
#include "commands/command.h"
#include "commands/reading.h"
#include "report/call_graph.h"
#include "report/report.h"

static const char help[] =
	"usage: pmctl report [OPTION]... [FILE]\n"
	"\n"
	"Shows where events occurred, from a log of 'pmctl record'.\n"
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
	"      --no-pager            print to the terminal, not through less\n"
	"\n"
	"perf's --stdio, -v, -B, -S, --comms, --dsos and --symbols are accepted.\n"
	"Percentages are of all events in the log, including those that are hidden.\n"
	"The exit status is 0; 1 if the log could not be read to its end: the report covers what\n"
	"was read; 125 if pmctl itself failed.\n";

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

static void put_text(struct report *report)
{
	terminal_page();
	report->width = terminal_width();
	report_text(report);
}

static int show(struct reading *reading)
{
	const struct report_options *options = reading->options;
	struct report report = {
		.profile = &reading->profile,
		.options = options,
		.matched = reading->matched,
		.out = stdout,
	};

	if (options->flamegraph && report_flamegraph(&report, options->flamegraph))
		return -1;
	if (options->folded) {
		report_folded(&report);
		return 0;
	}
	/* A flame graph replaces the table. */
	if (options->flamegraph)
		return 0;
	table_make(&report.table, &reading->profile, options);
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
		put_text(&report);
	table_free(&report.table);
	return 0;
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

/* Whether the report needs callers. Without callers a log is read in half of the time. */
static bool shows_callers(const struct report_options *options)
{
	return options->graph != GRAPH_NONE || options->children || options->folded ||
	       options->flamegraph;
}

static int report_main(struct reading *reading, const struct report_options *options)
{
	struct profile_request request = {
		.groups = groups_of(options),
		.inlines = options->inlines,
		.by_object = !options->by_address,
		.sources = report_options_sorted_by(options, SORT_SRCLINE),
		.leaves = !shows_callers(options),
	};
	int result = -1;

	/* "--flamegraph pmctl.log": the file name is missing. Do not overwrite the log. */
	if (options->flamegraph && log_read_is_log(options->flamegraph)) {
		error("'%s' is a log: give another file name for the flame graph",
		      options->flamegraph);
		return -1;
	}
	if (reading_open(reading, options->input, options))
		return -1;
	reading_read(reading, &request);
	profile_resolve(&reading->profile);
	reading_report_problems(reading);
	if (reading->profile.samples)
		result = show(reading);
	else
		reading_explain_none(reading);
	reading_close(reading);
	return result;
}

static int cmd_report(int argc, char **argv)
{
	struct reading reading = { .log.fd = -1 };
	struct report_options options;
	int result = EXIT_OWN;

	if (!report_options_parse(argc, argv, &options) && !report_main(&reading, &options))
		result = reading.damaged ? EXIT_DAMAGED : 0;
	report_options_free(&options);
	if (reading_signal())
		signals_die(reading_signal());
	return result;
}

const struct command report_command = {
	.name = "report",
	.run = cmd_report,
	.brief = "show where the events of a log occurred",
	.help = help,
	.grammar = &report_options_grammar,
};
