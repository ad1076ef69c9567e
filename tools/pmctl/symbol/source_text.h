/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SOURCE_TEXT_H
#define PMCTL_SOURCE_TEXT_H

#include "base/intern.h"

/**
 * struct source_text - the lines of source files, each of which is read once
 * @root: prefix of all paths
 * @paths: of the files that were asked for
 * @files: struct source_file by the same number
 * @room: allocated length of @files
 */
struct source_text {
	const char *root;
	struct intern paths;
	struct source_file *files;
	uint32_t room;
};

void source_text_init(struct source_text *source, const char *root);
void source_text_free(struct source_text *source);
/* Returns line number @line of a file, from 1 on, with spaces for tabs; NULL if there is none. */
const char *source_text_line(struct source_text *source, const char *path, int line);

#endif
