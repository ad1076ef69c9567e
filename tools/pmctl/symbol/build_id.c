// SPDX-License-Identifier: GPL-2.0-only
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/build_id.h"

static size_t read_note(int fd, uint8_t id[BUILD_ID_MAX])
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const void *bits;
	ssize_t size = elf ? dwelf_elf_gnu_build_id(elf, &bits) : 0;

	if (size > BUILD_ID_MAX)
		size = 0;
	if (size > 0)
		memcpy(id, bits, (size_t)size);
	elf_end(elf);
	return size > 0 ? (size_t)size : 0;
}

size_t build_id_read(const char *path, uint64_t inode, uint8_t id[BUILD_ID_MAX])
{
	struct stat status;
	size_t size = 0;
	int fd;

	/* "[vdso]", "//anon": no files. A pipe or a device must not keep us waiting. */
	if (path[0] != '/' || path[1] == '/')
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && (!inode || status.st_ino == inode))
		size = read_note(fd, id);
	close(fd);
	return size;
}
