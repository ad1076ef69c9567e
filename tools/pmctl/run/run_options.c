// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "run/run_options.h"

int options_take_events(struct options *options, const char *text)
{
	char why[256];

	if (!spec_parse(text, &options->specs, why, sizeof(why)))
		return 0;
	error("%s", why);
	return -1;
}

static int take_pids(struct pid_set *set, const char *text, const char *what)
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
	error("%s needs a number from %ld to %d, not '%s'", option, low, INT_MAX, text);
	return -1;
}

static int take_cpus(struct options *options, const char *text)
{
	options->cpu_text = text;
	options->system_wide = true;
	cpulist_free(&options->cpus);
	if (!cpulist_parse(text, &options->cpus))
		return 0;
	error("'%s' is not a list of CPUs; write it like 0,2-3", text);
	return -1;
}

int options_take(int letter, const char *text, struct options *options)
{
	switch (letter) {
	case 'e':
		return options_take_events(options, text);
	case 'p':
		return take_pids(&options->processes, text, "process");
	case 't':
		return take_pids(&options->threads, text, "thread");
	case 'a':
		options->system_wide = true;
		return 0;
	case 'C':
		return take_cpus(options, text);
	case 'D':
		return options_take_number(text, -1, "-D", &options->delay);
	case 'i':
		options->no_inherit = true;
		return 0;
	case 'o':
		options->output = text;
		return 0;
	default:
		return -1;
	}
}

/* The long forms of what options_take() takes. */
static const struct option shared_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "delay", required_argument, NULL, 'D' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "output", required_argument, NULL, 'o' },
};

#define SHARED_OPTIONS	(sizeof(shared_options) / sizeof(shared_options[0]))

/* With room for one more. */
static struct option *all_options(const struct options_grammar *grammar, size_t *count)
{
	size_t shared = grammar->shared ? SHARED_OPTIONS : 0, own = 0;
	struct option *all;

	while (grammar->own[own].name)
		own++;
	*count = shared + own;
	all = xcalloc(*count + 2, sizeof(*all));
	memcpy(all, shared_options, shared * sizeof(*all));
	memcpy(all + shared, grammar->own, own * sizeof(*all));
	return all;
}

void options_take_graph(int letter, int argc, char **argv, const struct options_grammar *grammar)
{
	if (letter != 'g' || optarg || optind >= argc || !grammar->graphs)
		return;
	for (unsigned int i = 0; !optarg && grammar->graphs[i]; i++)
		if (!strcmp(argv[optind], grammar->graphs[i]))
			optarg = argv[optind];
	optind += optarg ? 1 : 0;
}

/* What getopt_long() makes of "--help", or of a letter 'h' that it does not know. */
static bool is_help(int letter)
{
	return letter == 'h' || (letter == '?' && optopt == 'h');
}

bool options_ask_help(int argc, char **argv, const struct options_grammar *grammar)
{
	char **words = xcalloc((size_t)argc + 1, sizeof(*words));
	size_t count;
	struct option *all = all_options(grammar, &count);
	int letter;

	all[count] = (struct option){ "help", no_argument, NULL, 'h' };
	/* It moves words that are no options to the end. */
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	opterr = 0;
	optind = 0;
	do {
		letter = getopt_long(argc, words, grammar->letters, all, NULL);
		options_take_graph(letter, argc, words, grammar);
	} while (letter != -1 && !is_help(letter));
	free(all);
	free(words);
	return letter != -1;
}

int options_walk(int argc, char **argv, const struct options_grammar *grammar, void *context)
{
	size_t count;
	struct option *all = all_options(grammar, &count);
	int letter, result = 0;

	opterr = 0;
	optind = 1;
	while (!result &&
	       (letter = getopt_long(argc, argv, grammar->letters, all, NULL)) != -1) {
		options_take_graph(letter, argc, argv, grammar);
		result = letter == '?' || letter == ':' ?
			 options_misused(letter, argv, grammar) :
			 grammar->take(letter, context);
	}
	free(all);
	return result;
}

/* getopt_long() names the option in both cases: one that there is not, and one with a value. */
static bool is_known(int letter, const struct options_grammar *grammar)
{
	return letter >= 256 || (isalpha(letter) && strchr(grammar->letters, letter));
}

int options_misused(int letter, char **argv, const struct options_grammar *grammar)
{
	const char *what = argv[optind - 1], *command = grammar->command;

	if (letter == ':')
		error("option '%s' needs a value; 'pmctl %s --help' explains it", what, command);
	else if (is_known(optopt, grammar))
		error("option '%s' takes no value; 'pmctl %s --help' explains it", what, command);
	else if (optopt)
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
		return "nothing to follow: give a program to run, or -p PID, or -a";
	return NULL;
}

int options_find_cpus(struct options *options)
{
	if (!options->system_wide || options->cpus.count || !cpulist_online(&options->cpus))
		return 0;
	error("cannot read which CPUs are online: %s; name them with -C", strerror(errno));
	return -1;
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
