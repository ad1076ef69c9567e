/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SUGGEST_H
#define PMCTL_SUGGEST_H

#include <stddef.h>

#define SUGGEST_MAX	3

/**
 * struct suggest - the known names that are closest to a mistyped one
 * @wanted: the name that was typed
 * @limit: names at a larger distance are not suggested
 * @count: number of names found
 * @distance: their distances, smallest first
 * @name: copies of the names
 */
struct suggest {
	const char *wanted;
	unsigned int limit;
	unsigned int count;
	unsigned int distance[SUGGEST_MAX];
	char *name[SUGGEST_MAX];
};

/* The number of letters to insert, delete, change or swap; case is ignored. */
unsigned int suggest_distance(const char *from, const char *to);

void suggest_init(struct suggest *suggest, const char *wanted);
void suggest_offer(struct suggest *suggest, const char *name);
/* "'cycles' or 'bus-cycles'", or "" if no name is close. */
void suggest_format(const struct suggest *suggest, char *buf, size_t size);
void suggest_free(struct suggest *suggest);

#endif
