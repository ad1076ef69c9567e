// SPDX-License-Identifier: GPL-2.0-only
/* From the tree of frames to lines of a report. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "report/call_graph.h"
#include "report/table.h"

/**
 * struct making - entries while they are made
 * @profile: what of
 * @options: how
 * @keys: struct entry_key
 * @entries: by key
 * @room: of @entries
 * @entry_of: of each node of profile->tree
 * @seen: by entry: node + 1 whose chain it was counted for last
 */
struct making {
	const struct profile *profile;
	const struct profile_options *options;
	struct intern keys;
	struct entry *entries;
	uint32_t room;
	uint32_t *entry_of;
	uint32_t *seen;
};

static bool frame_matches(const struct profile *profile, const struct profile_options *options,
			  const struct frame *frame)
{
	const char *object = intern_text(&profile->names, frame->object);
	const char *symbol = intern_text(&profile->names, frame->symbol);

	if (!patterns_match(&options->symbols, symbol))
		return false;
	return patterns_match(&options->dsos, object) ||
	       patterns_match(&options->dsos, path_last(object));
}

bool *entries_choose(const struct profile *profile, const struct profile_options *options, bool any)
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

static struct entry_key key_of(const struct making *making, uint32_t group,
			       const struct frame *frame)
{
	const struct profile_options *options = making->options;
	struct entry_key key = { .group = group };

	if (sorted_by(options, SORT_SYMBOL)) {
		key.symbol = frame->symbol;
		key.flags = frame->flags & FRAME_KERNEL;
	}
	if (sorted_by(options, SORT_DSO))
		key.object = frame->object;
	if (sorted_by(options, SORT_SRCLINE))
		key.source = frame->source;
	return key;
}

static uint32_t entry_of(struct making *making, const struct entry_key *key)
{
	uint32_t id = intern_id(&making->keys, key);

	if (id < making->room)
		return id;
	making->room = making->room ? 2 * making->room : 256;
	making->entries = xrealloc(making->entries, making->room, sizeof(*making->entries));
	return id;
}

/* Which entry each node counts for. A root has its group there. */
static void assign(struct making *making)
{
	const struct tree *tree = &making->profile->tree;
	uint32_t count = tree_count(tree);
	uint32_t *group_of = xcalloc(count, sizeof(*group_of));

	making->entry_of = xcalloc(count, sizeof(*making->entry_of));
	for (uint32_t id = 0; id < count; id++) {
		struct node node = tree_node(tree, id);
		struct entry_key key;

		if (node.parent == NODE_NONE) {
			group_of[id] = node.what;
			continue;
		}
		group_of[id] = group_of[node.parent];
		key = key_of(making, group_of[id], profile_frame(making->profile, node.what));
		making->entry_of[id] = entry_of(making, &key);
	}
	free(group_of);
	making->seen = xcalloc(making->keys.count, sizeof(*making->seen));
	for (uint32_t id = 0; id < making->keys.count; id++)
		making->entries[id] = (struct entry){
			.key = *(const struct entry_key *)intern_at(&making->keys, id),
			.root = NODE_NONE,
		};
}

/* Whether a chain ends here: its root is no frame. Else what stands here. */
static bool is_root(const struct tree *tree, uint32_t at, struct node *node)
{
	*node = tree_node(tree, at);
	return node->parent == NODE_NONE;
}

/* A chain counts once for whoever is in it, however often. */
static void count_chain(struct making *making, uint32_t end)
{
	const struct tree *tree = &making->profile->tree;
	struct entry *entry = &making->entries[making->entry_of[end]];
	uint64_t events = tree->self[end];
	struct node node;

	entry->self = number_sum(entry->self, events);
	entry->self_samples += tree->samples[end];
	for (uint32_t at = end; !is_root(tree, at, &node); at = node.parent) {
		uint32_t id = making->entry_of[at];

		if (making->seen[id] == end + 1)
			continue;
		making->seen[id] = end + 1;
		making->entries[id].total = number_sum(making->entries[id].total, events);
		making->entries[id].total_samples += tree->samples[end];
	}
}

