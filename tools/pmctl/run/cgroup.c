// SPDX-License-Identifier: GPL-2.0-only
/* The processes of a cgroup, of version 2. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/cgroup.h"

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

/* The directory of @name, below @top unless it is there already. */
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
		error("-G needs cgroup v2, which is not mounted: mount -t cgroup2 none /sys/fs/cgroup");
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

static int read_procs(const char *path, struct pid_set *found)
{
	char *procs = xasprintf("%s/cgroup.procs", path);
	FILE *file = fopen(procs, "re");
	int pid, result = 0;

	/* 0: a process outside of this PID namespace. */
	while (file && fscanf(file, "%d", &pid) == 1)
		if (pid > 0)
			pid_set_append(found, pid);
	/* Removed; or its threads are those of processes of a cgroup above. */
	if ((!file || ferror(file)) && errno != ENOENT && errno != ENODEV && errno != EOPNOTSUPP) {
		error("cannot read '%s': %s", procs, strerror(errno));
		result = -1;
	}
	if (file)
		fclose(file);
	free(procs);
	return result;
}

int cgroup_members(const char *path, struct pid_set *found)
{
	int result = read_procs(path, found);
	DIR *directory = result ? NULL : opendir(path);
	const struct dirent *entry;

	while (directory && !result && (entry = readdir(directory))) {
		char *below;

		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		below = xasprintf("%s/%s", path, entry->d_name);
		result = cgroup_members(below, found);
		free(below);
	}
	if (directory)
		closedir(directory);
	return result;
}
