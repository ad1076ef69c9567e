// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intern.h"

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

void keys_init(struct keys *keys, size_t size)
{
	memset(keys, 0, sizeof(*keys));
	keys->size = (uint32_t)size;
	keys->mask = SLOTS_MIN - 1;
	keys->slots = xcalloc(SLOTS_MIN, sizeof(*keys->slots));
}

void keys_free(struct keys *keys)
{
	free(keys->items);
	free(keys->slots);
	memset(keys, 0, sizeof(*keys));
}

static void double_slots(struct keys *keys)
{
	uint32_t mask = keys->mask * 2 + 1;
	uint32_t *slots = xcalloc((size_t)mask + 1, sizeof(*slots));

	for (uint32_t id = 0; id < keys->count; id++) {
		uint32_t slot = hash_words(keys_at(keys, id), keys->size) & mask;

		while (slots[slot])
			slot = (slot + 1) & mask;
		slots[slot] = id + 1;
	}
	free(keys->slots);
	keys->slots = slots;
	keys->mask = mask;
}

static uint32_t append(struct keys *keys, const void *key)
{
	if (keys->count == keys->room) {
		keys->room = keys->room ? keys->room * 2 : SLOTS_MIN;
		keys->items = xrealloc(keys->items, keys->room, keys->size);
	}
	memcpy(keys->items + (size_t)keys->count * keys->size, key, keys->size);
	return keys->count++;
}

uint32_t keys_id(struct keys *keys, const void *key)
{
	uint32_t slot = hash_words(key, keys->size) & keys->mask, id;

	while (keys->slots[slot]) {
		id = keys->slots[slot] - 1;
		if (!memcmp(keys_at(keys, id), key, keys->size))
			return id;
		slot = (slot + 1) & keys->mask;
	}
	id = append(keys, key);
	keys->slots[slot] = id + 1;
	/* Two slots a thing: searches stay short. */
	if (keys->count > keys->mask / 2)
		double_slots(keys);
	return id;
}