static void each_end(struct making *making, const bool *chosen,
		     void (*visit)(struct making *making, uint32_t end, void *context),
		     void *context)
{
	const struct tree *tree = &making->profile->tree;

	for (uint32_t id = 0; id < tree_count(tree); id++)
		if (tree->samples[id] && chosen[id])
			visit(making, id, context);
}

static void visit_count(struct making *making, uint32_t end, void *context)
{
	(void)context;
	count_chain(making, end);
}

static uint32_t graph_root(struct making *making, struct tree *graph, uint32_t entry)
{
	uint32_t root = tree_child(graph, NODE_NONE, entry);

	making->entries[entry].root = root;
	return root;
}

/* Entries without names begin with the frame itself. */
static bool named(const struct making *making)
{
	return sorted_by(making->options, SORT_SYMBOL);
}

static void visit_callers(struct making *making, uint32_t end, void *context)
{
	const struct tree *tree = &making->profile->tree;
	struct tree *graph = context;
	uint32_t to = graph_root(making, graph, making->entry_of[end]);
	struct node node = tree_node(tree, end);

	if (!named(making))
		to = tree_child(graph, to, node.what);
	for (uint32_t at = node.parent; !is_root(tree, at, &node); at = node.parent)
		to = tree_child(graph, to, node.what);
	tree_add(graph, to, tree->self[end], tree->samples[end]);
}

static void make_graph(struct making *making, struct entries *entries, const bool *chosen)
{
	struct callees callees = {
		.profile = making->profile,
		.options = making->options,
		.chosen = chosen,
		.entry_of = making->entry_of,
		.entries = making->entries,
		.count = making->keys.count,
		.named = named(making),
	};

	if (making->options->graph == GRAPH_CALLERS)
		each_end(making, chosen, visit_callers, &entries->graph);
	if (making->options->graph == GRAPH_CALLEES)
		callees_make(&callees, &entries->graph);
	branches_make(&entries->branches, &entries->graph, NULL);
}

static int compare_texts(const struct intern *names, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(intern_text(names, a), intern_text(names, b));
}

static int by_weight(const void *left, const void *right, void *context)
{
	const struct making *making = context;
	const struct intern *names = &making->profile->names;
	const struct entry *a = left, *b = right;
	const struct group *ga = profile_group(making->profile, a->key.group);
	const struct group *gb = profile_group(making->profile, b->key.group);
	uint64_t wa = entry_weight(a, making->options), wb = entry_weight(b, making->options);
	int order;

	if (ga->event != gb->event)
		return ga->event < gb->event ? -1 : 1;
	if (wa != wb)
		return wa > wb ? -1 : 1;
	/* The same for whoever looks twice. */
	order = compare_texts(names, a->key.symbol, b->key.symbol);
	if (!order)
		order = compare_texts(names, a->key.object, b->key.object);
	if (!order)
		order = compare_texts(names, a->key.source, b->key.source);
	if (!order)
		order = compare_texts(names, ga->comm, gb->comm);
	return order ? order : memcmp(ga, gb, sizeof(*ga));
}

void entries_make(struct entries *entries, const struct profile *profile,
		  const struct profile_options *options)
{
	struct making making = { .profile = profile, .options = options };
	bool *chosen = entries_choose(profile, options, options->children);

	memset(entries, 0, sizeof(*entries));
	tree_init(&entries->graph);
	intern_init(&making.keys, sizeof(struct entry_key));
	assign(&making);
	each_end(&making, chosen, visit_count, NULL);
	make_graph(&making, entries, chosen);
	entries->count = making.keys.count;
	entries->list = making.entries;
	if (entries->count)
		qsort_r(entries->list, entries->count, sizeof(*entries->list), by_weight, &making);
	intern_free(&making.keys);
	free(making.entry_of);
	free(making.seen);
	free(chosen);
}

void entries_free(struct entries *entries)
{
	free(entries->list);
	tree_free(&entries->graph);
	branches_free(&entries->branches);
	memset(entries, 0, sizeof(*entries));
}
