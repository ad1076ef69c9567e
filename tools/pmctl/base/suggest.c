// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"

#define LENGTH_MAX	128	/* longer than any event name */

static unsigned int least(unsigned int first, unsigned int second)
{
	return first < second ? first : second;
}

static int same(char first, char second)
{
	return tolower((unsigned char)first) == tolower((unsigned char)second);
}

/* Optimal string alignment: computes one line of the table from the two above it. */
static void next_line(const char *from, size_t i, const char *to, size_t to_length,
		      unsigned int line[3][LENGTH_MAX + 1])
{
	line[2][0] = (unsigned int)i;
	for (size_t j = 1; j <= to_length; j++) {
		unsigned int change = line[1][j - 1] + !same(from[i - 1], to[j - 1]);

		line[2][j] = least(change, least(line[1][j], line[2][j - 1]) + 1);
		if (i > 1 && j > 1 && same(from[i - 1], to[j - 2]) && same(from[i - 2], to[j - 1]))
			line[2][j] = least(line[2][j], line[0][j - 2] + 1);
	}
}

unsigned int suggest_distance(const char *from, const char *to)
{
	size_t from_length = strnlen(from, LENGTH_MAX), to_length = strnlen(to, LENGTH_MAX);
	unsigned int line[3][LENGTH_MAX + 1] = { 0 };

	for (size_t j = 0; j <= to_length; j++)
		line[1][j] = (unsigned int)j;
	for (size_t i = 1; i <= from_length; i++) {
		next_line(from, i, to, to_length, line);
		memcpy(line[0], line[1], sizeof(line[0]));
		memcpy(line[1], line[2], sizeof(line[1]));
	}
	return line[1][to_length];
}

void suggest_init(struct suggest *suggest, const char *wanted)
{
	memset(suggest, 0, sizeof(*suggest));
	suggest->wanted = wanted;
	suggest->limit = (unsigned int)strlen(wanted) / 3 + 1;
}

static int known(const struct suggest *suggest, const char *name)
{
	for (unsigned int i = 0; i < suggest->count; i++)
		if (!strcasecmp(suggest->name[i], name))
			return 1;
	return 0;
}

void suggest_offer(struct suggest *suggest, const char *name)
{
	unsigned int distance = suggest_distance(suggest->wanted, name), at = suggest->count;

	if (distance > suggest->limit || known(suggest, name))
		return;
	while (at > 0 && suggest->distance[at - 1] > distance)
		at--;
	if (at == SUGGEST_MAX)
		return;
	if (suggest->count == SUGGEST_MAX)
		free(suggest->name[--suggest->count]);
	memmove(&suggest->name[at + 1], &suggest->name[at],
		(suggest->count - at) * sizeof(suggest->name[0]));
	memmove(&suggest->distance[at + 1], &suggest->distance[at],
		(suggest->count - at) * sizeof(suggest->distance[0]));
	suggest->name[at] = xstrdup(name);
	suggest->distance[at] = distance;
	suggest->count++;
}

void suggest_format(const struct suggest *suggest, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned int i = 0; i < suggest->count && used < size; i++) {
		const char *between = i == 0 ? "" : i + 1 < suggest->count ? ", " : " or ";

		used += (size_t)snprintf(buf + used, size - used, "%s'%s'", between,
					 suggest->name[i]);
	}
}

void suggest_free(struct suggest *suggest)
{
	while (suggest->count)
		free(suggest->name[--suggest->count]);
}
