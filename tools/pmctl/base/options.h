/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_OPTIONS_H
#define PMCTL_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cpulist.h"

/**
 * struct options_grammar - the options of a command
 * @command: its name, for messages
 * @letters: all letters, as for getopt_long()
 * @own: the long options that only this command has; ends with a name of NULL
 * @shared: the long options that it shares with others, likewise; or NULL
 * @words: what may follow -g as a separate word, up to a comma; ends with NULL; or NULL
 * @take: for options_parse(): handles one option, whose value is in optarg; 0, or -1 after a
 *	message
 */
struct options_grammar {
	const char *command;
	const char *letters;
	const struct option *own;
	const struct option *shared;
	const char *const *words;
	int (*take)(int letter, void *context);
};

/* Whether --help or -h is among the options. Does not change @argv. */
bool options_ask_help(int argc, char **argv, const struct options_grammar *grammar);

/*
 * Calls @grammar->take for each option; optind is then the index of the first argument
 * after them. 0, or -1 after a message on standard error.
 */
int options_parse(int argc, char **argv, const struct options_grammar *grammar, void *context);

/*
 * The value of one option. 0, or -1 after a message on standard error; @option is the
 * option's name for it.
 */
int options_number(const char *text, long low, const char *option, long *value);
int options_cpus(const char *text, struct cpulist *cpus);
/* "0.3": seconds, in milliseconds. */
int options_seconds(const char *text, const char *option, long *ms);

/**
 * struct time_range - a range of times of a log, in ns
 * @first: the first time of the range
 * @last: the last time of the range, which is part of it
 */
struct time_range {
	uint64_t first;
	uint64_t last;
};

/* --time: "12.5,13", in seconds; a missing end leaves the range open. */
int options_times(const char *text, struct time_range *times);

static inline bool options_in_times(const struct time_range *times, uint64_t time)
{
	return time >= times->first && time <= times->last;
}

/* -x: the separator of CSV fields. */
int options_separator(const char *text, const char **separator);

#endif
