// SPDX-License-Identifier: GPL-2.0-only
/* The options that report, annotate and diff share: the log, filters, and the format. */
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "base/terminal.h"
#include "log/log_record.h"
#include "report/report_options.h"

/* The commands' own options begin at 256. */
enum {
	OPT_LIMIT = 512, OPT_COMM, OPT_PID, OPT_TID, OPT_DSO, OPT_SYMBOL, OPT_EVENT, OPT_SYMFS,
	OPT_NOTHING, OPT_TIME, OPT_NO_PAGER,
};

const struct option shared_options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "percent-limit", required_argument, NULL, OPT_LIMIT },
	{ "comm", required_argument, NULL, OPT_COMM },
	{ "pid", required_argument, NULL, OPT_PID },
	{ "tid", required_argument, NULL, OPT_TID },
	{ "dso", required_argument, NULL, OPT_DSO },
	{ "symbol", required_argument, NULL, OPT_SYMBOL },
	{ "cpu", required_argument, NULL, 'C' },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "event", required_argument, NULL, OPT_EVENT },
	{ "show-nr-samples", no_argument, NULL, 'n' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "symfs", required_argument, NULL, OPT_SYMFS },
	{ "no-pager", no_argument, NULL, OPT_NO_PAGER },
	/* perf's names */
	{ "comms", required_argument, NULL, OPT_COMM },
	{ "dsos", required_argument, NULL, OPT_DSO },
	{ "symbols", required_argument, NULL, 'S' },
	{ "stdio", no_argument, NULL, OPT_NOTHING },
	{ "verbose", no_argument, NULL, 'v' },
	{ NULL, 0, NULL, 0 },
};

int shared_options_percent(const char *text, double *number)
{
	char *end;

	*number = strtod(text, &end);
	return end != text && !*end && *number >= 0 && *number <= 100 ? 0 : -1;
}

static int take_limit(struct report_options *options, const char *text)
{
	options->limit_given = true;
	if (!shared_options_percent(text, &options->limit))
		return 0;
	error("--percent-limit needs a number from 0 to 100, not '%s'", text);
	return -1;
}

static int add_patterns(struct patterns *patterns, const char *text)
{
	patterns_add_list(patterns, text);
	return 0;
}

/* perf's list of symbols. A name of C++ may contain commas: the whole text is a pattern too. */
static int add_symbols(struct patterns *patterns, const char *text)
{
	if (strchr(text, ','))
		patterns_add(patterns, text);
	return add_patterns(patterns, text);
}

static int add_numbers(struct numbers *numbers, const char *text, const char *option)
{
	char *copy = xstrdup(text), *rest = copy, *word;
	long number = 0;
	int result = 0;

	while (!result && (word = strsep(&rest, ","))) {
		result = number_parse(word, -1, INT_MAX, &number);
		if (result)
			error("%s needs numbers like 812 or 812,813, not '%s'", option, text);
		numbers->list = xrealloc(numbers->list, numbers->count + 1, sizeof(number));
		numbers->list[numbers->count++] = number;
	}
	free(copy);
	return result;
}

static int take_cpus(struct report_options *options, const char *text)
{
	options->cpu_text = text;
	return options_cpus(text, &options->cpus);
}

static int take_filter(int letter, struct report_options *options)
{
	switch (letter) {
	case OPT_COMM:
	case 'c':
		return add_patterns(&options->comms, optarg);
	case OPT_DSO:
	case 'd':
		return add_patterns(&options->dsos, optarg);
	case OPT_EVENT:
		/* Not a list: names of events and of C++ functions may contain commas. */
		patterns_add(&options->events, optarg);
		return 0;
	case 'S':
		return add_symbols(&options->symbols, optarg);
	case OPT_SYMBOL:
		patterns_add(&options->symbols, optarg);
		return 0;
	case OPT_PID:
		return add_numbers(&options->pids, optarg, "--pid");
	case OPT_TID:
		return add_numbers(&options->tids, optarg, "--tid");
	case OPT_TIME:
		options->time_text = optarg;
		return options_times(optarg, &options->times);
	case 'C':
		return take_cpus(options, optarg);
	default:
		return -1;
	}
}

int shared_options_take(int letter, struct report_options *options)
{
	switch (letter) {
	case 'i':
		options->input = optarg;
		return 0;
	case OPT_LIMIT:
		return take_limit(options, optarg);
	case 'x':
		return options_separator(optarg, &options->separator);
	case 'j':
		options->json = true;
		return 0;
	case OPT_SYMFS:
		options->root = optarg;
		return 0;
	case 'n':
		options->show_samples = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case OPT_NO_PAGER:
		terminal_no_pager();
		return 0;
	/* Options of perf that change nothing here. */
	case 'v':
	case 'B':
	case OPT_NOTHING:
		return 0;
	default:
		return take_filter(letter, options);
	}
}

int shared_options_check(const struct report_options *options)
{
	struct stat root;

	if (options->separator && options->json) {
		error("-x and -j cannot be combined: choose one");
		return -1;
	}
	if (*options->root && (stat(options->root, &root) || !S_ISDIR(root.st_mode))) {
		error("--symfs needs a directory; '%s' is not a directory", options->root);
		return -1;
	}
	return 0;
}

void shared_options_init(struct report_options *options)
{
	memset(options, 0, sizeof(*options));
	options->input = LOG_RECORD_FILE;
	options->root = "";
}

bool report_options_match_number(const struct numbers *numbers, long number)
{
	for (unsigned int i = 0; i < numbers->count; i++)
		if (numbers->list[i] == number)
			return true;
	return !numbers->count;
}

void report_options_free(struct report_options *options)
{
	patterns_free(&options->comms);
	patterns_free(&options->dsos);
	patterns_free(&options->symbols);
	patterns_free(&options->events);
	free(options->pids.list);
	free(options->tids.list);
	cpulist_free(&options->cpus);
	memset(options, 0, sizeof(*options));
}
