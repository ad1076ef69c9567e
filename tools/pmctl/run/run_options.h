/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_RUN_OPTIONS_H
#define PMCTL_RUN_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/cpulist.h"
#include "event/spec.h"
#include "run/match.h"
#include "run/pid_set.h"
#include "run/topology.h"

/**
 * struct run_options - the command line of pmctl stat; pmctl record uses a part of it
 * @specs: the events
 * @default_events: there was no -e: pmctl chooses @specs
 * @detailed: how often -d was given: with events of the caches, with more of them
 * @processes: -p
 * @threads: -t
 * @match: -T, -u and -G
 * @cpu_text: -C as typed, NULL without
 * @cpus: -C, or with -a all that are online
 * @system_wide: -a or -C
 * @bias: --bias
 * @repeat: -r, at least 1
 * @interval: -I in milliseconds, 0 without
 * @interval_count: --interval-count, 0 without
 * @delay: -D in milliseconds, 0 without, -1: never start
 * @timeout: --timeout in milliseconds, 0 without
 * @separator: -x, NULL without
 * @json: -j
 * @recorded: stat record: @output is for stat report
 * @output: -o, NULL without
 * @append: --append
 * @no_inherit: -i
 * @per_thread: --per-thread
 * @no_aggr: --no-aggr
 * @per_group: --per-core, --per-socket or --per-node
 * @pre: --pre, NULL without
 * @post: --post, NULL without
 * @per_switch: -W
 * @per_exit: -E
 * @command: the program and its arguments, or NULL
 */
struct run_options {
	struct spec_list specs;
	bool default_events;
	unsigned int detailed;
	struct pid_set processes;
	struct pid_set threads;
	struct match match;
	const char *cpu_text;
	struct cpulist cpus;
	bool system_wide;
	bool bias;
	long repeat;
	long interval;
	long interval_count;
	long delay;
	long timeout;
	const char *separator;
	bool json;
	bool recorded;
	const char *output;
	bool append;
	bool no_inherit;
	bool per_thread;
	bool no_aggr;
	enum topology_by per_group;
	const char *pre;
	const char *post;
	bool per_switch;
	bool per_exit;
	char **command;
};

/* The long forms of the options of run_options_take(). */
extern const struct option run_options_shared[];

/* Functions that return int return 0, or -1 after a message on standard error. */

/* Handles an option that stat and record share, with its value in @text. */
int run_options_take(int letter, const char *text, struct run_options *options);
int run_options_take_events(struct run_options *options, const char *text);
/* With -a, sets @cpus to the CPUs that are online. */
int run_options_find_cpus(struct run_options *options);
bool run_options_follow_tasks(const struct run_options *options);
/* Returns why the options for targets contradict each other; or NULL. */
const char *run_options_target_problem(const struct run_options *options);
void run_options_free(struct run_options *options);

#endif
