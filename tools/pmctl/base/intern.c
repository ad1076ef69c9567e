// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/memory.h"

#define SLOTS_MIN	64
#define MULTIPLIER	0x9e3779b97f4a7c15ULL

static uint32_t hash_words(const void *data, uint32_t size)
{
	const unsigned char *bytes = data;
	uint64_t hash = size;
	uint32_t word;

	for (; size >= sizeof(word); size -= sizeof(word), bytes += sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = (hash ^ word) * MULTIPLIER;
		hash ^= hash >> 29;
	}
	return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t hash_text(const char *text)
{
	uint32_t hash = 2166136261U;	/* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619U;
	return hash;
}

void intern_init(struct intern *intern, size_t size)
{
	memset(intern, 0, sizeof(*intern));
	intern->size = (uint32_t)size;
	intern->mask = SLOTS_MIN - 1;
	intern->slots = xcalloc(SLOTS_MIN, sizeof(*intern->slots));
}

void intern_init_texts(struct intern *intern)
{
	intern_init(intern, sizeof(char *));
	intern->is_texts = true;
	intern_id(intern, "");
}

void intern_free(struct intern *intern)
{
	for (uint32_t id = 0; intern->is_texts && id < intern->count; id++)
		free(((char **)intern->items)[id]);
	free(intern->items);
	free(intern->hashes);
	free(intern->slots);
	memset(intern, 0, sizeof(*intern));
}

static void double_slots(struct intern *intern)
{
	uint32_t mask = intern->mask * 2 + 1;
	uint32_t *slots = xcalloc((size_t)mask + 1, sizeof(*slots));

	for (uint32_t id = 0; id < intern->count; id++) {
		uint32_t slot = intern->hashes[id] & mask;

		while (slots[slot])
			slot = (slot + 1) & mask;
		slots[slot] = id + 1;
	}
	free(intern->slots);
	intern->slots = slots;
	intern->mask = mask;
}

static uint32_t append(struct intern *intern, const void *item, uint32_t hash)
{
	if (intern->count == intern->room) {
		intern->room = intern->room ? intern->room * 2 : SLOTS_MIN;
		intern->items = xrealloc(intern->items, intern->room, intern->size);
		intern->hashes = xrealloc(intern->hashes, intern->room, sizeof(*intern->hashes));
	}
	if (intern->is_texts)
		((char **)intern->items)[intern->count] = xstrdup(item);
	else
		memcpy(intern->items + (size_t)intern->count * intern->size, item, intern->size);
	intern->hashes[intern->count] = hash;
	return intern->count++;
}

static bool is_equal(const struct intern *intern, uint32_t id, const void *item)
{
	if (intern->is_texts)
		return !strcmp(intern_text(intern, id), item);
	return !memcmp(intern_at(intern, id), item, intern->size);
}

static uint32_t hash_of(const struct intern *intern, const void *item)
{
	return intern->is_texts ? hash_text(item) : hash_words(item, intern->size);
}

/* The slot of an item; if the slot is empty the item was not stored. */
static uint32_t slot_of(const struct intern *intern, const void *item, uint32_t hash)
{
	uint32_t slot = hash & intern->mask, id;

	for (; intern->slots[slot]; slot = (slot + 1) & intern->mask) {
		id = intern->slots[slot] - 1;
		if (intern->hashes[id] == hash && is_equal(intern, id, item))
			break;
	}
	return slot;
}

uint32_t intern_find(const struct intern *intern, const void *item)
{
	/* The number of an empty slot is 0. */
	return intern->slots[slot_of(intern, item, hash_of(intern, item))] - 1;
}

uint32_t intern_id(struct intern *intern, const void *item)
{
	uint32_t hash = hash_of(intern, item), slot = slot_of(intern, item, hash), id;

	if (intern->slots[slot])
		return intern->slots[slot] - 1;
	id = append(intern, item, hash);
	intern->slots[slot] = id + 1;
	/* At most half of the slots are used: searches stay short. */
	if (intern->count > intern->mask / 2)
		double_slots(intern);
	return id;
}
