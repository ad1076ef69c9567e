// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbol/maps.h"

struct maps *maps_share(struct maps *maps)
{
	if (maps)
		maps->users++;
	return maps;
}

void maps_drop(struct maps *maps)
{
	if (!maps || --maps->users)
		return;
	free(maps->map);
	free(maps);
}

/* Returns an unshared copy with room for two more maps: one for a split, and a new one. */
static struct maps *own(struct maps **maps)
{
	struct maps *old = *maps, *all = old;

	if (!old || old->users > 1) {
		all = xcalloc(1, sizeof(*all));
		all->users = 1;
		all->count = old ? old->count : 0;
		all->room = all->count;
		all->map = xcalloc(all->room, sizeof(*all->map));
		if (old)
			memcpy(all->map, old->map, old->count * sizeof(*all->map));
		maps_drop(old);
		*maps = all;
	}
	if (all->room < all->count + 2) {
		all->room = all->count + all->count / 2 + 8;
		all->map = xrealloc(all->map, all->room, sizeof(*all->map));
	}
	return all;
}

/* The first map that does not end before @address. */
static size_t place_of(const struct maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->map[middle].last < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct maps *maps, size_t at, const struct map *map)
{
	memmove(&maps->map[at + 1], &maps->map[at], (maps->count - at) * sizeof(*map));
	maps->map[at] = *map;
	maps->count++;
}

static void delete(struct maps *maps, size_t at, size_t count)
{
	memmove(&maps->map[at], &maps->map[at + count],
		(maps->count - at - count) * sizeof(*maps->map));
	maps->count -= count;
}

static void begin_at(struct map *map, uint64_t start)
{
	map->file_offset += start - map->start;
	map->start = start;
}

/* own() has reserved room for a split. */
static void clear(struct maps *maps, uint64_t start, uint64_t last)
{
	size_t at = place_of(maps, start), end;

	if (at < maps->count && maps->map[at].start < start) {
		struct map left = maps->map[at];

		left.last = start - 1;
		/* The range is in the middle of this map: split it. */
		if (maps->map[at].last > last)
			insert(maps, at, &left);
		else
			maps->map[at] = left;
		at++;
	}
	for (end = at; end < maps->count && maps->map[end].last <= last; end++)
		;
	delete(maps, at, end - at);
	if (at < maps->count && maps->map[at].start <= last)
		begin_at(&maps->map[at], last + 1);
}

void maps_add(struct maps **maps, const struct map *map)
{
	struct maps *all = own(maps);

	clear(all, map->start, map->last);
	insert(all, place_of(all, map->start), map);
}

void maps_remove(struct maps **maps, uint64_t start, uint64_t last)
{
	if (*maps)
		clear(own(maps), start, last);
}

void maps_renew(struct maps **maps, uint64_t time)
{
	struct maps *all;
	size_t kept = 0;

	if (!*maps)
		return;
	all = own(maps);
	for (size_t i = 0; i < all->count; i++)
		if (all->map[i].time >= time)
			all->map[kept++] = all->map[i];
	all->count = kept;
}

bool maps_any(const struct maps *maps, uint64_t start, uint64_t last)
{
	size_t at;

	if (!maps)
		return false;
	at = place_of(maps, start);
	return at < maps->count && maps->map[at].start <= last;
}

const struct map *maps_find(const struct maps *maps, uint64_t address)
{
	size_t at;

	if (!maps)
		return NULL;
	at = place_of(maps, address);
	return at < maps->count && maps->map[at].start <= address ? &maps->map[at] : NULL;
}
