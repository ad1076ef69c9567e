/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_MAPS_H
#define PMCTL_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct mapped_file - a file that was mapped; valid until processes_free()
 * @path: its path; "[vdso]" and "//anon" are not files
 * @inode: its inode; 0 without
 * @dev_major: major number of its device
 * @dev_minor: minor number of its device
 * @build_id: from a MAP_IN record, or from a BUILD_ID record at the log's end; NULL before
 * @build_id_size: in bytes
 * @data: private to the user of struct processes; NULL at first
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
 * @file_offset: position of @start in the file, in bytes
 * @time: when it was mapped, or first reported
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
 * struct maps - the maps of one address space, shared by processes until one of
 *	them changes it
 * @users: number of processes that share it
 * @count: number of maps
 * @room: allocated length of @map
 * @map: the maps, sorted by address, without overlaps
 */
struct maps {
	unsigned int users;
	size_t count;
	size_t room;
	struct map *map;
};

/* NULL is an address space without maps. */
struct maps *maps_share(struct maps *maps);
void maps_drop(struct maps *maps);

/* Both functions may replace *@maps by a copy. A new map replaces the maps that it overlaps. */
void maps_add(struct maps **maps, const struct map *map);
void maps_remove(struct maps **maps, uint64_t start, uint64_t last);

/* Removes maps from before @time. */
void maps_renew(struct maps **maps, uint64_t time);

const struct map *maps_find(const struct maps *maps, uint64_t address);

/* Whether anything is mapped from @start to @last. */
bool maps_any(const struct maps *maps, uint64_t start, uint64_t last);

#endif
