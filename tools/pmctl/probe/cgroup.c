// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/error.h"
#include "base/memory.h"
#include "probe/cgroup.h"

/* Where the first hierarchy of version 2 is mounted, to be freed; or NULL. */
static char *find_mount(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	char *found = NULL;

	while (mounts && !found && (entry = getmntent(mounts)))
		if (!strcmp(entry->mnt_type, "cgroup2"))
			found = xstrdup(entry->mnt_dir);
	if (mounts)
		endmntent(mounts);
	return found;
}

/* The id is the number of the directory's inode. 1: it is no cgroup; -1: there is no directory. */
static int id_of(const char *directory, uint64_t *id)
{
	int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC), result = 1;
	struct statfs fs;
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC && !fstat(fd, &st)) {
		*id = st.st_ino;
		result = 0;
	}
	close(fd);
	return result;
}

int cgroup_id(const char *path, uint64_t *id)
{
	char *mount = find_mount();
	char *below = mount ? xasprintf("%s/%s", mount, path) : NULL;
	int result = below ? id_of(below, id) : -1;

	if (result)
		result = id_of(path, id);
	if (result < 0)
		error("there is no cgroup '%s': give its path below %s, as in /proc/PID/cgroup, or its "
		      "directory", path, mount ? mount : "/sys/fs/cgroup");
	else if (result)
		error("'%s' is no cgroup of version 2", path);
	free(below);
	free(mount);
	return result ? -1 : 0;
}
