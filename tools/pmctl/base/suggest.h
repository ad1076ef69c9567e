/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SUGGEST_H
#define PMCTL_SUGGEST_H

#include <stddef.h>

#define NEAREST_MAX	3

/**
 * struct nearest - the names that resemble a mistyped one best
 * @wanted: what was typed
 * @limit: names further away than this are no help
 * @count: how many were found
 * @distance: theirs, smallest first
 * @name: theirs; copies
 */
struct nearest {
	const char *wanted;
	unsigned int limit;
	unsigned int count;
	unsigned int distance[NEAREST_MAX];
	char *name[NEAREST_MAX];
};

/* How many letters to insert, delete, change or swap; case does not matter. */
unsigned int edit_distance(const char *from, const char *to);

void nearest_init(struct nearest *near, const char *wanted);
void nearest_offer(struct nearest *near, const char *name);
/* "'cycles' or 'bus-cycles'", or "" when nothing is near. */
void nearest_format(const struct nearest *near, char *buf, size_t size);
void nearest_free(struct nearest *near);

#endif
