/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_NAMES_H
#define PMCTL_NAMES_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct names - texts, each kept once and numbered; 0 is ""
 * @texts: by number
 * @hashes: theirs
 * @slots: hash table of number + 1; 0 empty
 * @count: how many
 * @room: for how many there is memory
 * @mask: number of slots - 1
 */
struct names {
	char **texts;
	uint32_t *hashes;
	uint32_t *slots;
	uint32_t count;
	uint32_t room;
	uint32_t mask;
};

void names_init(struct names *names);
void names_free(struct names *names);
/* The number of @text, which is copied if it is new. */
uint32_t names_id(struct names *names, const char *text);

static inline const char *names_text(const struct names *names, uint32_t id)
{
	return names->texts[id];
}

#endif
