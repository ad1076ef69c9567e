// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/search.h"
#include "symbol/jit.h"

/* Any user may create files in /tmp: those of other users are not trusted. */
static FILE *open_map(const char *root, int pid, bool *foreign)
{
	char *path = xasprintf("%s/tmp/perf-%d.map", root, pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat stat;

	free(path);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode)) {
		*foreign = stat.st_uid && stat.st_uid != geteuid();
		if (!*foreign)
			return fdopen(fd, "r");
	}
	close(fd);
	return NULL;
}

/* "START SIZE NAME", numbers in hexadecimal; other lines are skipped. */
static void take_line(struct jit *jit, char *line, uint32_t *room)
{
	uint64_t start, size;
	int behind = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &start, &size, &behind) < 2 || !behind ||
	    !line[behind] || start + size < start)
		return;
	if (jit->count == *room) {
		*room = *room ? *room * 2 : 256;
		jit->symbols = xrealloc(jit->symbols, *room, sizeof(*jit->symbols));
	}
	jit->symbols[jit->count] = (struct jit_symbol){
		.start = start,
		.end = start + size,
		.order = jit->count,
		.name = xstrdup(line + behind),
	};
	jit->count++;
}

static int by_address(const void *left, const void *right)
{
	const struct jit_symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? 1 : -1;
}

/* Code is moved and recompiled: the last entry of an address is valid. */
static void keep_last(struct jit *jit)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < jit->count; i++)
		if (kept && jit->symbols[kept - 1].start == jit->symbols[i].start)
			free(jit->symbols[i].name);
		else
			jit->symbols[kept++] = jit->symbols[i];
	jit->count = kept;
}

int jit_read(struct jit *jit, const char *root, int pid)
{
	uint32_t room = 0;
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	memset(jit, 0, sizeof(*jit));
	file = open_map(root, pid, &jit->foreign);
	if (!file)
		return -1;
	while (getline(&line, &size, file) > 0)
		take_line(jit, line, &room);
	free(line);
	fclose(file);
	if (jit->count)
		qsort(jit->symbols, jit->count, sizeof(*jit->symbols), by_address);
	keep_last(jit);
	return 0;
}

void jit_free(struct jit *jit)
{
	for (uint32_t i = 0; i < jit->count; i++)
		free(jit->symbols[i].name);
	free(jit->symbols);
	memset(jit, 0, sizeof(*jit));
}

const struct jit_symbol *jit_symbol(const struct jit *jit, uint64_t address)
{
	size_t low = search_up_to(jit->symbols, jit->count, start, address);

	if (!low || address >= jit->symbols[low - 1].end)
		return NULL;
	return &jit->symbols[low - 1];
}
