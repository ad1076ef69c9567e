// SPDX-License-Identifier: GPL-2.0-only
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/build_id.h"

struct build_id build_id_of(Elf *elf)
{
	struct build_id id = { 0 };
	const void *bits;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bits);

	if (size > 0 && size <= BUILD_ID_MAX) {
		id.size = (uint32_t)size;
		memcpy(id.bytes, bits, (size_t)size);
	}
	return id;
}

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

struct build_id build_id_read(const char *path, uint64_t inode)
{
	struct build_id id = { 0 };
	struct stat status;
	Elf *elf;
	int fd;

	/* "[vdso]" and "//anon" are not files. O_NONBLOCK: the path may be a pipe by now. */
	if (path[0] != '/' || path[1] == '/')
		return id;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return id;
	elf_version(EV_CURRENT);
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && (!inode || status.st_ino == inode)) {
		elf = elf_begin(fd, ELF_C_READ, NULL);
		if (elf)
			id = build_id_of(elf);
		elf_end(elf);
	}
	close(fd);
	return id;
}
