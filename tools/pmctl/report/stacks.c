// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "report/stacks.h"

/*
 * Whether the name is a library's: "libc.so.6", "plugin.so": its last part has ".so" at its end or
 * before a version.
 */
static bool is_library(const char *object)
{
	const char *so = strstr(path_last(object), ".so");

	return so && (!so[3] || so[3] == '.');
}

static enum stack_kind kind_of(const struct profile *profile, const struct frame *frame)
{
	if (frame->flags & FRAME_NAMELESS)
		return STACK_NAMELESS;
	if (frame->flags & FRAME_KERNEL)
		return STACK_KERNEL;
	if (frame->flags & FRAME_INLINED)
		return STACK_INLINED;
	return is_library(intern_text(&profile->names, frame->object)) ? STACK_LIBRARY : STACK_USER;
}

static uint32_t add(struct stacks *stacks, uint32_t parent, struct stack_frame frame)
{
	return tree_child(&stacks->tree, parent, intern_id(&stacks->frames, &frame));
}

/* By event: whether the filters leave any sample. */
static bool *events_left(const struct profile *profile, const bool *needed)
{
	bool *left = xcalloc(profile->event_count, sizeof(*left));

	for (uint32_t id = 0; id < tree_count(&profile->tree); id++) {
		struct node node = tree_node(&profile->tree, id);

		if (node.parent == NODE_NONE && needed[id])
			left[profile_group(profile, node.what)->event] = true;
	}
	return left;
}

/* Different events cannot be added up: returns the one to show. */
static uint32_t choose_event(const struct report *report, const bool *needed)
{
	const struct profile *profile = report->profile;
	bool *left = events_left(profile, needed);
	uint32_t chosen = NODE_NONE, count = 0;

	for (uint32_t i = profile->event_count; i-- > 0;)
		if (left[i] && report_shows_event(report, i)) {
			chosen = i;
			count++;
		}
	free(left);
	if (count > 1)
		note("the stacks show event '%s' only; choose another with --event",
		     intern_text(&profile->names, profile->events[chosen].name));
	return chosen;
}

/* The nodes that --dso and --symbol choose, with all their callers. */
static bool *with_parents(const struct tree *tree, const bool *chosen)
{
	bool *needed = xcalloc(tree_count(tree), sizeof(*needed));

	for (uint32_t id = tree_count(tree); id-- > 0;) {
		struct node node = tree_node(tree, id);

		needed[id] = needed[id] || (chosen[id] && tree->samples[id]);
		if (node.parent != NODE_NONE && needed[id])
			needed[node.parent] = true;
	}
	return needed;
}

static uint32_t add_root(struct stacks *stacks, const struct profile *profile, uint32_t group)
{
	const struct group *of = profile_group(profile, group);

	if (of->event != stacks->event)
		return NODE_NONE;
	return add(stacks, 0, (struct stack_frame){ .name = of->comm, .kind = STACK_COMM });
}

static uint32_t add_frame(struct stacks *stacks, const struct profile *profile, uint32_t parent,
			  uint32_t id)
{
	const struct frame *frame = profile_frame(profile, id);

	return add(stacks, parent, (struct stack_frame){
		.name = frame->symbol,
		.object = frame->object,
		.kind = kind_of(profile, frame),
	});
}

void stacks_make(struct stacks *stacks, const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct tree *tree = &profile->tree;
	bool *chosen = table_choose_nodes(profile, report->options, true);
	bool *needed = with_parents(tree, chosen);
	uint32_t *node_of = xcalloc(tree_count(tree), sizeof(*node_of));

	memset(stacks, 0, sizeof(*stacks));
	stacks->event = choose_event(report, needed);
	intern_init(&stacks->frames, sizeof(struct stack_frame));
	tree_init(&stacks->tree);
	add(stacks, NODE_NONE, (struct stack_frame){ .kind = STACK_ROOT });
	for (uint32_t id = 0; id < tree_count(tree); id++) {
		struct node node = tree_node(tree, id);
		uint32_t above = node.parent == NODE_NONE ? 0 : node_of[node.parent];

		node_of[id] = NODE_NONE;
		if (!needed[id] || above == NODE_NONE)
			continue;
		node_of[id] = node.parent == NODE_NONE ?
				      add_root(stacks, profile, node.what) :
				      add_frame(stacks, profile, above, node.what);
		if (node_of[id] != NODE_NONE && chosen[id])
			tree_add(&stacks->tree, node_of[id], tree->self[id], tree->samples[id]);
	}
	/* The tree has only the root of all stacks. */
	if (tree_count(&stacks->tree) == 1)
		report_note_empty(report);
	free(node_of);
	free(needed);
	free(chosen);
}

void stacks_free(struct stacks *stacks)
{
	intern_free(&stacks->frames);
	tree_free(&stacks->tree);
}
