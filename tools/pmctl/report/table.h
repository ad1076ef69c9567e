/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_TABLE_H
#define PMCTL_TABLE_H

#include "report/profile.h"
#include "report/report_options.h"

/**
 * struct entry_key - what tells one line of a report from another; 0 where nothing does
 * @group: event and task, of profile->groups
 * @symbol: in names
 * @object: in names
 * @source: in names
 * @flags: FRAME_KERNEL
 */
struct entry_key {
	uint32_t group;
	uint32_t symbol;
	uint32_t object;
	uint32_t source;
	uint32_t flags;
};

/**
 * struct entry - a line of a report
 * @key: see above
 * @self: events that happened there
 * @total: and in what it called
 * @self_samples: samples of @self
 * @total_samples: of @total
 * @root: of its call graph, in @graph; NODE_NONE without
 */
struct entry {
	struct entry_key key;
	uint64_t self;
	uint64_t total;
	uint64_t self_samples;
	uint64_t total_samples;
	uint32_t root;
};

/**
 * struct entries - all lines of a report
 * @list: by event, most events first
 * @count: how many
 * @graph: their call graphs: of frames; a root is the number an entry was made with
 * @branches: of @graph
 */
struct entries {
	struct entry *list;
	uint32_t count;
	struct tree graph;
	struct branches branches;
};

void entries_make(struct entries *entries, const struct profile *profile,
		  const struct profile_options *options);
void entries_free(struct entries *entries);

/* What to sort by: --children or not. */
static inline uint64_t entry_weight(const struct entry *entry,
				    const struct profile_options *options)
{
	return options->children ? entry->total : entry->self;
}

/*
 * Nodes of profile->tree that --dso and --symbol leave, by number: with @any where
 * one of them is anywhere in the chain, else where it is its end.
 */
bool *entries_choose(const struct profile *profile, const struct profile_options *options,
		     bool any);

#endif
