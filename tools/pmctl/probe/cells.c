// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "probe/cells.h"

#define ROOM_MIN	64

void cells_init(struct cells *cells, uint32_t limit, const struct histogram *histogram)
{
	memset(cells, 0, sizeof(*cells));
	cells->limit = limit;
	cells->histogram = histogram;
	intern_init(&cells->keys, sizeof(struct cell_key));
}

void cells_free(struct cells *cells)
{
	for (uint32_t i = 0; i < cells->keys.count; i++)
		free(cells->list[i].buckets);
	free(cells->list);
	intern_free(&cells->keys);
}

void cells_reset(struct cells *cells)
{
	uint32_t limit = cells->limit;
	const struct histogram *histogram = cells->histogram;

	cells_free(cells);
	cells_init(cells, limit, histogram);
}

static struct cell *add_cell(struct cells *cells, const struct cell_key *key)
{
	uint32_t id = cells->keys.count;
	struct cell *cell;

	if (id == cells->room) {
		cells->room = cells->room ? 2 * cells->room : ROOM_MIN;
		cells->list = xrealloc(cells->list, cells->room, sizeof(*cells->list));
	}
	cell = &cells->list[id];
	*cell = (struct cell){ .min = INT64_MAX, .max = INT64_MIN };
	if (cells->histogram)
		cell->buckets = xcalloc(histogram_buckets(cells->histogram), sizeof(uint64_t));
	intern_id(&cells->keys, key);
	return cell;
}

static int64_t sum_of(int64_t one, int64_t other)
{
	int64_t sum;

	if (!__builtin_add_overflow(one, other, &sum))
		return sum;
	return other < 0 ? INT64_MIN : INT64_MAX;
}

void cells_add(struct cells *cells, const struct cell_key *key, int64_t value)
{
	uint32_t id = intern_find(&cells->keys, key);
	struct cell *cell;

	if (id == INTERN_NONE && cells->keys.count >= cells->limit) {
		cells->cut++;
		return;
	}
	cell = id == INTERN_NONE ? add_cell(cells, key) : &cells->list[id];
	cell->count++;
	cell->sum = sum_of(cell->sum, value);
	cell->min = value < cell->min ? value : cell->min;
	cell->max = value > cell->max ? value : cell->max;
	if (cell->buckets)
		cell->buckets[histogram_index(cells->histogram, value)]++;
}
