// SPDX-License-Identifier: GPL-2.0-only
/* Compares the stacks of two logs, for a differential flame graph. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "report/stacks.h"

/* The stacks of @old for the event with this name. */
static void make_old(struct stacks *stacks, const struct report *old, const char *event)
{
	struct report_options options = *old->options;
	struct report report = *old;

	memset(&options.events, 0, sizeof(options.events));
	patterns_add(&options.events, event);
	report.options = &options;
	stacks_make(stacks, &report);
	patterns_free(&options.events);
}

static uint32_t named(struct profile *profile, const struct report *old, uint32_t id)
{
	return intern_id(&profile->names, intern_text(&old->profile->names, id));
}

/* Adds the older stacks to the tree of the new ones. Returns the node of each of their nodes. */
static uint32_t *join(struct stacks *stacks, struct profile *profile, const struct stacks *other,
		      const struct report *old)
{
	uint32_t *node_of = xcalloc(tree_count(&other->tree), sizeof(*node_of));

	/* Node 0 is the root of both. */
	for (uint32_t id = 1; id < tree_count(&other->tree); id++) {
		struct stack_frame frame = *stacks_frame(other, id);

		frame.name = named(profile, old, frame.name);
		frame.object = named(profile, old, frame.object);
		node_of[id] = tree_child(&stacks->tree,
					 node_of[tree_node(&other->tree, id).parent],
					 intern_id(&stacks->frames, &frame));
	}
	return node_of;
}

/* By node: its events with those of its callees. A node follows its parent. */
static uint64_t *totals_of(const struct tree *tree, const uint64_t *self)
{
	uint64_t *totals = xcalloc(tree_count(tree), sizeof(*totals));

	for (uint32_t id = tree_count(tree); id-- > 0;) {
		uint32_t parent = tree_node(tree, id).parent;

		totals[id] = number_sum(totals[id], self[id]);
		if (parent != NODE_NONE)
			totals[parent] = number_sum(totals[parent], totals[id]);
	}
	return totals;
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0.0;
}

static void subtract(struct stacks_changes *changes, const struct tree *tree,
		     const uint64_t *old_self)
{
	uint64_t *now = totals_of(tree, tree->self), *before = totals_of(tree, old_self);

	for (uint32_t id = 0; id < tree_count(tree); id++) {
		changes->self[id] = percent(tree->self[id], now[0]) -
				    percent(old_self[id], before[0]);
		changes->total[id] = percent(now[id], now[0]) - percent(before[id], before[0]);
		/* Stacks that are gone have no box, so they do not scale the colours. */
		if (now[id])
			changes->largest = fmax(changes->largest, fabs(changes->self[id]));
		else
			changes->gone += percent(old_self[id], before[0]);
	}
	free(now);
	free(before);
}

void stacks_compare(struct stacks_changes *changes, struct stacks *stacks, struct profile *profile,
		    const struct report *old)
{
	const char *event = stacks->event == NODE_NONE ? "" :
			    intern_text(&profile->names, profile->events[stacks->event].name);
	struct stacks other;
	uint32_t *node_of;
	uint64_t *old_self;

	make_old(&other, old, event);
	node_of = join(stacks, profile, &other, old);
	old_self = xcalloc(tree_count(&stacks->tree), sizeof(*old_self));
	for (uint32_t id = 0; id < tree_count(&other.tree); id++)
		old_self[node_of[id]] = number_sum(old_self[node_of[id]], other.tree.self[id]);
	memset(changes, 0, sizeof(*changes));
	changes->self = xcalloc(tree_count(&stacks->tree), sizeof(*changes->self));
	changes->total = xcalloc(tree_count(&stacks->tree), sizeof(*changes->total));
	subtract(changes, &stacks->tree, old_self);
	free(old_self);
	free(node_of);
	stacks_free(&other);
}

void stacks_changes_free(struct stacks_changes *changes)
{
	free(changes->self);
	free(changes->total);
	memset(changes, 0, sizeof(*changes));
}
