/* SPDX-License-Identifier: GPL-2.0-only */
/* Files with symbols: what fixtures/make has built. */
#ifndef PMCTL_TEST_FIXTURE_H
#define PMCTL_TEST_FIXTURE_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

static char here[PATH_MAX];	/* directory of the fixtures */

static inline char *fixture(const char *name)
{
	return xasprintf("%s/%s", here, name);
}

/* Runs a fixture, and returns the offset that it prints for @name. */
static inline unsigned long fixture_place(const char *program, const char *name)
{
	unsigned long offset, found = 0;
	char *path = fixture(program), word[64];
	FILE *lines = popen(path, "r");

	while (lines && fscanf(lines, "%63s %lx", word, &offset) == 2)
		if (!strcmp(word, name))
			found = offset;
	if (lines)
		pclose(lines);
	free(path);
	return found;
}

static inline void fixtures_begin(void)
{
	ssize_t length = readlink("/proc/self/exe", here, sizeof(here) - 1);
	char *slash;

	here[length > 0 ? length : 0] = '\0';
	slash = strrchr(here, '/');
	snprintf(slash, sizeof(here) - (size_t)(slash - here), "/fixtures");
}

#endif
