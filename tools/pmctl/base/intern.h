/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_INTERN_H
#define PMCTL_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct intern - items, each stored once and numbered from 0
 * @items: by number; of texts, pointers to them
 * @hashes: of the items, by number
 * @slots: hash table of number + 1; 0 empty
 * @size: of an item in @items, in bytes
 * @count: number of items
 * @room: allocated length of @items and @hashes
 * @mask: number of slots - 1
 * @is_texts: the items are texts; number 0 is ""
 */
struct intern {
	unsigned char *items;
	uint32_t *hashes;
	uint32_t *slots;
	uint32_t size;
	uint32_t count;
	uint32_t room;
	uint32_t mask;
	bool is_texts;
};

/* Items of @size bytes, a multiple of 4. They are compared as bytes: clear their padding. */
void intern_init(struct intern *intern, size_t size);
/* Texts; a pointer to one stays valid until intern_free(). */
void intern_init_texts(struct intern *intern);
void intern_free(struct intern *intern);

/* The number of an item or text, which is copied if it is new. */
uint32_t intern_id(struct intern *intern, const void *item);

/* The number of an item or text; INTERN_NONE if it was not stored. */
#define INTERN_NONE	UINT32_MAX
uint32_t intern_find(const struct intern *intern, const void *item);

static inline const void *intern_at(const struct intern *intern, uint32_t id)
{
	return intern->items + (size_t)id * intern->size;
}

static inline const char *intern_text(const struct intern *intern, uint32_t id)
{
	return ((char *const *)intern->items)[id];
}

#endif
