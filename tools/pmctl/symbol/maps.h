/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_MAPS_H
#define PMCTL_MAPS_H

#include "symbol/processes.h"

/**
 * struct space_maps - the maps of one address space; several processes may have
 *	it, as long as none of them changes it
 * @users: how many
 * @count: how many maps
 * @room: how many may be
 * @map: the maps, in the order of their addresses, none over another
 */
struct space_maps {
	unsigned int users;
	size_t count;
	size_t room;
	struct space_map *map;
};

/* NULL is a space without maps. */
struct space_maps *space_maps_share(struct space_maps *maps);
void space_maps_drop(struct space_maps *maps);

/* Both may take the place of *@maps. What is mapped over something takes its place. */
void space_maps_add(struct space_maps **maps, const struct space_map *map);
void space_maps_remove(struct space_maps **maps, uint64_t start, uint64_t last);

/* Removes what was mapped before @time. */
void space_maps_renew(struct space_maps **maps, uint64_t time);

const struct space_map *space_maps_find(const struct space_maps *maps, uint64_t address);

/* Whether anything is mapped from @start up to @last. */
bool space_maps_any(const struct space_maps *maps, uint64_t start, uint64_t last);

#endif
