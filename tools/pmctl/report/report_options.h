/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_REPORT_OPTIONS_H
#define PMCTL_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpulist.h"
#include "base/options.h"
#include "base/patterns.h"

/* The keys of --sort. */
enum sort_key {
	SORT_COMM,
	SORT_PID,
	SORT_TID,
	SORT_DSO,
	SORT_SYMBOL,
	SORT_SRCLINE,
	SORT_CPU,
	SORT_COUNT,
};

enum graph_kind { GRAPH_NONE, GRAPH_CALLERS, GRAPH_CALLEES };

struct numbers {
	long *list;
	unsigned int count;
};

/**
 * struct report_options - the command line of pmctl report
 * @input: -i; "-" standard input
 * @sort: --sort, in its order
 * @sort_count: number of keys in @sort
 * @sorted_by: the keys of @sort as a bit mask
 * @graph: -g
 * @children: --children
 * @limit: --percent-limit
 * @limit_given: @limit was given
 * @graph_limit: of -g, for branches
 * @graph_limit_given: @graph_limit was given
 * @show_samples: -n
 * @quiet: -q
 * @inlines: show inlined functions: with --inline, and by default with stacks
 * @inlines_given: --inline or --no-inline
 * @by_address: --by-address
 * @comms: --comm
 * @dsos: --dso
 * @symbols: --symbol
 * @events: --event
 * @pids: --pid
 * @tids: --tid
 * @time_text: --time as typed, or NULL
 * @times: --time
 * @cpu_text: --cpu as typed, or NULL
 * @cpus: --cpu
 * @separator: -x, NULL without
 * @json: -j
 * @folded: --folded
 * @flamegraph: --flamegraph, NULL without
 * @root: --symfs, "" without
 */
struct report_options {
	const char *input;
	enum sort_key sort[SORT_COUNT];
	unsigned int sort_count;
	unsigned int sorted_by;
	enum graph_kind graph;
	bool children;
	double limit;
	bool limit_given;
	double graph_limit;
	bool graph_limit_given;
	bool show_samples;
	bool quiet;
	bool inlines;
	bool inlines_given;
	bool by_address;
	struct patterns comms;
	struct patterns dsos;
	struct patterns symbols;
	struct patterns events;
	struct numbers pids;
	struct numbers tids;
	const char *time_text;
	struct time_range times;
	const char *cpu_text;
	struct cpulist cpus;
	const char *separator;
	bool json;
	bool folded;
	const char *flamegraph;
	const char *root;
};

/* The options of shared_options.c, which report, annotate and diff share: for options_grammar. */
extern const struct option shared_options[];

void shared_options_init(struct report_options *options);
/* Takes one of the shared options. 0, or -1 after a message on standard error. */
int shared_options_take(int letter, struct report_options *options);
/* Call after all options: checks whether they contradict each other. 0, or -1 after a message. */
int shared_options_check(const struct report_options *options);
/* Parses a number from 0 to 100. 0, or -1 without a message. */
int shared_options_percent(const char *text, double *number);

extern const struct options_grammar report_options_grammar;

/* 0, or -1 after a message on standard error. */
int report_options_parse(int argc, char **argv, struct report_options *options);
void report_options_free(struct report_options *options);

/* Takes the value of --sort. 0, or -1 after a message. */
int report_options_take_sort(struct report_options *options, const char *text);
/* "comm", "pid", ... */
const char *report_options_sort_name(enum sort_key key);
static inline bool report_options_sorted_by(const struct report_options *options, enum sort_key key)
{
	return options->sorted_by >> key & 1;
}

/* Whether a filter matches; an empty filter always matches. */
bool report_options_match_number(const struct numbers *numbers, long number);

/* Returns the least share of events of a shown branch of a call graph, in percent. */
double report_options_graph_limit(const struct report_options *options);

#endif
