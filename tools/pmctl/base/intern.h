/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_INTERN_H
#define PMCTL_INTERN_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct keys - things of one size, each kept once and numbered from 0
 * @items: the things, by number
 * @slots: hash table of number + 1; 0 empty
 * @size: of a thing, in bytes; a multiple of 4
 * @count: how many
 * @room: for how many there is memory
 * @mask: number of slots - 1
 */
struct keys {
	unsigned char *items;
	uint32_t *slots;
	uint32_t size;
	uint32_t count;
	uint32_t room;
	uint32_t mask;
};

void keys_init(struct keys *keys, size_t size);
void keys_free(struct keys *keys);
/* The number of @key, which is copied if it is new. Padding in it counts: clear it. */
uint32_t keys_id(struct keys *keys, const void *key);

static inline const void *keys_at(const struct keys *keys, uint32_t id)
{
	return keys->items + (size_t)id * keys->size;
}

#endif
