// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"

static size_t option_count(const struct option *list)
{
	size_t count = 0;

	while (list && list[count].name)
		count++;
	return count;
}

/* Returns all long options, in an array with room for one more. */
static struct option *all_options(const struct options_grammar *grammar, size_t *count)
{
	size_t shared = option_count(grammar->shared), own = option_count(grammar->own);
	struct option *all;

	*count = shared + own;
	all = xcalloc(*count + 2, sizeof(*all));
	if (shared)
		memcpy(all, grammar->shared, shared * sizeof(*all));
	memcpy(all + shared, grammar->own, own * sizeof(*all));
	return all;
}

/*
 * getopt_long() does not take a separate word as the value of an option with an optional value: "-g
 * dwarf". If one of @words follows, it becomes optarg.
 */
static void take_word(int letter, int argc, char **argv, const struct options_grammar *grammar)
{
	size_t length;

	if (letter != 'g' || optarg || optind >= argc || !grammar->words)
		return;
	length = strcspn(argv[optind], ",");
	for (unsigned int i = 0; !optarg && grammar->words[i]; i++)
		if (strlen(grammar->words[i]) == length &&
		    !memcmp(argv[optind], grammar->words[i], length))
			optarg = argv[optind];
	optind += optarg ? 1 : 0;
}

/* getopt_long() returns 'h' for "--help", and '?' for -h where that is not an option. */
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
	/* getopt_long() reorders the array. */
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	opterr = 0;
	optind = 0;
	do {
		letter = getopt_long(argc, words, grammar->letters, all, NULL);
		take_word(letter, argc, words, grammar);
	} while (letter != -1 && !is_help(letter));
	free(all);
	free(words);
	return letter != -1;
}

/* optopt is also set for a known long option that was given a value but takes none. */
static bool is_known(int letter, const struct options_grammar *grammar)
{
	return letter >= 256 || (isalpha(letter) && strchr(grammar->letters, letter));
}

/* Reports the error after getopt_long() returned '?' or ':'. Always returns -1. */
static int misused(int letter, char **argv, const struct options_grammar *grammar)
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

int options_parse(int argc, char **argv, const struct options_grammar *grammar, void *context)
{
	size_t count;
	struct option *all = all_options(grammar, &count);
	int letter, result = 0;

	opterr = 0;
	optind = 1;
	while (!result &&
	       (letter = getopt_long(argc, argv, grammar->letters, all, NULL)) != -1) {
		take_word(letter, argc, argv, grammar);
		result = letter == '?' || letter == ':' ?
			 misused(letter, argv, grammar) :
			 grammar->take(letter, context);
	}
	free(all);
	return result;
}

int options_number(const char *text, long low, const char *option, long *value)
{
	if (!number_parse(text, low, INT_MAX, value))
		return 0;
	error("%s needs a number from %ld to %d, not '%s'", option, low, INT_MAX, text);
	return -1;
}

int options_seconds(const char *text, const char *option, long *ms)
{
	char *end;
	double seconds = strtod(text, &end);

	/* The comparisons are false for "nan". */
	if (end != text && !*end && seconds >= 0.001 && seconds <= INT_MAX) {
		*ms = (long)(seconds * 1000);
		return 0;
	}
	error("%s needs a number of seconds from 0.001 to %d, not '%s'", option, INT_MAX, text);
	return -1;
}

int options_cpus(const char *text, struct cpulist *cpus)
{
	cpulist_free(cpus);
	if (!cpulist_parse(text, cpus))
		return 0;
	error("'%s' is not a list of CPUs; write it like 0,2-3", text);
	return -1;
}

/* "12.5" in ns. Returns the character after it, or NULL. */
static const char *take_seconds(const char *text, uint64_t *time)
{
	uint64_t unit = 1000000000;
	bool any = false;

	for (*time = 0; isdigit((unsigned char)*text) && *time < UINT64_MAX / 100; text++) {
		*time = *time * 10 + (uint64_t)(*text - '0');
		any = true;
	}
	if (__builtin_mul_overflow(*time, unit, time))
		return NULL;
	for (text += *text == '.'; isdigit((unsigned char)*text); text++, any = true) {
		unit /= 10;
		*time += unit * (uint64_t)(*text - '0');
	}
	return any ? text : NULL;
}

int options_times(const char *text, struct time_range *times)
{
	const char *at = text;

	*times = (struct time_range){ 0, UINT64_MAX };
	if (*at != ',')
		at = take_seconds(at, &times->first);
	if (at && *at == ',' && at[1])
		at = take_seconds(at + 1, &times->last);
	else if (at && *at == ',')
		at++;
	if (at && !*at && strcmp(text, ",") && times->first <= times->last)
		return 0;
	error("--time needs seconds from the log, such as 12.5,13 or 12.5, or ,13; not '%s'", text);
	return -1;
}

int options_separator(const char *text, const char **separator)
{
	*separator = strcmp(text, "\\t") ? text : "\t";
	if (*text && !strpbrk(text, "\"\r\n"))
		return 0;
	error("-x needs a separator; it must not be empty or contain a quote or a line break");
	return -1;
}
