/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of an aggregation: a cell for each key, up to a limit. */
#ifndef PMCTL_CELLS_H
#define PMCTL_CELLS_H

#include <stdint.h>

#include "base/intern.h"
#include "probe/histogram.h"

#define CELLS_KEYS_MAX	4

/* A key consists of up to CELLS_KEYS_MAX parts of two words each; unused words are 0. */
struct cell_key {
	uint64_t words[CELLS_KEYS_MAX][2];
};

/**
 * struct cell - the values of a key
 * @count: how many there are
 * @sum: their sum, at most INT64_MAX and at least INT64_MIN
 * @min: the least of them
 * @max: the largest of them
 * @buckets: how many are in each bucket; NULL without a histogram
 */
struct cell {
	uint64_t count;
	int64_t sum;
	int64_t min;
	int64_t max;
	uint64_t *buckets;
};

/**
 * struct cells - the cells
 * @keys: struct cell_key, by cell
 * @list: the cells
 * @room: allocated length of @list
 * @limit: the most keys
 * @cut: number of values that were left out after @limit keys
 * @histogram: the buckets of each cell; or NULL
 */
struct cells {
	struct intern keys;
	struct cell *list;
	uint32_t room;
	uint32_t limit;
	uint64_t cut;
	const struct histogram *histogram;
};

void cells_init(struct cells *cells, uint32_t limit, const struct histogram *histogram);
void cells_free(struct cells *cells);
/* Removes all keys. */
void cells_reset(struct cells *cells);

/* Adds a value. */
void cells_add(struct cells *cells, const struct cell_key *key, int64_t value);

static inline const struct cell_key *cells_key(const struct cells *cells, uint32_t cell)
{
	return intern_at(&cells->keys, cell);
}

#endif
