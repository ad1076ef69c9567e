/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PATH_H
#define PMCTL_PATH_H

#include <string.h>

/* Returns the last component of a path. "//anon" is not a path and is returned unchanged. */
static inline const char *path_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] && strncmp(path, "//", 2) ? slash + 1 : path;
}

#endif
