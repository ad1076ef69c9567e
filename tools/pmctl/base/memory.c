// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/memory.h"

/* Writes the message itself: error() needs memory to format one. */
static void *check(void *memory)
{
	if (!memory) {
		fputs("pmctl: out of memory\n", stderr);
		exit(EXIT_OWN);
	}
	return memory;
}

void *xcalloc(size_t count, size_t size)
{
	return check(calloc(count ? count : 1, size));
}

void *xrealloc(void *old, size_t count, size_t size)
{
	return check(reallocarray(old, count ? count : 1, size));
}

/* The room doubles when the number of items is a power of two. */
void *xgrow(void *old, size_t number, size_t size)
{
	if (number & (number - 1))
		return old;
	return xrealloc(old, number ? 2 * number : 1, size);
}

char *xstrdup(const char *text)
{
	return check(strdup(text));
}

char *xstrndup(const char *text, size_t length)
{
	return check(strndup(text, length));
}

char *xjoin(const char *first, char *const *words)
{
	size_t size = strlen(first) + 1;
	char *all, *end;

	for (char *const *word = words; *word; word++)
		size += 1 + strlen(*word);
	all = xcalloc(size, 1);
	end = stpcpy(all, first);
	for (; *words; words++) {
		*end++ = ' ';
		end = stpcpy(end, *words);
	}
	return all;
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return check(text);
}
