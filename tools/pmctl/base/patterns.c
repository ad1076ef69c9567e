// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/patterns.h"

void patterns_add(struct patterns *patterns, const char *text)
{
	patterns->list = xrealloc(patterns->list, patterns->count + 1, sizeof(*patterns->list));
	patterns->list[patterns->count++] = xstrdup(text);
}

void patterns_add_list(struct patterns *patterns, const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		if (*word)
			patterns_add(patterns, word);
	free(copy);
}

void patterns_free(struct patterns *patterns)
{
	for (unsigned int i = 0; i < patterns->count; i++)
		free(patterns->list[i]);
	free(patterns->list);
	memset(patterns, 0, sizeof(*patterns));
}

bool patterns_match(const struct patterns *patterns, const char *text)
{
	for (unsigned int i = 0; i < patterns->count; i++)
		/* Also compared literally: "operator[]" does not match itself as a pattern. */
		if (!strcmp(patterns->list[i], text) || !fnmatch(patterns->list[i], text, 0))
			return true;
	return !patterns->count;
}
