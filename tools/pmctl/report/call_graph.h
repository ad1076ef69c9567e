/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CALL_GRAPH_H
#define PMCTL_CALL_GRAPH_H

#include "report/table.h"

/**
 * struct callees - call graphs of what entries called
 * @profile: what of
 * @options: which
 * @chosen: nodes of profile->tree whose chains count
 * @entry_of: the entry of each node
 * @entries: whose graphs to make
 * @count: how many
 * @named: an entry is a function; else its graph begins with one
 */
struct callees {
	const struct profile *profile;
	const struct profile_options *options;
	const bool *chosen;
	const uint32_t *entry_of;
	struct entry *entries;
	uint32_t count;
	bool named;
};

/* Branches that are made at most. */
#define CALLEES_MAX	(1U << 20)

/*
 * Adds to @graph and sets entries' roots. Each function has below it what its
 * callers have, too: only branches that will be shown are made. When there are
 * CALLEES_MAX, that is said, and the others are left out, those of small entries first.
 */
void callees_make(const struct callees *callees, struct tree *graph);

#endif
