/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_MAPS_H
#define PMCTL_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct mapped_file - a file that was mapped; it stays where it is, for good
 * @path: of it; "[vdso]", "//anon" and such are no files
 * @inode: of it; 0 none
 * @dev_major: of its device
 * @dev_minor: likewise
 * @build_id: NULL until a MAP_IN or BUILD_ID record told it; the latter come at the log's end
 * @build_id_size: in bytes
 * @data: the caller's own, NULL at first
 */
struct mapped_file {
	char *path;
	uint64_t inode;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint8_t *build_id;
	uint32_t build_id_size;
	void *data;
};

/**
 * struct map - a part of an address space
 * @start: first address
 * @last: last address
 * @file_offset: of @start in the file, in bytes
 * @time: when it was mapped, or was seen to be
 * @prot: PROT_*
 * @file: what is mapped
 */
struct map {
	uint64_t start;
	uint64_t last;
	uint64_t file_offset;
	uint64_t time;
	uint32_t prot;
	struct mapped_file *file;
};

/**
 * struct maps - the maps of one address space; several processes may have
 *	it, as long as none of them changes it
 * @users: how many
 * @count: how many maps
 * @room: how many may be
 * @map: the maps, in the order of their addresses, none over another
 */
struct maps {
	unsigned int users;
	size_t count;
	size_t room;
	struct map *map;
};

/* NULL is a space without maps. */
struct maps *maps_share(struct maps *maps);
void maps_drop(struct maps *maps);

/* Both may take the place of *@maps. What is mapped over something takes its place. */
void maps_add(struct maps **maps, const struct map *map);
void maps_remove(struct maps **maps, uint64_t start, uint64_t last);

/* Removes what was mapped before @time. */
void maps_renew(struct maps **maps, uint64_t time);

const struct map *maps_find(const struct maps *maps, uint64_t address);

/* Whether anything is mapped from @start up to @last. */
bool maps_any(const struct maps *maps, uint64_t start, uint64_t last);

#endif
