// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "report/table.h"

static bool frame_matches(const struct profile *profile, const struct report_options *options,
			  const struct frame *frame)
{
	const char *object = intern_text(&profile->names, frame->object);
	const char *symbol = intern_text(&profile->names, frame->symbol);

	if (!patterns_match(&options->symbols, symbol))
		return false;
	return patterns_match(&options->dsos, object) ||
	       patterns_match(&options->dsos, path_last(object));
}

bool *table_choose_nodes(const struct profile *profile, const struct report_options *options,
			 bool any)
{
	uint32_t count = tree_count(&profile->tree), frames = profile->frames.count;
	bool *matches = xcalloc(frames, sizeof(*matches));
	bool *chosen = xcalloc(count, sizeof(*chosen));

	for (uint32_t id = 0; id < frames; id++)
		matches[id] = frame_matches(profile, options, profile_frame(profile, id));
	for (uint32_t id = 0; id < count; id++) {
		struct node node = tree_node(&profile->tree, id);

		if (node.parent != NODE_NONE)
			chosen[id] = matches[node.what] || (any && chosen[node.parent]);
	}
	free(matches);
	return chosen;
}

static struct table_key key_of(const struct table *table, uint32_t group, const struct frame *frame)
{
	const struct report_options *options = table->options;
	struct table_key key = { .group = group };

	if (report_options_sorted_by(options, SORT_SYMBOL)) {
		key.symbol = frame->symbol;
		key.flags = frame->flags & FRAME_KERNEL;
	}
	if (report_options_sorted_by(options, SORT_DSO))
		key.object = frame->object;
	if (report_options_sorted_by(options, SORT_SRCLINE))
		key.source = frame->source;
	return key;
}

/* Numbers the rows, and finds the row of each node. Roots are groups and have none. */
static void make_rows(struct table *table, struct intern *keys)
{
	const struct tree *tree = &table->profile->tree;
	uint32_t count = tree_count(tree);
	uint32_t *group_of = xcalloc(count, sizeof(*group_of));

	table->row_of = xcalloc(count, sizeof(*table->row_of));
	for (uint32_t id = 0; id < count; id++) {
		struct node node = tree_node(tree, id);
		struct table_key key;

		if (node.parent == NODE_NONE) {
			group_of[id] = node.what;
			continue;
		}
		group_of[id] = group_of[node.parent];
		key = key_of(table, group_of[id], profile_frame(table->profile, node.what));
		table->row_of[id] = intern_id(keys, &key);
	}
	free(group_of);
	table->count = keys->count;
	table->rows = xcalloc(keys->count, sizeof(*table->rows));
	for (uint32_t id = 0; id < keys->count; id++)
		table->rows[id] = (struct table_row){
			.key = *(const struct table_key *)intern_at(keys, id),
			.root = NODE_NONE,
		};
}

/*
 * A chain counts once for each row in it, however often the row is in it. @seen: by row, one more
 * than the end of the chain for which it was last counted.
 */
static void count_chain(struct table *table, uint32_t *seen, uint32_t end)
{
	const struct tree *tree = &table->profile->tree;
	struct table_row *row = &table->rows[table->row_of[end]];
	uint64_t events = tree->self[end];

	row->self = number_sum(row->self, events);
	row->self_samples += tree->samples[end];
	for (uint32_t at = end; tree_node(tree, at).parent != NODE_NONE;
	     at = tree_node(tree, at).parent) {
		uint32_t id = table->row_of[at];

		if (seen[id] == end + 1)
			continue;
		seen[id] = end + 1;
		table->rows[id].total = number_sum(table->rows[id].total, events);
		table->rows[id].total_samples += tree->samples[end];
	}
}

void table_make(struct table *table, const struct profile *profile,
		const struct report_options *options)
{
	const struct tree *tree = &profile->tree;
	struct intern keys;
	uint32_t *seen;

	memset(table, 0, sizeof(*table));
	table->profile = profile;
	table->options = options;
	table->chosen = table_choose_nodes(profile, options, options->children);
	tree_init(&table->graph);
	intern_init(&keys, sizeof(struct table_key));
	make_rows(table, &keys);
	seen = xcalloc(table->count, sizeof(*seen));
	for (uint32_t id = 0; id < tree_count(tree); id++)
		if (tree->samples[id] && table->chosen[id])
			count_chain(table, seen, id);
	free(seen);
	intern_free(&keys);
}

static int compare_texts(const struct intern *names, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(intern_text(names, a), intern_text(names, b));
}

static int by_weight(const void *left, const void *right, void *context)
{
	const struct table *table = context;
	const struct intern *names = &table->profile->names;
	const struct table_row *a = left, *b = right;
	const struct group *ga = profile_group(table->profile, a->key.group);
	const struct group *gb = profile_group(table->profile, b->key.group);
	uint64_t wa = table_row_weight(a, table->options);
	uint64_t wb = table_row_weight(b, table->options);
	int order;

	if (ga->event != gb->event)
		return ga->event < gb->event ? -1 : 1;
	if (wa != wb)
		return wa > wb ? -1 : 1;
	/* Equal weights: an order that does not depend on the order of the log. */
	order = compare_texts(names, a->key.symbol, b->key.symbol);
	if (!order)
		order = compare_texts(names, a->key.object, b->key.object);
	if (!order)
		order = compare_texts(names, a->key.source, b->key.source);
	if (!order)
		order = compare_texts(names, ga->comm, gb->comm);
	return order ? order : memcmp(ga, gb, sizeof(*ga));
}

void table_sort(struct table *table)
{
	branches_make(&table->branches, &table->graph, NULL);
	if (table->count)
		qsort_r(table->rows, table->count, sizeof(*table->rows), by_weight, table);
}

void table_free(struct table *table)
{
	free(table->rows);
	free(table->chosen);
	free(table->row_of);
	tree_free(&table->graph);
	branches_free(&table->branches);
	memset(table, 0, sizeof(*table));
}
