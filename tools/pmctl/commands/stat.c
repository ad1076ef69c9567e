// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/options.h"
#include "base/signals.h"
#include "commands/command.h"
#include "commands/stat_report.h"
#include "probe/filter_session.h"
#include "run/stat.h"
#include "run/stat_file.h"

static const char help[] =
	"usage: pmctl stat [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
	"       pmctl stat [OPTION]... -p PID | -t TID | -a | -C CPUS  [[--] PROGRAM ...]\n"
	"       pmctl stat [OPTION]... [-T REGEX] [-u USER] [-G CGROUP]  [[--] PROGRAM ...]\n"
	"       pmctl stat record [-o FILE] ...\n"
	"       pmctl stat report [-x SEP | -j] [FILE]\n"
	"\n"
	"Counts events of PROGRAM, of processes, threads or CPUs, and shows them on standard error.\n"
	"With -p, -t, -T, -u, -G, -a or -C, PROGRAM only sets the duration. 'stat record' writes\n"
	"the results to a file (pmctl.stat) that 'stat report' shows, in any format.\n"
	"\n"
	"  -e, --event LIST          events: cycles, instructions:u, {a,b}, r1b, cpu/event=0x11/\n"
	"      --filter CONDITIONS   events of probes that meet them: 'fd == 3 && comm != cat'\n"
	"  -d, --detailed            count the caches, too; -dd: more of them\n"
	"  -p, --pid PID[,PID]       count these processes, until they exit\n"
	"  -t, --tid TID[,TID]       count these threads\n"
	"  -T, --command REGEX       count processes whose command's name matches\n"
	"  -u, --user USER[,USER]    count processes of these users, by name or number\n"
	"  -G, --cgroup PATH[,PATH]  count processes in these cgroups, and in those below\n"
	"  -a, --all-cpus            count everything on all CPUs\n"
	"  -C, --cpu CPUS            count everything on these CPUs: 0,2-3\n"
	"  -i, --no-inherit          do not count child processes\n"
	"  -r, --repeat N            run the program N times, show mean and standard deviation\n"
	"  -I, --interval-print MS   print the counts of each interval of MS milliseconds\n"
	"      --interval-count N    stop after N intervals\n"
	"  -D, --delay MS            start counting after MS milliseconds (-1: never)\n"
	"      --timeout MS          stop after MS milliseconds\n"
	"      --bias                subtract what an empty program counts, and print it\n"
	"      --control FIFO[,ACK]  obey 'enable', 'disable', 'ping' and 'stop', a line each\n"
	"      --per-thread          one line per thread\n"
	"  -A, --no-aggr             one line per CPU, with -a or -C\n"
	"      --per-core, --per-socket, --per-node\n"
	"                            one line per core, socket or NUMA node, with -a or -C\n"
	"      --pre CMD, --post CMD run a shell command before and after each run\n"
	"  -W, --per-switch          print each thread's counts when it is scheduled out\n"
	"  -E, --per-exit            print each thread's counts when it exits\n"
	"  -x, --field-separator SEP as CSV, separated by SEP\n"
	"  -j, --json                as JSON, one object per line\n"
	"  -o, --output FILE         write to FILE; --append: append to it\n"
	"\n"
	"Modifiers: ':u' counts in user mode only, ':k' in kernel mode only.\n"
	"The exit status is PROGRAM's, 128 + N if signal N ended it, 126 or 127 if it could\n"
	"not be run, 125 if pmctl itself failed.\n";

enum {
	OPT_APPEND = 256,
	OPT_TIMEOUT,
	OPT_PER_THREAD,
	OPT_PER_CORE,
	OPT_PER_SOCKET,
	OPT_PER_NODE,
	OPT_INTERVAL_COUNT,
	OPT_PRE,
	OPT_POST,
	OPT_FILTER,
	OPT_CONTROL,
	OPT_BIAS,
};

