// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "report/report_options.h"

enum {
	OPT_CHILDREN = 256, OPT_NO_CHILDREN, OPT_INLINE, OPT_NO_INLINE, OPT_BY_ADDRESS, OPT_FOLDED,
	OPT_FLAMEGRAPH,
};

static const struct option long_options[] = {
	{ "sort", required_argument, NULL, 's' },
	{ "call-graph", required_argument, NULL, 'G' },
	{ "children", no_argument, NULL, OPT_CHILDREN },
	{ "no-children", no_argument, NULL, OPT_NO_CHILDREN },
	{ "by-address", no_argument, NULL, OPT_BY_ADDRESS },
	{ "inline", no_argument, NULL, OPT_INLINE },
	{ "no-inline", no_argument, NULL, OPT_NO_INLINE },
	{ "folded", no_argument, NULL, OPT_FOLDED },
	{ "flamegraph", required_argument, NULL, OPT_FLAMEGRAPH },
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

int report_options_take_sort(struct report_options *options, const char *text)
{
	options->sort_count = 0;
	options->sorted_by = 0;
	return each_word(options, text, add_sort);
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
	/* perf's words for what both tools always do. */
	if (!strcmp(word, "function") || !strcmp(word, "percent"))
		return 0;
	options->graph_limit_given = true;
	if (!shared_options_percent(word, &options->graph_limit))
		return 0;
	error("-g takes callers, callees or none, and a limit in percent, as in -g callees,0.5; not '%s'",
	      word);
	return -1;
}

static int take_graph(struct report_options *options, const char *text)
{
	/* "0.5" alone limits the default graph. */
	options->graph = GRAPH_CALLERS;
	return each_word(options, text, take_graph_word);
}

static int take(int letter, void *context)
{
	struct report_options *options = context;

	switch (letter) {
	case 's':
		return report_options_take_sort(options, optarg);
	case 'g':
	case 'G':
		return take_graph(options, optarg ? optarg : "callers");
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
	case OPT_BY_ADDRESS:
		options->by_address = true;
		return 0;
	case OPT_FOLDED:
		options->folded = true;
		return 0;
	case OPT_FLAMEGRAPH:
		options->flamegraph = optarg;
		return 0;
	default:
		return shared_options_take(letter, options);
	}
}

/* A log named "callees" must be given as ./callees after -g. */
static const char *const graphs[] = {
	"callers", "callees", "caller", "callee", "graph", "none", NULL
};

const struct options_grammar report_options_grammar = {
	.command = "report",
	.letters = ":i:s:g::C:x:jc:d:S:vqBn",
	.own = long_options,
	.shared = shared_options,
	.words = graphs,
	.take = take,
};

static int finish(struct report_options *options)
{
	if (shared_options_check(options))
		return -1;
	if (options->folded && (options->separator || options->json)) {
		error("--folded is a format of its own: it cannot be combined with -x or -j");
		return -1;
	}
	if (options->flamegraph && (options->separator || options->json)) {
		error("--flamegraph is a format of its own: it cannot be combined with -x or -j");
		return -1;
	}
	if (!options->sort_count)
		report_options_take_sort(options, "comm,dso,symbol");
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
	error("only one log can be reported at a time: '%s' is a second one", argv[optind]);
	return -1;
}

int report_options_parse(int argc, char **argv, struct report_options *options)
{
	shared_options_init(options);
	if (options_parse(argc, argv, &report_options_grammar, options))
		return -1;
	return take_rest(options, argc, argv) ? -1 : finish(options);
}

double report_options_graph_limit(const struct report_options *options)
{
	if (options->graph_limit_given)
		return options->graph_limit;
	if (options->limit_given)
		return options->limit;
	/* JSON is for programs, which get all data; but graphs of callees would be too large. */
	return options->json && options->graph != GRAPH_CALLEES ? 0.0 : 0.5;
}
