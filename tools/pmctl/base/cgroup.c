// SPDX-License-Identifier: GPL-2.0-only
/* Finds cgroups of version 2 by name. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cgroup.h"
#include "base/error.h"
#include "base/memory.h"

/* Where the hierarchy is mounted, or NULL. */
static char *mount_point(void)
{
	FILE *file = fopen("/proc/self/mounts", "re");
	char *line = NULL, *found = NULL;
	size_t room = 0;

	while (file && !found && getline(&line, &room, file) > 0) {
		char *rest = line, *where;

		strsep(&rest, " ");
		where = strsep(&rest, " ");
		if (where && rest && !strncmp(rest, "cgroup2 ", 8))
			found = xstrdup(where);
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

static bool is_cgroup(const char *path)
{
	char *procs = xasprintf("%s/cgroup.procs", path);
	FILE *file = fopen(procs, "re");

	free(procs);
	if (file)
		fclose(file);
	return file;
}

/* Returns the directory of @name, which is below @top unless @name already begins with @top. */
static char *path_of(const char *top, const char *name)
{
	size_t length = strlen(top), last;
	char *path;

	if (!strncmp(name, top, length) && (!name[length] || name[length] == '/'))
		path = xstrdup(name);
	else
		path = xasprintf("%s%s%s", top, *name == '/' ? "" : "/", name);
	for (last = strlen(path); last > length && path[last - 1] == '/'; last--)
		path[last - 1] = '\0';
	return path;
}

char *cgroup_find(const char *name)
{
	char *top = mount_point(), *path;

	if (!top) {
		error("cgroup v2 is not mounted: mount -t cgroup2 none /sys/fs/cgroup");
		return NULL;
	}
	path = path_of(top, name);
	if (!is_cgroup(path)) {
		error("there is no cgroup '%s': %s; list them with: find %s -type d", name,
		      strerror(errno), top);
		free(path);
		path = NULL;
	}
	free(top);
	return path;
}

int cgroup_id(const char *name, uint64_t *id)
{
	char *path = cgroup_find(name);
	struct stat st;
	int result;

	if (!path)
		return -1;
	result = stat(path, &st);
	if (result)
		error("cannot read '%s': %s", path, strerror(errno));
	else
		*id = st.st_ino;
	free(path);
	return result;
}
