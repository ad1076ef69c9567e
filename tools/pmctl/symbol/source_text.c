// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "symbol/source_text.h"

/**
 * struct source_file - a file
 * @lines: its lines, without their ends and without tabs
 * @count: number of lines
 * @read: it was read, or cannot be
 */
struct source_file {
	char **lines;
	uint32_t count;
	bool read;
};

void source_text_init(struct source_text *source, const char *root)
{
	memset(source, 0, sizeof(*source));
	source->root = root;
	intern_init_texts(&source->paths);
}

void source_text_free(struct source_text *source)
{
	for (uint32_t id = 0; id < source->room; id++) {
		for (uint32_t i = 0; i < source->files[id].count; i++)
			free(source->files[id].lines[i]);
		free(source->files[id].lines);
	}
	free(source->files);
	intern_free(&source->paths);
}

/* Opens regular files only: debugging information may name a FIFO or a terminal. */
static FILE *open_source(const char *root, const char *path)
{
	char *full = xasprintf("%s%s", root, path);
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat stat;

	free(full);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode))
		return fdopen(fd, "r");
	close(fd);
	return NULL;
}

#define TAB	4	/* columns; 8 would leave little room beside the instructions */

/* A line without its end, with spaces for tabs. */
static char *expanded(const char *line)
{
	size_t length = strcspn(line, "\r\n"), column = 0;
	char *text = xcalloc(1, TAB * length + 1);

	for (size_t i = 0; i < length; i++) {
		if (line[i] != '\t') {
			text[column++] = line[i];
			continue;
		}
		do
			text[column++] = ' ';
		while (column % TAB);
	}
	return text;
}

static void read_file(struct source_file *file, const char *root, const char *path)
{
	FILE *stream = open_source(root, path);
	char *line = NULL;
	size_t size = 0;
	uint32_t room = 0;

	while (stream && getline(&line, &size, stream) > 0) {
		if (file->count == room) {
			room = room ? room * 2 : 256;
			file->lines = xrealloc(file->lines, room, sizeof(*file->lines));
		}
		file->lines[file->count++] = expanded(line);
	}
	free(line);
	if (stream)
		fclose(stream);
}

const char *source_text_line(struct source_text *source, const char *path, int line)
{
	uint32_t id = intern_id(&source->paths, path), room = source->room;
	struct source_file *file;

	if (id >= room) {
		source->room = room ? room * 2 : 16;
		source->files = xrealloc(source->files, source->room, sizeof(*source->files));
		memset(source->files + room, 0, (source->room - room) * sizeof(*source->files));
	}
	file = &source->files[id];
	/* The base directory of a relative path is unknown. */
	if (!file->read && path[0] == '/')
		read_file(file, source->root, path);
	file->read = true;
	return line > 0 && (uint32_t)line <= file->count ? file->lines[line - 1] : NULL;
}
