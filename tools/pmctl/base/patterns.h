/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PATTERNS_H
#define PMCTL_PATTERNS_H

#include <stdbool.h>

/* Shell patterns of a filter. None: everything matches. */
struct patterns {
	char **list;
	unsigned int count;
};

void patterns_add(struct patterns *patterns, const char *text);
/* Adds each word of a comma-separated list. */
void patterns_add_list(struct patterns *patterns, const char *text);
void patterns_free(struct patterns *patterns);

/* Whether a pattern matches; an empty filter always matches. */
bool patterns_match(const struct patterns *patterns, const char *text);

#endif
