// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "number.h"
#include "options.h"

enum { OPT_APPEND = 256, OPT_TIMEOUT, OPT_PER_THREAD };

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "repeat", required_argument, NULL, 'r' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "delay", required_argument, NULL, 'D' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "json-output", no_argument, NULL, 'j' },
	{ "output", required_argument, NULL, 'o' },
	{ "append", no_argument, NULL, OPT_APPEND },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "per-thread", no_argument, NULL, OPT_PER_THREAD },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "per-switch", no_argument, NULL, 'W' },
	{ "per-exit", no_argument, NULL, 'E' },
	{ NULL, 0, NULL, 0 },
};

/* What most machines can count, in six rows. */
static const char default_specs[] =
	"cycles,instructions,branches,branch-misses,cache-references,cache-misses";

int options_take_events(struct options *options, const char *text)
{
	char why[256];

	if (!spec_parse(text, &options->specs, why, sizeof(why)))
		return 0;
	error("%s", why);
	return -1;
}

int options_take_pids(struct pid_set *set, const char *text, const char *what)
{
	char *copy = xstrdup(text), *rest = copy, *word;
	long pid = 0;

	while ((word = strsep(&rest, ","))) {
		if (number_parse(word, 1, INT_MAX, &pid)) {
			error("'%s' is not a %s id; give numbers like 812 or 812,813", word, what);
			free(copy);
			return -1;
		}
		set->pid = xrealloc(set->pid, set->count + 1, sizeof(*set->pid));
		set->pid[set->count++] = (pid_t)pid;
	}
	free(copy);
	return 0;
}

int options_take_number(const char *text, long low, const char *option, long *value)
{
	if (!number_parse(text, low, INT_MAX, value))
		return 0;
	error("%s needs a number of at least %ld, not '%s'", option, low, text);
	return -1;
}

int options_take_cpus(struct options *options, const char *text)
{
	options->cpu_text = text;
	options->system_wide = true;
	cpulist_free(&options->cpus);
	if (!cpulist_parse(text, &options->cpus))
		return 0;
	error("'%s' is not a list of CPUs; write it like 0,2-3", text);
	return -1;
}

static int take_separator(struct options *options, const char *text)
{
	options->separator = strcmp(text, "\\t") ? text : "\t";
	if (*text && !strpbrk(text, "\"\r\n"))
		return 0;
	error("-x needs a separator that is neither empty nor a quote nor a line break");
	return -1;
}

static int take_plain(int letter, struct options *options)
{
	switch (letter) {
	case 'a':
		options->system_wide = true;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'i':
		options->no_inherit = true;
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
	case OPT_APPEND:
		options->append = true;
		return 0;
	case OPT_PER_THREAD:
		options->per_thread = true;
		return 0;
	default:
		return -1;
	}
}

static int take(int letter, struct options *options)
{
	switch (letter) {
	case 'e':
		return options_take_events(options, optarg);
	case 'p':
		return options_take_pids(&options->processes, optarg, "process");
	case 't':
		return options_take_pids(&options->threads, optarg, "thread");
	case 'C':
		return options_take_cpus(options, optarg);
	case 'r':
		return options_take_number(optarg, 1, "-r", &options->repeat);
	case 'I':
		return options_take_number(optarg, 1, "-I", &options->interval);
	case 'D':
		return options_take_number(optarg, -1, "-D", &options->delay);
	case 'x':
		return take_separator(options, optarg);
	case 'o':
		options->output = optarg;
		return 0;
	case OPT_TIMEOUT:
		return options_take_number(optarg, 1, "--timeout", &options->timeout);
	default:
		return take_plain(letter, options);
	}
}

int options_misused(int letter, char **argv, const char *command)
{
	const char *what = argv[optind - 1];

	if (letter == ':')
		error("option '%s' needs a value; 'pmctl %s --help' explains it", what, command);
	else if (optopt && optopt < 256)
		error("unknown option '-%c'; 'pmctl %s --help' lists them", optopt, command);
	else
		error("unknown or incomplete option '%s'; 'pmctl %s --help' lists them", what,
		      command);
	return -1;
}

bool options_follow_tasks(const struct options *options)
{
	return options->processes.count || options->threads.count;
}

const char *options_target_problem(const struct options *options)
{
	if (options->system_wide && options_follow_tasks(options))
		return "-p and -t follow tasks, -a and -C count CPUs: choose one";
	if (options->processes.count && options->threads.count)
		return "-p and -t do not go together: choose one";
	if (!options->system_wide && !options_follow_tasks(options) && !options->command)
		return "nothing to count: give a program to run, or -p PID, or -a";
	return NULL;
}

static bool writes_lines(const struct options *options)
{
	return options->per_switch || options->per_exit;
}

/* What does not go together, and why not. */
static const char *contradiction(const struct options *options)
{
	const char *why = options_target_problem(options);

	if (why)
		return why;
	if (writes_lines(options) && options->system_wide)
		return "-W and -E follow tasks: use them without -a and -C";
	if (writes_lines(options) && (options->repeat > 1 || options->interval))
		return "-W and -E go neither with -r nor with -I";
	if (options->separator && options->json)
		return "-x and -j do not go together: choose one";
	if (options->append && !options->output)
		return "--append needs -o FILE";
	if (options->no_aggr && !options->system_wide)
		return "--no-aggr needs -a or -C";
	if (options->per_thread && options->system_wide)
		return "--per-thread follows tasks: use it without -a and -C";
	if (options->repeat > 1 && !options->command)
		return "-r repeats a program: give one";
	if (options->repeat > 1 && (options->interval || options->per_thread))
		return "-r goes neither with -I nor with --per-thread";
	return NULL;
}

int options_find_cpus(struct options *options)
{
	if (!options->system_wide || options->cpus.count || !cpulist_online(&options->cpus))
		return 0;
	error("cannot read which CPUs are online: %s; name them with -C", strerror(errno));
	return -1;
}

static int finish(struct options *options)
{
	const char *why = contradiction(options);

	if (why) {
		error("%s", why);
		return -1;
	}
	if (!options->specs.count) {
		options->default_events = true;
		if (options_take_events(options, default_specs))
			return -1;
	}
	return options_find_cpus(options);
}

int options_parse(int argc, char **argv, struct options *options)
{
	int letter;

	memset(options, 0, sizeof(*options));
	options->repeat = 1;
	opterr = 0;
	optind = 1;
	while ((letter = getopt_long(argc, argv, "+:e:p:t:aC:r:I:D:x:jo:iAWE", long_options,
				     NULL)) != -1) {
		if (letter == '?' || letter == ':')
			return options_misused(letter, argv, "stat");
		if (take(letter, options))
			return -1;
	}
	if (optind < argc)
		options->command = argv + optind;
	return finish(options);
}

static void pid_set_free(struct pid_set *set)
{
	free(set->pid);
	memset(set, 0, sizeof(*set));
}

void options_free(struct options *options)
{
	spec_list_free(&options->specs);
	pid_set_free(&options->processes);
	pid_set_free(&options->threads);
	cpulist_free(&options->cpus);
}
