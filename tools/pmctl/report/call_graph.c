// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "report/call_graph.h"

#define DEPTH_MAX	1000

/**
 * struct growing - one row's graph of callees while it grows
 * @table: whose graph it is
 * @branches: of profile->tree
 * @limit: smaller branches are left out, in events
 */
struct growing {
	struct table *table;
	const struct branches *branches;
	uint64_t limit;
};

/* A frame and a node of it, packed into one word: sorting them takes most of the time. */
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
		add_node(nodes, &growing->table->profile->tree, branches->children[i]);
}

static int by_frame(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* The number of nodes of the same frame from @first on, and the sum of their events. */
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
	return tree_count(graph) >= CALL_GRAPH_MAX;
}

/* Adds the frames of @nodes and their callees to @to; @events and @samples are its totals. */
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
		if (!of || some < growing->limit || depth == DEPTH_MAX ||
		    is_full(&growing->table->graph))
			continue;
		child = tree_child(&growing->table->graph, to, frame_at(nodes, first));
		for (uint32_t i = first; i < first + many; i++)
			add_children(growing, &below, node_at(nodes, i));
		grow(growing, child, &below, some, of, depth + 1);
		free(below.list);
		events -= some;
		samples -= of;
	}
	tree_add(&growing->table->graph, to, events,
		 samples > UINT32_MAX ? UINT32_MAX : (uint32_t)samples);
}

/* Whether no caller of a node, near or far, is in the same row. */
static bool is_outermost(const struct table *table, uint32_t node)
{
	const struct tree *tree = &table->profile->tree;
	uint32_t row = table->row_of[node];

	for (uint32_t at = tree_node(tree, node).parent; at != NODE_NONE;
	     at = tree_node(tree, at).parent)
		if (tree_node(tree, at).parent != NODE_NONE && table->row_of[at] == row)
			return false;
	return true;
}

static struct nodes *nodes_of_rows(const struct table *table)
{
	struct nodes *of = xcalloc(table->count, sizeof(*of));
	const struct tree *tree = &table->profile->tree;

	for (uint32_t id = 0; id < tree_count(tree); id++)
		if (tree_node(tree, id).parent != NODE_NONE && is_outermost(table, id))
			add_node(&of[table->row_of[id]], tree, id);
	return of;
}

/* A row without a symbol is not a function: its graph begins with a function. */
static bool rows_are_functions(const struct table *table)
{
	return report_options_sorted_by(table->options, SORT_SYMBOL);
}

static void make_callees_of(struct table *table, const struct branches *branches, uint32_t number,
			    struct nodes *nodes)
{
	struct table_row *row = &table->rows[number];
	uint32_t event = profile_group(table->profile, row->key.group)->event;
	double all = (double)table->profile->events[event].events;
	double percent = report_options_graph_limit(table->options);
	struct growing growing = {
		.table = table,
		.branches = branches,
		.limit = (uint64_t)(all * percent / 100),
	};
	bool functions = rows_are_functions(table);
	struct nodes below = { 0 };

	if (row->total < growing.limit || !row->total_samples || is_full(&table->graph))
		return;
	row->root = tree_child(&table->graph, NODE_NONE, number);
	for (uint32_t i = 0; functions && i < nodes->count; i++)
		add_children(&growing, &below, node_at(nodes, i));
	grow(&growing, row->root, functions ? &below : nodes, row->total, row->total_samples, 0);
	free(below.list);
}

static int by_total(const void *left, const void *right, void *context)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct table_row *rows = context;

	if (rows[a].total != rows[b].total)
		return rows[a].total > rows[b].total ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Numbers of rows, the largest first. */
static uint32_t *largest_first(const struct table *table)
{
	uint32_t *order = xcalloc(table->count, sizeof(*order));

	for (uint32_t i = 0; i < table->count; i++)
		order[i] = i;
	qsort_r(order, table->count, sizeof(*order), by_total, table->rows);
	return order;
}

static void make_callees(struct table *table)
{
	struct nodes *of = nodes_of_rows(table);
	uint32_t *order = largest_first(table);
	struct branches branches;

	branches_make(&branches, &table->profile->tree, table->chosen);
	for (uint32_t i = 0; i < table->count; i++) {
		make_callees_of(table, &branches, order[i], &of[order[i]]);
		free(of[order[i]].list);
	}
	if (is_full(&table->graph))
		note("the call graphs have more than %u branches: the others are left out; "
		     "raise --percent-limit", CALL_GRAPH_MAX);
	branches_free(&branches);
	free(order);
	free(of);
}

/* Adds the callers of the chain that ends at @end below its row. */
static void add_callers(struct table *table, uint32_t end)
{
	const struct tree *tree = &table->profile->tree;
	struct tree *graph = &table->graph;
	struct node node = tree_node(tree, end);
	uint32_t row = table->row_of[end], to = tree_child(graph, NODE_NONE, row);

	table->rows[row].root = to;
	if (!rows_are_functions(table))
		to = tree_child(graph, to, node.what);
	for (uint32_t at = node.parent; tree_node(tree, at).parent != NODE_NONE;
	     at = tree_node(tree, at).parent)
		to = tree_child(graph, to, tree_node(tree, at).what);
	tree_add(graph, to, tree->self[end], tree->samples[end]);
}

static void make_callers(struct table *table)
{
	const struct tree *tree = &table->profile->tree;

	for (uint32_t id = 0; id < tree_count(tree); id++)
		if (tree->samples[id] && table->chosen[id])
			add_callers(table, id);
}

void call_graph_make(struct table *table)
{
	if (table->options->graph == GRAPH_CALLERS)
		make_callers(table);
	if (table->options->graph == GRAPH_CALLEES)
		make_callees(table);
}
