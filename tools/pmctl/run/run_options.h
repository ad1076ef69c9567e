/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_RUN_OPTIONS_H
#define PMCTL_RUN_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/cpulist.h"
#include "event/spec.h"

/**
 * struct pid_set - what -p or -t named
 * @count: how many
 * @pid: the numbers
 */
struct pid_set {
	unsigned int count;
	pid_t *pid;
};

/**
 * struct options - the command line of pmctl stat; pmctl record uses a part of it
 * @specs: the events
 * @default_events: there was no -e: @specs is our choice
 * @processes: -p
 * @threads: -t
 * @cpu_text: -C as typed, NULL without
 * @cpus: -C, or with -a all that are online
 * @system_wide: -a or -C
 * @repeat: -r, at least 1
 * @interval: -I in milliseconds, 0 without
 * @delay: -D in milliseconds, 0 without, -1: never start
 * @timeout: --timeout in milliseconds, 0 without
 * @separator: -x, NULL without
 * @json: -j
 * @output: -o, NULL without
 * @append: --append
 * @no_inherit: -i
 * @per_thread: --per-thread
 * @no_aggr: --no-aggr
 * @per_switch: -W
 * @per_exit: -E
 * @command: the program and its arguments, or NULL
 */
struct options {
	struct spec_list specs;
	bool default_events;
	struct pid_set processes;
	struct pid_set threads;
	const char *cpu_text;
	struct cpulist cpus;
	bool system_wide;
	long repeat;
	long interval;
	long delay;
	long timeout;
	const char *separator;
	bool json;
	const char *output;
	bool append;
	bool no_inherit;
	bool per_thread;
	bool no_aggr;
	bool per_switch;
	bool per_exit;
	char **command;
};

/**
 * struct options_grammar - the options of a command
 * @command: its name, for sentences
 * @letters: all letters, as for getopt_long()
 * @own: the long forms of those that only this command has; ends with a name of NULL
 * @graphs: what may stand behind -g as a word of its own; ends with NULL; or NULL
 * @shared: it has those of options_take(), too
 * @take: for options_walk(): takes one of its own, or gives it to options_take(); 0, or -1 after
 *	a sentence
 */
struct options_grammar {
	const char *command;
	const char *letters;
	const struct option *own;
	const char *const *graphs;
	bool shared;
	int (*take)(int letter, void *context);
};

/* Is there --help or -h where an option may be? It leaves argv as it is. */
bool options_ask_help(int argc, char **argv, const struct options_grammar *grammar);

/*
 * getopt_long() takes no word of its own for a value that need not be: "-g dwarf". If one of
 * @graphs stands there, it is optarg, and done.
 */
void options_take_graph(int letter, int argc, char **argv, const struct options_grammar *grammar);

/* Takes all options; optind is then where the rest begins. 0, or -1 after a sentence. */
int options_walk(int argc, char **argv, const struct options_grammar *grammar, void *context);
void options_free(struct options *options);

/*
 * Parts of it. What can fail returns 0, or -1 after a sentence on standard error;
 * @option is for that sentence.
 */

/* An option that stat and record share, with its value in @text. */
int options_take(int letter, const char *text, struct options *options);
int options_take_events(struct options *options, const char *text);
int options_take_number(const char *text, long low, const char *option, long *value);
/* getopt_long() returned '?' or ':'. Always -1. */
int options_misused(int letter, char **argv, const struct options_grammar *grammar);
/* With -a, the CPUs that are online. */
int options_find_cpus(struct options *options);
bool options_follow_tasks(const struct options *options);
/* What does not go together in who is to be counted, and why not; or NULL. */
const char *options_target_problem(const struct options *options);

#endif