static const struct option own_options[] = {
	{ "command", required_argument, NULL, 'T' },
	{ "user", required_argument, NULL, 'u' },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "repeat", required_argument, NULL, 'r' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "json-output", no_argument, NULL, 'j' },
	{ "append", no_argument, NULL, OPT_APPEND },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "filter", required_argument, NULL, OPT_FILTER },
	{ "bias", no_argument, NULL, OPT_BIAS },
	{ "control", required_argument, NULL, OPT_CONTROL },
	{ "interval-count", required_argument, NULL, OPT_INTERVAL_COUNT },
	{ "pre", required_argument, NULL, OPT_PRE },
	{ "post", required_argument, NULL, OPT_POST },
	{ "per-thread", no_argument, NULL, OPT_PER_THREAD },
	{ "per-core", no_argument, NULL, OPT_PER_CORE },
	{ "per-socket", no_argument, NULL, OPT_PER_SOCKET },
	{ "per-node", no_argument, NULL, OPT_PER_NODE },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "detailed", no_argument, NULL, 'd' },
	{ "per-switch", no_argument, NULL, 'W' },
	{ "per-exit", no_argument, NULL, 'E' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "big-num", no_argument, NULL, 'B' },
	{ NULL, 0, NULL, 0 },
};

/* The commands that --control accepts */
#define STAT_COMMANDS	(1U << CONTROL_ENABLE | 1U << CONTROL_DISABLE | 1U << CONTROL_PING | \
			 1U << CONTROL_STOP)

/* A run of pmctl stat, and the part of its command line that run/ does not use. */
struct command_line {
	struct stat_run run;
	struct filter filter;
};

static int take_group(enum topology_by by, struct run_options *options)
{
	if (options->per_group && options->per_group != by) {
		error("--per-core, --per-socket and --per-node cannot be combined: choose one");
		return -1;
	}
	options->per_group = by;
	return 0;
}

static int take_plain(int letter, struct run_options *options)
{
	switch (letter) {
	case OPT_PER_CORE:
		return take_group(TOPOLOGY_CORE, options);
	case OPT_PER_SOCKET:
		return take_group(TOPOLOGY_SOCKET, options);
	case OPT_PER_NODE:
		return take_group(TOPOLOGY_NODE, options);
	case OPT_BIAS:
		options->bias = true;
		return 0;
	case OPT_PRE:
		options->pre = optarg;
		return 0;
	case OPT_POST:
		options->post = optarg;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'd':
		options->detailed++;
		return 0;
	case 'A':
		options->no_aggr = true;
		return 0;
	case 'W':
		options->per_switch = true;
		return 0;
	case 'E':
		options->per_exit = true;
		return 0;
	/* Options of perf that change nothing here. */
	case 'v':
	case 'B':
		return 0;
	case OPT_APPEND:
		options->append = true;
		return 0;
	case OPT_PER_THREAD:
		options->per_thread = true;
		return 0;
	default:
		return run_options_take(letter, optarg, options);
	}
}

static int take(int letter, void *context)
{
	struct command_line *line = context;
	struct run_options *options = &line->run.options;

	switch (letter) {
	case 'T':
		return match_add_command(&options->match, optarg);
	case 'u':
		return match_add_users(&options->match, optarg);
	case 'G':
		return match_add_cgroups(&options->match, optarg);
	case 'r':
		return options_number(optarg, 1, "-r", &options->repeat);
	case 'I':
		return options_number(optarg, 1, "-I", &options->interval);
	case 'x':
		return options_separator(optarg, &options->separator);
	case OPT_CONTROL:
		line->run.control.option = optarg;
		return 0;
	case OPT_FILTER:
		return filter_parse(&line->filter, optarg);
	case OPT_INTERVAL_COUNT:
		return options_number(optarg, 1, "--interval-count", &options->interval_count);
	case OPT_TIMEOUT:
		return options_number(optarg, 1, "--timeout", &options->timeout);
	default:
		return take_plain(letter, options);
	}
}

static bool writes_lines(const struct run_options *options)
{
	return options->per_switch || options->per_exit;
}

