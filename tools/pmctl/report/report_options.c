// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "log/log_record.h"
#include "report/report_options.h"

enum {
	OPT_CHILDREN = 256, OPT_LIMIT, OPT_NO_INLINE, OPT_COMM, OPT_PID, OPT_TID, OPT_DSO,
	OPT_SYMBOL, OPT_EVENT, OPT_FOLDED, OPT_FLAMEGRAPH, OPT_SYMFS, OPT_NO_CHILDREN, OPT_INLINE,
	OPT_BY_ADDRESS, OPT_NOTHING, OPT_TIME,
};

static const struct option long_options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "sort", required_argument, NULL, 's' },
	{ "call-graph", required_argument, NULL, 'G' },
	{ "children", no_argument, NULL, OPT_CHILDREN },
	{ "no-children", no_argument, NULL, OPT_NO_CHILDREN },
	{ "percent-limit", required_argument, NULL, OPT_LIMIT },
	{ "by-address", no_argument, NULL, OPT_BY_ADDRESS },
	{ "inline", no_argument, NULL, OPT_INLINE },
	{ "no-inline", no_argument, NULL, OPT_NO_INLINE },
	{ "comm", required_argument, NULL, OPT_COMM },
	/* perf's names */
	{ "comms", required_argument, NULL, OPT_COMM },
	{ "dsos", required_argument, NULL, OPT_DSO },
	{ "symbols", required_argument, NULL, 'S' },
	{ "stdio", no_argument, NULL, OPT_NOTHING },
	{ "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "show-nr-samples", no_argument, NULL, 'n' },
	{ "pid", required_argument, NULL, OPT_PID },
	{ "tid", required_argument, NULL, OPT_TID },
	{ "dso", required_argument, NULL, OPT_DSO },
	{ "symbol", required_argument, NULL, OPT_SYMBOL },
	{ "cpu", required_argument, NULL, 'C' },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "event", required_argument, NULL, OPT_EVENT },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "folded", no_argument, NULL, OPT_FOLDED },
	{ "flamegraph", required_argument, NULL, OPT_FLAMEGRAPH },
	{ "symfs", required_argument, NULL, OPT_SYMFS },
	{ NULL, 0, NULL, 0 },
};

static const char *const sort_names[SORT_COUNT] = {
	[SORT_COMM] = "comm",	  [SORT_PID] = "pid",	      [SORT_TID] = "tid",
	[SORT_DSO] = "dso",	  [SORT_SYMBOL] = "symbol",   [SORT_SRCLINE] = "srcline",
	[SORT_CPU] = "cpu",
};

const char *report_options_sort_name(enum sort_key key)
{
	return sort_names[key];
}

static int add_sort(struct report_options *options, const char *word)
{
	/* perf's name */
	if (!strcmp(word, "sym"))
		word = "symbol";
	for (unsigned int key = 0; key < SORT_COUNT; key++) {
		if (strcmp(word, sort_names[key]))
			continue;
		if (!report_options_sorted_by(options, key))
			options->sort[options->sort_count++] = key;
		options->sorted_by |= 1U << key;
		return 0;
	}
	error("cannot sort by '%s'; choose from comm, pid, tid, dso, symbol, srcline, cpu", word);
	return -1;
}

/* Calls @take for each word of a comma-separated list. */
static int each_word(struct report_options *options, const char *text,
		     int (*take)(struct report_options *options, const char *word))
{
	char *copy = xstrdup(text), *rest = copy, *word;
	int result = 0;

	while (!result && (word = strsep(&rest, ",")))
		result = take(options, word);
	free(copy);
	return result;
}

static int take_sort(struct report_options *options, const char *text)
{
	options->sort_count = 0;
	options->sorted_by = 0;
	return each_word(options, text, add_sort);
}

static int take_number(const char *text, double *number)
{
	char *end;

	*number = strtod(text, &end);
	return end != text && !*end && *number >= 0 && *number <= 100 ? 0 : -1;
}

/*
 * A word of -g. perf's "callee" is a graph from the function out to its callers; its "caller"
 * begins at the callers, with --children.
 */
static int take_graph_word(struct report_options *options, const char *word)
{
	static const struct {
		const char *name;
		enum graph_kind kind;
	} kinds[] = {
		{ "none", GRAPH_NONE },	      { "callers", GRAPH_CALLERS },
		{ "callee", GRAPH_CALLERS },  { "graph", GRAPH_CALLERS },
		{ "callees", GRAPH_CALLEES }, { "caller", GRAPH_CALLEES },
	};

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(word, kinds[i].name))
			continue;
		options->graph = kinds[i].kind;
		return 0;
	}
	/* What perf does anyway, and pmctl too. */
	if (!strcmp(word, "function") || !strcmp(word, "percent"))
		return 0;
	options->graph_limit_given = true;
	if (!take_number(word, &options->graph_limit))
		return 0;
	error("a call graph shows 'callers' or 'callees', from a limit in percent on: "
	      "-g callees,0.5; '%s' is neither", word);
	return -1;
}

