// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "report/call_graph.h"
#include "report/report.h"

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

/* A frame and a node of it: in one word, since sorting is where the time goes. */
struct nodes {
	uint64_t *list;
	uint32_t count;
	uint32_t room;
};

static void add_node(struct nodes *nodes, const struct tree *tree, uint32_t node)
{
	if (nodes->count == nodes->room) {
		nodes->room = nodes->room ? 2 * nodes->room : 16;
		nodes->list = xrealloc(nodes->list, nodes->room, sizeof(*nodes->list));
	}
	nodes->list[nodes->count++] = (uint64_t)tree_node(tree, node).what << 32 | node;
}

static uint32_t node_at(const struct nodes *nodes, uint32_t at)
{
	return (uint32_t)nodes->list[at];
}

static uint32_t frame_at(const struct nodes *nodes, uint32_t at)
{
	return (uint32_t)(nodes->list[at] >> 32);
}

static void add_children(const struct growing *growing, struct nodes *nodes, uint32_t parent)
{
	const struct branches *branches = growing->branches;

	for (uint32_t i = branches->first[parent]; i < branches->first[parent + 1]; i++)
		add_node(nodes, &growing->callees->profile->tree, branches->children[i]);
}

static int by_frame(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* How many nodes from @first on are of the same frame, and what they add up to. */
static uint32_t group(const struct growing *growing, const struct nodes *nodes, uint32_t first,
		      uint64_t *events, uint64_t *samples)
{
	uint32_t frame = frame_at(nodes, first), at = first;

	*events = 0;
	*samples = 0;
	for (; at < nodes->count && frame_at(nodes, at) == frame; at++) {
		*events = number_sum(*events, growing->branches->total[node_at(nodes, at)]);
		*samples += growing->branches->samples[node_at(nodes, at)];
	}
	return at - first;
}

static bool is_full(const struct tree *graph)
{
	return tree_count(graph) >= CALLEES_MAX;
}

/* Grows what @nodes are of under @to, which has @events and @samples in all. */
static void grow(struct growing *growing, uint32_t to, struct nodes *nodes, uint64_t events,
		 uint64_t samples, int depth)
{
	uint64_t some, of;

	if (nodes->count)
		qsort(nodes->list, nodes->count, sizeof(*nodes->list), by_frame);
	for (uint32_t first = 0, many; first < nodes->count; first += many) {
		struct nodes below = { 0 };
		uint32_t child;

		many = group(growing, nodes, first, &some, &of);
		if (!of || some < growing->limit || depth == DEPTH_MAX || is_full(growing->graph))
			continue;
		child = tree_child(growing->graph, to, frame_at(nodes, first));
		for (uint32_t i = first; i < first + many; i++)
			add_children(growing, &below, node_at(nodes, i));
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
			add_node(&of[callees->entry_of[id]], tree, id);
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
	if (entry->total < growing.limit || !entry->total_samples || is_full(graph))
		return;
	entry->root = tree_child(graph, NODE_NONE, number);
	for (uint32_t i = 0; callees->named && i < nodes->count; i++)
		add_children(&growing, &below, node_at(nodes, i));
	grow(&growing, entry->root, callees->named ? &below : nodes, entry->total,
	     entry->total_samples, 0);
	free(below.list);
}

static int by_total(const void *left, const void *right, void *context)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct entry *entries = context;

	if (entries[a].total != entries[b].total)
		return entries[a].total > entries[b].total ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Numbers of entries, the largest first. */
static uint32_t *largest_first(const struct callees *callees)
{
	uint32_t *order = xcalloc(callees->count, sizeof(*order));

	for (uint32_t i = 0; i < callees->count; i++)
		order[i] = i;
	qsort_r(order, callees->count, sizeof(*order), by_total, callees->entries);
	return order;
}

void callees_make(const struct callees *callees, struct tree *graph)
{
	struct nodes *of = nodes_of_entries(callees);
	uint32_t *order = largest_first(callees);
	struct branches branches;

	branches_make(&branches, &callees->profile->tree, callees->chosen);
	for (uint32_t i = 0; i < callees->count; i++) {
		make_one(callees, &branches, graph, order[i], &of[order[i]]);
		free(of[order[i]].list);
	}
	if (is_full(graph))
		note("the call graphs have more than %u branches: the others are left out; "
		     "raise --percent-limit", CALLEES_MAX);
	branches_free(&branches);
	free(order);
	free(of);
}
