// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/signals.h"
#include "commands/command.h"
#include "probe/probe.h"

static const char help[] =
	"usage: pmctl probe -e EVENT[,EVENT]... [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
	"       pmctl probe -e EVENT[,EVENT]... [OPTION]... -p PID | -t TID | -a | -C CPUS\n"
	"\n"
	"Shows each system call, tracepoint or function of the kernel or of a program that a program,\n"
	"processes, threads or CPUs execute, or counts, sums and histograms of them.\n"
	"\n"
	"  -e, --event LIST      syscall:openat:entry, syscall:read:return, tracepoint:sched_switch,\n"
	"                        kprobe:vfs_read, kprobe:vfs_read:return,\n"
	"                        uprobe:/bin/bash:readline, uprobe:/bin/bash:readline:return\n"
	"  -p, --pid PID[,PID]   of these processes, until they exit\n"
	"  -t, --tid TID[,TID]   of these threads\n"
	"  -a, --all-cpus        everything on all CPUs\n"
	"  -C, --cpu CPUS        everything on these CPUs: 0,2-3\n"
	"  -i, --no-inherit      not of child processes\n"
	"  -D, --delay MS        begin after MS milliseconds\n"
	"      --duration SECONDS  stop after SECONDS\n"
	"  -m, --buffer KB       size of the buffer of each CPU (512)\n"
	"  -o, --output FILE     write to FILE, not to standard output\n"
	"  -j, --json            one JSON object per line\n"
	"\n"
	"      --filter 'CONDITION[ && CONDITION]...'  only events that meet all conditions, which\n"
	"                        compare an argument, retval, comm, pid or tid: fd == 3, arg2 > 100,\n"
	"                        flags & 0x40, comm != cat. The kernel compares before it makes a record\n"
	"      --cgroup PATH     only events in this cgroup, and in those below it; also as a\n"
	"                        condition, cgroup != PATH\n"
	"\n"
	"One line for each event:\n"
	"      --args            with the arguments\n"
	"      --string ARGUMENT  with the string that this argument points to, by name or as arg2, or\n"
	"                        retval: up to 255 bytes, as far as they are in memory\n"
	"      --comm            with the name of the thread\n"
	"  -g                    with the stack of the kernel and of the program\n"
	"\n"
	"Or results for each key. KEYS are comm, pid, tid, cpu, event, kstack, ustack, retval, and\n"
	"arguments by name or as arg1, arg2; VALUE is an argument or retval:\n"
	"      --count 'by KEYS'              how many events\n"
	"      --sum 'VALUE by KEYS'          also --min, --max, --avg\n"
	"      --hist 'VALUE by KEYS'         a histogram by powers of two\n"
	"      --lhist 'VALUE MIN,MAX,STEP by KEYS'  one by equal steps\n"
	"      --latency 'EVENT by KEYS'      times from entry to return, such as of syscall:read\n"
	"      --top N           only the N keys of the largest values\n"
	"      --max-keys N      keep N keys at most (16384)\n"
	"  -I, --interval-print MS  show and clear the results every MS milliseconds\n"
	"\n"
	"The exit status is PROGRAM's, 128 + N if signal N ended it, 126 or 127 if it could\n"
	"not be run, 125 if pmctl itself failed.\n";

#define MAX_KEYS	16384

enum { OPT_DURATION = 256, OPT_ARGS, OPT_STRING, OPT_COMM, OPT_TOP, OPT_MAX_KEYS, OPT_FILTER,
	OPT_CGROUP, OPT_AGGREGATION };

static const struct option own_options[] = {
	{ "args", no_argument, NULL, OPT_ARGS },
	{ "string", required_argument, NULL, OPT_STRING },
	{ "comm", no_argument, NULL, OPT_COMM },
	{ "filter", required_argument, NULL, OPT_FILTER },
	{ "cgroup", required_argument, NULL, OPT_CGROUP },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "buffer", required_argument, NULL, 'm' },
	{ "json", no_argument, NULL, 'j' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "max-keys", required_argument, NULL, OPT_MAX_KEYS },
	{ "count", required_argument, NULL, OPT_AGGREGATION + AGGREGATION_COUNT },
	{ "sum", required_argument, NULL, OPT_AGGREGATION + AGGREGATION_SUM },
	{ "min", required_argument, NULL, OPT_AGGREGATION + AGGREGATION_MIN },
	{ "max", required_argument, NULL, OPT_AGGREGATION + AGGREGATION_MAX },
	{ "avg", required_argument, NULL, OPT_AGGREGATION + AGGREGATION_AVG },
	{ "hist", required_argument, NULL, OPT_AGGREGATION + AGGREGATION_HIST },
	{ "lhist", required_argument, NULL, OPT_AGGREGATION + AGGREGATION_LHIST },
	{ "latency", required_argument, NULL, OPT_AGGREGATION + AGGREGATION_LATENCY },
	{ NULL, 0, NULL, 0 },
};

