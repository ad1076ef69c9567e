// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "callees.h"
#include "error.h"
#include "profile_report.h"

#define DEPTH_MAX	1000

/**
 * struct growing - one entry's graph while it grows
 * @callees: what is made
 * @branches: of profile->tree
 * @graph: where to
 * @limit: smaller branches are left out, in events
 */
struct growing {
	const struct callees *callees;
	const struct branches *branches;
	struct tree *graph;
	uint64_t limit;
};

struct nodes {
	uint32_t *list;
	uint32_t count;
	uint32_t room;
};

static void add_node(struct nodes *nodes, uint32_t node)
{
	if (nodes->count == nodes->room) {
		nodes->room = nodes->room ? 2 * nodes->room : 16;
		nodes->list = xrealloc(nodes->list, nodes->room, sizeof(*nodes->list));
	}
	nodes->list[nodes->count++] = node;
}

static void add_children(const struct branches *branches, struct nodes *nodes, uint32_t parent)
{
	for (uint32_t i = branches->first[parent]; i < branches->first[parent + 1]; i++)
		add_node(nodes, branches->children[i]);
}

static int by_frame(const void *left, const void *right, void *context)
{
	const struct tree *tree = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint32_t fa = tree_node(tree, a).what, fb = tree_node(tree, b).what;

	if (fa != fb)
		return fa < fb ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* How many nodes from @first on are of the same frame, and what they add up to. */
static uint32_t group(const struct growing *growing, const struct nodes *nodes, uint32_t first,
		      uint64_t *events, uint64_t *samples)
{
	const struct tree *tree = &growing->callees->profile->tree;
	uint32_t frame = tree_node(tree, nodes->list[first]).what, at = first;

	*events = 0;
	*samples = 0;
	for (; at < nodes->count && tree_node(tree, nodes->list[at]).what == frame; at++) {
		*events += growing->branches->total[nodes->list[at]];
		*samples += growing->branches->samples[nodes->list[at]];
	}
	return at - first;
}

/* Grows what @nodes are of under @to, which has @events and @samples in all. */
static void grow(struct growing *growing, uint32_t to, struct nodes *nodes, uint64_t events,
		 uint64_t samples, int depth)
{
	const struct tree *tree = &growing->callees->profile->tree;
	uint64_t some, of;

	if (nodes->count)
		qsort_r(nodes->list, nodes->count, sizeof(*nodes->list), by_frame, (void *)tree);
	for (uint32_t first = 0, many; first < nodes->count; first += many) {
		struct nodes below = { 0 };
		uint32_t child;

		many = group(growing, nodes, first, &some, &of);
		if (!of || some < growing->limit || depth == DEPTH_MAX)
			continue;
		child = tree_child(growing->graph, to, tree_node(tree, nodes->list[first]).what);
		for (uint32_t i = first; i < first + many; i++)
			add_children(growing->branches, &below, nodes->list[i]);
		grow(growing, child, &below, some, of, depth + 1);
		free(below.list);
		events -= some;
		samples -= of;
	}
	tree_add(growing->graph, to, events, samples > UINT32_MAX ? UINT32_MAX : (uint32_t)samples);
}

/* Whether a function is not called by itself, from near or far. */
static bool is_outermost(const struct callees *callees, uint32_t node)
{
	const struct tree *tree = &callees->profile->tree;
	uint32_t entry = callees->entry_of[node];

	for (uint32_t at = tree_node(tree, node).parent; at != NODE_NONE;
	     at = tree_node(tree, at).parent)
		if (tree_node(tree, at).parent != NODE_NONE && callees->entry_of[at] == entry)
			return false;
	return true;
}

static struct nodes *nodes_of_entries(const struct callees *callees)
{
	struct nodes *of = xcalloc(callees->count, sizeof(*of));
	const struct tree *tree = &callees->profile->tree;

	for (uint32_t id = 0; id < tree_count(tree); id++)
		if (tree_node(tree, id).parent != NODE_NONE && is_outermost(callees, id))
			add_node(&of[callees->entry_of[id]], id);
	return of;
}

static void make_one(const struct callees *callees, const struct branches *branches,
		     struct tree *graph, uint32_t number, struct nodes *nodes)
{
	struct entry *entry = &callees->entries[number];
	uint32_t event = profile_group(callees->profile, entry->key.group)->event;
	uint64_t all = callees->profile->events[event].events;
	struct growing growing = { .callees = callees, .branches = branches, .graph = graph };
	struct nodes below = { 0 };

	growing.limit = (uint64_t)((double)all * profile_graph_limit(callees->options) / 100);
	if (entry->total < growing.limit || !entry->total_samples)
		return;
	entry->root = tree_child(graph, NODE_NONE, number);
	for (uint32_t i = 0; callees->named && i < nodes->count; i++)
		add_children(branches, &below, nodes->list[i]);
	grow(&growing, entry->root, callees->named ? &below : nodes, entry->total,
	     entry->total_samples, 0);
	free(below.list);
}

void callees_make(const struct callees *callees, struct tree *graph)
{
	struct nodes *of = nodes_of_entries(callees);
	struct branches branches;

	branches_make(&branches, &callees->profile->tree, callees->chosen);
	for (uint32_t i = 0; i < callees->count; i++) {
		make_one(callees, &branches, graph, i, &of[i]);
		free(of[i].list);
	}
	branches_free(&branches);
	free(of);
}
