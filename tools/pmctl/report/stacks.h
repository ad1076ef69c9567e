/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_STACKS_H
#define PMCTL_STACKS_H

#include "report/report.h"

enum stack_kind {
	STACK_ROOT, STACK_COMM, STACK_USER, STACK_LIBRARY, STACK_KERNEL, STACK_INLINED,
	STACK_NAMELESS,
};

/* A box of a flame graph: @name and @object in names, @kind: enum stack_kind. */
struct stack_frame {
	uint32_t name;
	uint32_t object;
	uint32_t kind;
};

/**
 * struct stacks - the stacks of one event: "all", command, frames
 * @event: its number in profile->events; NODE_NONE if no event is shown
 * @frames: struct stack_frame
 * @tree: tree of @frames; node 0 is the only root
 */
struct stacks {
	uint32_t event;
	struct intern frames;
	struct tree tree;
};

/* Selects the first event that the filters leave; prints a note if there are others. */
void stacks_make(struct stacks *stacks, const struct report *report);
void stacks_free(struct stacks *stacks);

static inline const struct stack_frame *stacks_frame(const struct stacks *stacks, uint32_t node)
{
	return intern_at(&stacks->frames, tree_node(&stacks->tree, node).what);
}

/**
 * struct stacks_changes - stacks in comparison with older ones, in points
 * @self: by node: the increase of its own samples' share of the events
 * @total: by node: the same, with its callees
 * @largest: the largest absolute value of @self
 * @gone: percent of the older events whose stacks have no samples now
 */
struct stacks_changes {
	double *self;
	double *total;
	double largest;
	double gone;
};

/*
 * Compares @stacks with the same event of @old. Nodes that only @old has are added to @stacks,
 * without samples, and their names to those of @profile.
 */
void stacks_compare(struct stacks_changes *changes, struct stacks *stacks, struct profile *profile,
		    const struct report *old);
void stacks_changes_free(struct stacks_changes *changes);

#endif
