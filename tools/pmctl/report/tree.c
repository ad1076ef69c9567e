// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "report/tree.h"

#define SLOTS_MIN	256

void tree_init(struct tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	tree->mask = SLOTS_MIN - 1;
	tree->slots = xcalloc(SLOTS_MIN, sizeof(*tree->slots));
}

void tree_free(struct tree *tree)
{
	free(tree->nodes);
	free(tree->self);
	free(tree->samples);
	free(tree->slots);
	memset(tree, 0, sizeof(*tree));
}

static inline uint32_t hash_node(struct node node)
{
	uint64_t hash = ((uint64_t)node.parent << 32 | node.what) * 0x9e3779b97f4a7c15ULL;

	return (uint32_t)(hash >> 32);
}

static void double_slots(struct tree *tree)
{
	uint32_t mask = tree->mask * 2 + 1;

	free(tree->slots);
	tree->slots = xcalloc((size_t)mask + 1, sizeof(*tree->slots));
	tree->mask = mask;
	for (uint32_t id = 0; id < tree->count; id++) {
		uint32_t slot = hash_node(tree->nodes[id]) & mask;

		if (tree->nodes[id].parent + 1 == id)
			continue;
		while (tree->slots[slot])
			slot = (slot + 1) & mask;
		tree->slots[slot] = id + 1;
	}
}

static void grow(struct tree *tree)
{
	uint32_t room = tree->room ? tree->room * 2 : SLOTS_MIN;

	tree->nodes = xrealloc(tree->nodes, room, sizeof(*tree->nodes));
	tree->self = xrealloc(tree->self, room, sizeof(*tree->self));
	tree->samples = xrealloc(tree->samples, room, sizeof(*tree->samples));
	tree->room = room;
}

static uint32_t append(struct tree *tree, struct node node)
{
	if (tree->count == tree->room)
		grow(tree);
	tree->nodes[tree->count] = node;
	tree->self[tree->count] = 0;
	tree->samples[tree->count] = 0;
	return tree->count++;
}

static inline bool is_node(const struct tree *tree, uint32_t id, struct node node)
{
	return id < tree->count && tree->nodes[id].parent == node.parent &&
	       tree->nodes[id].what == node.what;
}

uint32_t tree_child(struct tree *tree, uint32_t parent, uint32_t what)
{
	struct node node = { parent, what };
	uint32_t slot, id;

	/* Fast path: nodes of a chain were often made one after the other. */
	if (is_node(tree, parent + 1, node))
		return parent + 1;
	/* @parent is the last node: its first child follows it, where the fast path finds it. */
	if (parent + 1 == tree->count)
		return append(tree, node);
	slot = hash_node(node) & tree->mask;
	while (tree->slots[slot]) {
		id = tree->slots[slot] - 1;
		if (is_node(tree, id, node))
			return id;
		slot = (slot + 1) & tree->mask;
	}
	id = append(tree, node);
	tree->slots[slot] = id + 1;
	if (++tree->hashed > tree->mask / 2)
		double_slots(tree);
	return id;
}

/*
 * Children have larger numbers than their parents. The loop runs backwards, so all children of a
 * node have been added to it before it is added to its parent.
 */
static void sum(struct branches *branches, const struct tree *tree, const bool *chosen)
{
	for (uint32_t id = tree_count(tree); id-- > 0;) {
		uint32_t parent = tree_node(tree, id).parent;

		if (!chosen || chosen[id]) {
			branches->total[id] = number_sum(branches->total[id], tree->self[id]);
			branches->samples[id] += tree->samples[id];
		}
		if (parent == NODE_NONE)
			continue;
		branches->total[parent] = number_sum(branches->total[parent], branches->total[id]);
		branches->samples[parent] += branches->samples[id];
	}
}

static int by_total(const void *left, const void *right, void *context)
{
	const uint64_t *total = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (total[a] != total[b])
		return total[a] > total[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Groups children by parent: a counting sort. */
static void place_children(struct branches *branches, const struct tree *tree)
{
	uint32_t count = tree_count(tree), at = 0, many;

	for (uint32_t id = 0; id < count; id++)
		if (tree_node(tree, id).parent != NODE_NONE)
			branches->first[tree_node(tree, id).parent]++;
	for (uint32_t id = 0; id <= count; id++) {
		many = branches->first[id];
		branches->first[id] = at;
		at += many;
	}
	branches->roots = at;
	for (uint32_t id = 0; id < count; id++) {
		uint32_t parent = tree_node(tree, id).parent;

		branches->children[parent == NODE_NONE ? at++ : branches->first[parent]++] = id;
	}
	/* Each start has become the start of the next: shift back. */
	for (uint32_t id = count; id > 0; id--)
		branches->first[id] = branches->first[id - 1];
	branches->first[0] = 0;
}

static void sort_children(const struct branches *branches, uint32_t first, uint32_t end)
{
	if (end - first > 1)
		qsort_r(branches->children + first, end - first, sizeof(*branches->children),
			by_total, branches->total);
}

void branches_make(struct branches *branches, const struct tree *tree, const bool *chosen)
{
	uint32_t count = tree_count(tree);

	branches->total = xcalloc(count, sizeof(*branches->total));
	branches->samples = xcalloc(count, sizeof(*branches->samples));
	branches->children = xcalloc(count, sizeof(*branches->children));
	branches->first = xcalloc((size_t)count + 1, sizeof(*branches->first));
	sum(branches, tree, chosen);
	place_children(branches, tree);
	for (uint32_t id = 0; id < count; id++)
		sort_children(branches, branches->first[id], branches->first[id + 1]);
	sort_children(branches, branches->roots, count);
}

void branches_free(struct branches *branches)
{
	free(branches->total);
	free(branches->samples);
	free(branches->children);
	free(branches->first);
	memset(branches, 0, sizeof(*branches));
}
