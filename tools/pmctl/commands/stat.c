// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <string.h>

#include "base/error.h"
#include "commands/command.h"
#include "run/stat.h"

enum { OPT_APPEND = 256, OPT_TIMEOUT, OPT_PER_THREAD };

static const struct option own_options[] = {
	{ "repeat", required_argument, NULL, 'r' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "json-output", no_argument, NULL, 'j' },
	{ "append", no_argument, NULL, OPT_APPEND },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "per-thread", no_argument, NULL, OPT_PER_THREAD },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "per-switch", no_argument, NULL, 'W' },
	{ "per-exit", no_argument, NULL, 'E' },
	{ NULL, 0, NULL, 0 },
};

/* What most machines can count, in six rows; and any machine, without a row. */
#define HARDWARE "cycles,instructions,branches,branch-misses,cache-references,cache-misses"
#define SOFTWARE "task-clock,context-switches,page-faults"

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
	case 'j':
		options->json = true;
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
		return options_take(letter, optarg, options);
	}
}

static int take(int letter, void *context)
{
	struct options *options = context;

	switch (letter) {
	case 'r':
		return options_take_number(optarg, 1, "-r", &options->repeat);
	case 'I':
		return options_take_number(optarg, 1, "-I", &options->interval);
	case 'x':
		return take_separator(options, optarg);
	case OPT_TIMEOUT:
		return options_take_number(optarg, 1, "--timeout", &options->timeout);
	default:
		return take_plain(letter, options);
	}
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

static int finish(struct options *options)
{
	const char *why = contradiction(options);

	if (why) {
		error("%s", why);
		return -1;
	}
	options->default_events = !options->specs.count;
	return options_find_cpus(options);
}

const struct options_grammar stat_grammar = {
	.command = "stat",
	.letters = "+:e:p:t:aC:r:I:D:x:jo:iAWE",
	.own = own_options,
	.shared = true,
	.take = take,
};

int stat_options_parse(int argc, char **argv, struct options *options)
{
	memset(options, 0, sizeof(*options));
	options->repeat = 1;
	if (options_walk(argc, argv, &stat_grammar, options))
		return -1;
	if (optind < argc)
		options->command = argv + optind;
	return finish(options);
}

int stat_options_choose(struct options *options, const struct machine *machine)
{
	if (!options->default_events)
		return 0;
	return options_take_events(options, machine->core ? HARDWARE : HARDWARE "," SOFTWARE);
}
