/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SUGGEST_H
#define PMCTL_SUGGEST_H

#include <stddef.h>

#define SUGGEST_MAX	3

/**
 * struct nearest - the names that resemble a mistyped one best
 * @wanted: what was typed
 * @limit: names further away than this are no help
 * @count: how many were found
 * @distance: theirs, smallest first
 * @name: theirs; copies
 */
struct suggest {
	const char *wanted;
	unsigned int limit;
	unsigned int count;
	unsigned int distance[SUGGEST_MAX];
	char *name[SUGGEST_MAX];
};

/* How many letters to insert, delete, change or swap; case does not matter. */
unsigned int suggest_distance(const char *from, const char *to);

void suggest_init(struct suggest *suggest, const char *wanted);
void suggest_offer(struct suggest *suggest, const char *name);
/* "'cycles' or 'bus-cycles'", or "" when nothing is near. */
void suggest_format(const struct suggest *suggest, char *buf, size_t size);
void suggest_free(struct suggest *suggest);

#endif
