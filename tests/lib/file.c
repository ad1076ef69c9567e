// SPDX-License-Identifier: GPL-2.0-only
/* Files of the machine under test; see file.h. */
#include <fcntl.h>

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
