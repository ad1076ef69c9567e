/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_TREE_H
#define PMCTL_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/number.h"

#define NODE_NONE	UINT32_MAX

/* A node. The user of a tree defines @what. The @parent of a root is NODE_NONE. */
struct node {
	uint32_t parent;
	uint32_t what;
};

/**
 * struct tree - call chains, which share common beginnings
 * @nodes: each after its parent
 * @self: by node: events of the chains that end there
 * @samples: by node: number of these chains
 * @slots: hash table of number + 1; 0 empty. A node that follows its parent is not in it
 * @hashed: number of nodes in it
 * @count: number of nodes
 * @room: allocated number of nodes
 * @mask: number of slots - 1
 *
 * A hash table like struct intern, specialized because a report spends most of its time here.
 */
struct tree {
	struct node *nodes;
	uint64_t *self;
	uint32_t *samples;
	uint32_t *slots;
	uint32_t hashed;
	uint32_t count;
	uint32_t room;
	uint32_t mask;
};

void tree_init(struct tree *tree);
void tree_free(struct tree *tree);
/* The node of @what below @parent or NODE_NONE; it is added if it does not exist. */
uint32_t tree_child(struct tree *tree, uint32_t parent, uint32_t what);

static inline uint32_t tree_count(const struct tree *tree)
{
	return tree->count;
}

static inline struct node tree_node(const struct tree *tree, uint32_t id)
{
	return tree->nodes[id];
}

/* Counts a chain that ends at a node. The number of samples does not overflow. */
static inline void tree_add(struct tree *tree, uint32_t id, uint64_t events, uint32_t samples)
{
	tree->self[id] = number_sum(tree->self[id], events);
	if (tree->samples[id] + samples >= samples)
		tree->samples[id] += samples;
}

/**
 * struct branches - a tree from its roots down
 * @total: by node: events of the chains that go through it
 * @samples: by node: number of these chains
 * @children: nodes grouped by parent, most events first
 * @first: by node: index of its first child in @children; with one more entry at the end
 * @roots: index of the first root in @children; roots are last
 */
struct branches {
	uint64_t *total;
	uint64_t *samples;
	uint32_t *children;
	uint32_t *first;
	uint32_t roots;
};

/* @chosen: by node, whether chains that end there count; NULL: all. */
void branches_make(struct branches *branches, const struct tree *tree, const bool *chosen);
void branches_free(struct branches *branches);

#endif