/* Why options for the lines of results contradict others; or NULL. */
static const char *contradiction_of_lines(const struct run_options *options)
{
	if (options->no_aggr && !options->system_wide)
		return "--no-aggr needs -a or -C";
	if (options->per_group && !options->system_wide)
		return "--per-core, --per-socket and --per-node need -a or -C";
	if (options->per_group && options->no_aggr)
		return "--no-aggr cannot be combined with --per-core, --per-socket or --per-node";
	if (options->per_thread && options->system_wide)
		return "--per-thread needs tasks: it cannot be combined with -a or -C";
	if (options->bias && (options->system_wide || run_options_follow_tasks(options)))
		return "--bias needs a program that is counted: it cannot be combined with options for others";
	if (options->bias && (options->interval || options->per_thread || writes_lines(options)))
		return "--bias is of a whole run: it cannot be combined with -I, --per-thread, -W or -E";
	if (options->interval_count && !options->interval)
		return "--interval-count needs -I MS";
	return NULL;
}

/* Why the options contradict each other; or NULL. */
static const char *contradiction(const struct run_options *options)
{
	const char *why = run_options_target_problem(options);

	if (why)
		return why;
	if (writes_lines(options) && options->system_wide)
		return "-W and -E need tasks: they cannot be combined with -a or -C";
	if (writes_lines(options) && (options->repeat > 1 || options->interval))
		return "-W and -E cannot be combined with -r or -I";
	if (options->recorded && (options->separator || options->json || options->append))
		return "stat record has one format, in a file of its own: choose -x or -j at stat report";
	if (options->recorded && writes_lines(options))
		return "-W and -E cannot be combined with stat record";
	if (options->separator && options->json)
		return "-x and -j cannot be combined: choose one";
	if (options->detailed && options->specs.count)
		return "-d chooses the events: it cannot be combined with -e";
	if (options->append && !options->output)
		return "--append needs -o FILE";
	if (options->repeat > 1 && !options->command)
		return "-r needs a program to repeat";
	if (options->repeat > 1 && (options->interval || options->per_thread))
		return "-r cannot be combined with -I or --per-thread";
	return contradiction_of_lines(options);
}

static int finish(struct command_line *line)
{
	struct run_options *options = &line->run.options;
	const char *why = contradiction(options);

	if (!why && line->filter.count && !options->specs.count)
		why = "--filter needs probes: give some with -e, such as -e syscall:read:entry";
	if (why) {
		error("%s", why);
		return -1;
	}
	options->default_events = !options->specs.count;
	return run_options_find_cpus(options);
}

static const struct options_grammar grammar = {
	.command = "stat",
	.letters = "+:e:p:t:T:u:G:aC:r:I:D:x:jo:idAWEvB",
	.own = own_options,
	.shared = run_options_shared,
	.take = take,
};

static int parse(int argc, char **argv, struct command_line *line)
{
	line->run.options.repeat = 1;
	if (line->run.options.recorded)
		line->run.options.output = STAT_FILE;
	if (options_parse(argc, argv, &grammar, line))
		return -1;
	if (optind < argc)
		line->run.options.command = argv + optind;
	return finish(line);
}

static int count(int argc, char **argv, bool recorded)
{
	struct command_line line = {
		.run = { .session = { .fd = -1 }, .result = EXIT_OWN,
			 .control = { .accepts = STAT_COMMANDS, .fd = -1, .ack = -1 } },
	};
	int signal;

	line.run.options.recorded = recorded;
	if (!parse(argc, argv, &line)) {
		filter_session_use(&line.run.session, &line.filter);
		stat_execute(&line.run);
	}
	signal = line.run.wait.signal;
	stat_free(&line.run);
	filter_free(&line.filter);
	if (signal)
		signals_die(signal);
	return line.run.result;
}

static int cmd_stat(int argc, char **argv)
{
	bool recorded = argc > 1 && !strcmp(argv[1], "record");

	if (argc > 1 && !strcmp(argv[1], "report"))
		return stat_report(argc - 1, argv + 1);
	if (recorded && options_ask_help(argc - 1, argv + 1, &grammar)) {
		fputs(help, stdout);
		return 0;
	}
	return recorded ? count(argc - 1, argv + 1, true) : count(argc, argv, false);
}

const struct command stat_command = {
	.name = "stat",
	.run = cmd_stat,
	.brief = "count events of a program, of processes or of CPUs",
	.help = help,
	.grammar = &grammar,
};
