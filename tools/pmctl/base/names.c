// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"

#define SLOTS_MIN	256

static uint32_t hash_text(const char *text)
{
	uint32_t hash = 2166136261U;	/* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619U;
	return hash;
}

void names_init(struct names *names)
{
	memset(names, 0, sizeof(*names));
	names->mask = SLOTS_MIN - 1;
	names->slots = xcalloc(SLOTS_MIN, sizeof(*names->slots));
	names_id(names, "");
}

void names_free(struct names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		free(names->texts[i]);
	free(names->texts);
	free(names->hashes);
	free(names->slots);
	memset(names, 0, sizeof(*names));
}

static void double_slots(struct names *names)
{
	uint32_t mask = names->mask * 2 + 1;
	uint32_t *slots = xcalloc((size_t)mask + 1, sizeof(*slots));

	for (uint32_t id = 0; id < names->count; id++) {
		uint32_t slot = names->hashes[id] & mask;

		while (slots[slot])
			slot = (slot + 1) & mask;
		slots[slot] = id + 1;
	}
	free(names->slots);
	names->slots = slots;
	names->mask = mask;
}

static uint32_t append(struct names *names, const char *text, uint32_t hash)
{
	if (names->count == names->room) {
		names->room = names->room ? names->room * 2 : SLOTS_MIN;
		names->texts = xrealloc(names->texts, names->room, sizeof(*names->texts));
		names->hashes = xrealloc(names->hashes, names->room, sizeof(*names->hashes));
	}
	names->texts[names->count] = xstrdup(text);
	names->hashes[names->count] = hash;
	return names->count++;
}

uint32_t names_id(struct names *names, const char *text)
{
	uint32_t hash = hash_text(text), slot = hash & names->mask, id;

	while (names->slots[slot]) {
		id = names->slots[slot] - 1;
		if (names->hashes[id] == hash && !strcmp(names->texts[id], text))
			return id;
		slot = (slot + 1) & names->mask;
	}
	id = append(names, text, hash);
	names->slots[slot] = id + 1;
	if (names->count > names->mask / 2)
		double_slots(names);
	return id;
}
