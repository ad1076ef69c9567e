// SPDX-License-Identifier: GPL-2.0-only
/* Files of the machine under test; see file.h. */
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "file.h"
#include "test.h"

bool file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

void file_set(const char *path, const char *text)
{
	if (!file_write(path, text))
		die("%s: %s", path, strerror(errno));
}

void file_copy_program(const char *path, uid_t uid, mode_t mode)
{
	char cmd[256];

	snprintf(cmd, sizeof(cmd), "cp /proc/%d/exe %s", getpid(), path);
	if (system(cmd) || chown(path, uid, uid) || chmod(path, mode))
		die("%s: %s", path, strerror(errno));
}

bool file_set_capability(const char *path, unsigned int cap)
{
	struct vfs_cap_data data = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data[0].permitted = 1U << cap,
	};

	return !setxattr(path, "security.capability", &data, sizeof(data), 0);
}
