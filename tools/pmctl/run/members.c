// SPDX-License-Identifier: GPL-2.0-only
/* The processes of a cgroup. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/members.h"

static int read_procs(const char *path, struct pid_set *found)
{
	char *procs = xasprintf("%s/cgroup.procs", path);
	FILE *file = fopen(procs, "re");
	int pid, result = 0;

	/* 0: a process outside of this PID namespace. */
	while (file && fscanf(file, "%d", &pid) == 1)
		if (pid > 0)
			pid_set_append(found, pid);
	/* The cgroup was removed; or its threads belong to processes of a parent cgroup. */
	if ((!file || ferror(file)) && errno != ENOENT && errno != ENODEV && errno != EOPNOTSUPP) {
		error("cannot read '%s': %s", procs, strerror(errno));
		result = -1;
	}
	if (file)
		fclose(file);
	free(procs);
	return result;
}

int members_of_cgroup(const char *path, struct pid_set *found)
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
		result = members_of_cgroup(below, found);
		free(below);
	}
	if (directory)
		closedir(directory);
	return result;
}
