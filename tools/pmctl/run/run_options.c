// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "run/run_options.h"

int run_options_take_events(struct run_options *options, const char *text)
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
		/* A process that is given twice is one target. */
		pid_set_add(set, (pid_t)pid);
	}
	free(copy);
	return 0;
}

static int take_cpus(struct run_options *options, const char *text)
{
	options->cpu_text = text;
	options->system_wide = true;
	return options_cpus(text, &options->cpus);
}

int run_options_take(int letter, const char *text, struct run_options *options)
{
	switch (letter) {
	case 'e':
		return run_options_take_events(options, text);
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
		return options_number(text, -1, "-D", &options->delay);
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

/* The long forms of the options of run_options_take(). */
const struct option run_options_shared[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "delay", required_argument, NULL, 'D' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "output", required_argument, NULL, 'o' },
	{ NULL, 0, NULL, 0 },
};

bool run_options_follow_tasks(const struct run_options *options)
{
	return options->processes.count || options->threads.count || match_any(&options->match);
}

const char *run_options_target_problem(const struct run_options *options)
{
	if (options->system_wide && match_any(&options->match))
		return "-T, -u and -G choose tasks, -a and -C choose CPUs: use one kind only";
	if (options->system_wide && run_options_follow_tasks(options))
		return "-p and -t choose tasks, -a and -C choose CPUs: use one kind only";
	if (match_any(&options->match) && (options->processes.count || options->threads.count))
		return "-p and -t cannot be combined with -T, -u and -G: choose one";
	if (options->processes.count && options->threads.count)
		return "-p and -t cannot be combined: choose one";
	if (!options->system_wide && !run_options_follow_tasks(options) && !options->command)
		return "no target: give a program to run, or -p PID, or -a";
	return NULL;
}

int run_options_find_cpus(struct run_options *options)
{
	if (!options->system_wide || options->cpus.count || !cpulist_online(&options->cpus))
		return 0;
	error("cannot read the list of online CPUs: %s; list them with -C", strerror(errno));
	return -1;
}

void run_options_free(struct run_options *options)
{
	spec_list_free(&options->specs);
	pid_set_free(&options->processes);
	pid_set_free(&options->threads);
	match_free(&options->match);
	cpulist_free(&options->cpus);
}