/* Adds the entry and the return of --latency to the events. */
static int add_ends(struct probe_options *options, struct aggregation *aggregation)
{
	char *name = xstrdup(aggregation->expression.value), *end = strrchr(name, ':'), *both;
	int result;

	if (end && (!strcmp(end, ":entry") || !strcmp(end, ":return")))
		*end = '\0';
	if (!strncmp(name, "tracepoint:", 11)) {
		error("--latency '%s': a tracepoint has no return; give a system call or a function, "
		      "such as syscall:read or kprobe:vfs_read", aggregation->text);
		free(name);
		return -1;
	}
	both = xasprintf("%s:entry,%s:return", name, name);
	aggregation->entry = options->common.specs.count;
	result = run_options_take_events(&options->common, both);
	free(both);
	free(name);
	return result;
}

static int take_aggregation(struct probe_options *options, enum aggregation_kind kind,
			    const char *text)
{
	unsigned int count = options->aggregation_count;
	struct aggregation *aggregation;

	options->aggregations = xrealloc(options->aggregations, count + 1,
					 sizeof(*options->aggregations));
	aggregation = &options->aggregations[count];
	options->aggregation_count = count + 1;
	if (aggregation_parse(aggregation, kind, text))
		return -1;
	return kind == AGGREGATION_LATENCY ? add_ends(options, aggregation) : 0;
}

static int take_plain(int letter, struct probe_options *options)
{
	switch (letter) {
	case OPT_ARGS:
		options->args = true;
		return 0;
	case OPT_COMM:
		options->comm = true;
		return 0;
	case 'g':
		options->stacks = true;
		return 0;
	case 'j':
		options->common.json = true;
		return 0;
	default:
		return run_options_take(letter, optarg, &options->common);
	}
}

static int take(int letter, void *context)
{
	struct probe_options *options = context;

	if (letter >= OPT_AGGREGATION)
		return take_aggregation(options, (enum aggregation_kind)(letter - OPT_AGGREGATION),
					optarg);
	switch (letter) {
	case 'I':
		return options_number(optarg, 1, "-I", &options->common.interval);
	case 'm':
		return options_number(optarg, 1, "-m", &options->buffer);
	case OPT_STRING:
		options->string = optarg;
		return 0;
	case OPT_FILTER:
		return filter_parse(&options->filter, optarg);
	case OPT_CGROUP:
		filter_add_cgroup(&options->filter, optarg);
		return 0;
	case OPT_DURATION:
		return options_seconds(optarg, "--duration", &options->common.timeout);
	case OPT_TOP:
		return options_number(optarg, 1, "--top", &options->top);
	case OPT_MAX_KEYS:
		return options_number(optarg, 1, "--max-keys", &options->max_keys);
	default:
		return take_plain(letter, options);
	}
}

static const char *contradiction(const struct probe_options *options)
{
	bool lines = !options->aggregation_count;

	if (!options->common.specs.count)
		return "no event: give one with -e, such as -e syscall:openat:entry, or --latency";
	if (lines && options->common.interval)
		return "-I needs results, such as of --count: without them each event is shown at once";
	if (lines && options->top)
		return "--top needs results, such as of --count";
	if (!lines && (options->args || options->string || options->comm || options->stacks))
		return "--args, --string, --comm and -g apply to lines of events: with results, such as of "
		       "--count, use arguments, comm, kstack and ustack as keys";
	return run_options_target_problem(&options->common);
}

static const struct options_grammar grammar = {
	.command = "probe",
	.letters = "+:e:p:t:aC:iD:m:o:jgI:",
	.own = own_options,
	.shared = run_options_shared,
	.take = take,
};

static int parse(int argc, char **argv, struct probe_options *options)
{
	const char *why;

	options->common.repeat = 1;
	options->max_keys = MAX_KEYS;
	if (options_parse(argc, argv, &grammar, options))
		return -1;
	if (optind < argc)
		options->common.command = argv + optind;
	why = contradiction(options);
	if (!why)
		return run_options_find_cpus(&options->common);
	error("%s", why);
	return -1;
}

static int cmd_probe(int argc, char **argv)
{
	struct probe_run run = { .session = { .fd = -1 }, .result = EXIT_OWN };
	int signal;

	if (!parse(argc, argv, &run.options))
		probe_execute(&run);
	signal = run.wait.signal;
	probe_free(&run);
	if (signal)
		signals_die(signal);
	return run.result;
}

const struct command probe_command = {
	.name = "probe",
	.run = cmd_probe,
	.brief = "show system calls, tracepoints and functions of the kernel",
	.help = help,
	.grammar = &grammar,
};
