/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a report: the sums over the tree of frames, by the keys of --sort. table_make(), then
 * call_graph_make() for -g, then table_sort().
 */
#ifndef PMCTL_TABLE_H
#define PMCTL_TABLE_H

#include "report/profile.h"
#include "report/report_options.h"

/**
 * struct table_key - what distinguishes one row from another; 0 where rows are not sorted by it
 * @group: event and task, of profile->groups
 * @symbol: in names
 * @object: in names
 * @source: in names
 * @flags: FRAME_KERNEL
 */
struct table_key {
	uint32_t group;
	uint32_t symbol;
	uint32_t object;
	uint32_t source;
	uint32_t flags;
};

/**
 * struct table_row - a row
 * @key: see above
 * @self: events that occurred there
 * @total: events that occurred there and in its callees
 * @self_samples: samples of @self
 * @total_samples: samples of @total
 * @root: the root of its call graph in @graph; NODE_NONE without
 */
struct table_row {
	struct table_key key;
	uint64_t self;
	uint64_t total;
	uint64_t self_samples;
	uint64_t total_samples;
	uint32_t root;
};

/**
 * struct table - all rows of a report
 * @profile: the source of the rows
 * @options: how to make them
 * @rows: numbered as they were made; after table_sort() by event, most events first
 * @count: number of rows
 * @graph: the rows' call graphs, of frames; a root is the number with which its row was made
 * @branches: of @graph
 * @chosen: by node of profile->tree: whether chains that end there count
 * @row_of: by node of profile->tree: the number of its row
 */
struct table {
	const struct profile *profile;
	const struct report_options *options;
	struct table_row *rows;
	uint32_t count;
	struct tree graph;
	struct branches branches;
	bool *chosen;
	uint32_t *row_of;
};

/* Makes and counts the rows. */
void table_make(struct table *table, const struct profile *profile,
		const struct report_options *options);
/* Sorts the rows, and the branches of @graph: nothing is added from then on. */
void table_sort(struct table *table);
void table_free(struct table *table);

/* The events to sort by: with --children the total. */
static inline uint64_t table_row_weight(const struct table_row *row,
					const struct report_options *options)
{
	return options->children ? row->total : row->self;
}

/*
 * By node of profile->tree, whether --dso and --symbol choose it: with @any if one of them
 * matches anywhere in the chain, else if it matches the chain's end. free() it.
 */
bool *table_choose_nodes(const struct profile *profile, const struct report_options *options,
			 bool any);

#endif
