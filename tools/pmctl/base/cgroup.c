// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds cgroups by name. Called by the commands that select processes by cgroup, and by those that
 * give the kernel a cgroup's id.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cgroup.h"
#include "base/error.h"
#include "base/memory.h"

/**
 * struct tops - where hierarchies of cgroups are mounted
 * @path: the directories
 * @count: number of @path
 */
struct tops {
	char **path;
	unsigned int count;
};

static bool is_octal(char digit)
{
	return digit >= '0' && digit <= '7';
}

/* /proc/self/mounts has white space, \ and # of a name as \ and three octal digits. */
static void undo_escapes(char *text)
{
	char *to = text;

	for (; *text; text++) {
		char code = *text;

		if (*text == '\\' && is_octal(text[1]) && is_octal(text[2]) && is_octal(text[3])) {
			code = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
				      (text[3] - '0'));
			text += 3;
		}
		*to++ = code;
	}
	*to = '\0';
}

/*
 * Appends where file systems of @type are mounted. getmntent(3) is not used: it opens the file by
 * an internal function of libc, and the tests replace fopen(3) to read a file of their own.
 */
static void add_tops(struct tops *tops, const char *type)
{
	FILE *file = fopen("/proc/self/mounts", "re");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		char *rest = line, *where, *mounted;

		strsep(&rest, " ");
		where = strsep(&rest, " ");
		mounted = strsep(&rest, " ");
		if (!mounted || strcmp(mounted, type))
			continue;
		undo_escapes(where);
		tops->path = xrealloc(tops->path, tops->count + 1, sizeof(*tops->path));
		tops->path[tops->count++] = xstrdup(where);
	}
	free(line);
	if (file)
		fclose(file);
}

static void free_tops(struct tops *tops)
{
	while (tops->count)
		free(tops->path[--tops->count]);
	free(tops->path);
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

/* Returns the directory of @name in the first of @tops that has it, or NULL after a message. */
static char *find_in(const struct tops *tops, const char *name)
{
	int why = ENOENT;

	for (unsigned int i = 0; i < tops->count; i++) {
		char *path = path_of(tops->path[i], name);

		if (is_cgroup(path))
			return path;
		if (errno != ENOENT)
			why = errno;
		free(path);
	}
	error("there is no cgroup '%s': %s; list them with: find %s -type d", name, strerror(why),
	      tops->path[0]);
	return NULL;
}

static char *find_of(const char *name, bool any_version)
{
	struct tops tops = { .path = NULL };
	char *path = NULL;

	add_tops(&tops, "cgroup2");
	if (any_version)
		add_tops(&tops, "cgroup");
	if (tops.count)
		path = find_in(&tops, name);
	else
		error("cgroup v2 is not mounted: mount -t cgroup2 none /sys/fs/cgroup");
	free_tops(&tops);
	return path;
}

char *cgroup_find(const char *name)
{
	return find_of(name, true);
}

int cgroup_id(const char *name, uint64_t *id)
{
	char *path = find_of(name, false);
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