static int take_graph(struct report_options *options, const char *text)
{
	/* "0.5" alone limits the usual graph. */
	options->graph = GRAPH_CALLERS;
	return each_word(options, text, take_graph_word);
}

static int take_limit(struct report_options *options, const char *text)
{
	options->limit_given = true;
	if (!take_number(text, &options->limit))
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

static int take_plain(int letter, struct report_options *options)
{
	switch (letter) {
	case 'j':
		options->json = true;
		return 0;
	case OPT_CHILDREN:
		options->children = true;
		return 0;
	case OPT_NO_CHILDREN:
		options->children = false;
		return 0;
	case OPT_INLINE:
	case OPT_NO_INLINE:
		options->inlines = letter == OPT_INLINE;
		options->inlines_given = true;
		return 0;
	case 'n':
		options->show_samples = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	/* perf's options that change nothing here */
	case 'v':
	case 'B':
	case OPT_NOTHING:
		return 0;
	case OPT_BY_ADDRESS:
		options->by_address = true;
		return 0;
	case OPT_FOLDED:
		options->folded = true;
		return 0;
	default:
		return take_filter(letter, options);
	}
}

static int take(int letter, void *context)
{
	struct report_options *options = context;

	switch (letter) {
	case 'i':
		options->input = optarg;
		return 0;
	case 's':
		return take_sort(options, optarg);
	case 'g':
	case 'G':
		return take_graph(options, optarg ? optarg : "callers");
	case OPT_LIMIT:
		return take_limit(options, optarg);
	case 'x':
		return options_separator(optarg, &options->separator);
	case OPT_FLAMEGRAPH:
		options->flamegraph = optarg;
		return 0;
	case OPT_SYMFS:
		options->root = optarg;
		return 0;
	default:
		return take_plain(letter, options);
	}
}

/* A log named "callees" has to be written ./callees after -g. */
static const char *const graphs[] = {
	"callers", "callees", "caller", "callee", "graph", "none", NULL
};

const struct options_grammar report_options_grammar = {
	.command = "report",
	.letters = ":i:s:g::C:x:jc:d:S:vqBn",
	.own = long_options,
	.words = graphs,
	.take = take,
};

static int finish(struct report_options *options)
{
	struct stat root;

	if (options->separator && options->json) {
		error("-x and -j cannot be combined: choose one");
		return -1;
	}
	if (options->folded && (options->separator || options->json)) {
		error("--folded is a format of its own: it cannot be combined with -x or -j");
		return -1;
	}
	if (options->flamegraph && (options->separator || options->json)) {
		error("--flamegraph is a format of its own: it cannot be combined with -x or -j");
		return -1;
	}
	if (*options->root && (stat(options->root, &root) || !S_ISDIR(root.st_mode))) {
		error("--symfs needs a directory; '%s' is not a directory", options->root);
		return -1;
	}
	if (!options->sort_count)
		take_sort(options, "comm,dso,symbol");
	/* Without stacks, inlined functions would only split the functions that contain them. */
	if (!options->inlines_given)
		options->inlines = options->graph != GRAPH_NONE || options->folded ||
				   options->flamegraph;
	/* A graph of callees shows parts of the total: without --children there is no total. */
	if (options->graph == GRAPH_CALLEES)
		options->children = true;
	return 0;
}

/* The log may also be given without -i. */
static int take_rest(struct report_options *options, int argc, char **argv)
{
	if (optind < argc)
		options->input = argv[optind++];
	if (optind == argc)
		return 0;
	error("only one log can be reported at a time: '%s' is one too many", argv[optind]);
	return -1;
}

int report_options_parse(int argc, char **argv, struct report_options *options)
{
	memset(options, 0, sizeof(*options));
	options->input = LOG_RECORD_FILE;
	options->root = "";
	if (options_parse(argc, argv, &report_options_grammar, options))
		return -1;
	return take_rest(options, argc, argv) ? -1 : finish(options);
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

bool report_options_match_number(const struct numbers *numbers, long number)
{
	for (unsigned int i = 0; i < numbers->count; i++)
		if (numbers->list[i] == number)
			return true;
	return !numbers->count;
}

double report_options_graph_limit(const struct report_options *options)
{
	if (options->graph_limit_given)
		return options->graph_limit;
	if (options->limit_given)
		return options->limit;
	/* JSON is for programs, which get everything; but graphs of callees would be too large. */
	return options->json && options->graph != GRAPH_CALLEES ? 0.0 : 0.5;
}
