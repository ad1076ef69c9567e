// SPDX-License-Identifier: GPL-2.0-only
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdio.h>
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

	/* "[vdso]" and "//anon" are not files. O_NONBLOCK: the path may have become a pipe. */
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

/* A note of ELF: its name and contents follow, each padded to a multiple of 4 bytes. */
struct note {
	uint32_t name_size;
	uint32_t size;
	uint32_t type;
};

static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

struct build_id build_id_kernel(void)
{
	FILE *file = fopen("/sys/kernel/notes", "re");
	struct build_id id = { 0 };
	char name[16], bytes[256];
	struct note note;

	while (file && !id.size && fread(&note, sizeof(note), 1, file) == 1 &&
	       padded(note.name_size) <= sizeof(name) && padded(note.size) <= sizeof(bytes) &&
	       fread(name, 1, padded(note.name_size), file) == padded(note.name_size) &&
	       fread(bytes, 1, padded(note.size), file) == padded(note.size)) {
		if (note.type != NT_GNU_BUILD_ID || note.name_size != sizeof(ELF_NOTE_GNU) ||
		    memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) || note.size > BUILD_ID_MAX)
			continue;
		id.size = note.size;
		memcpy(id.bytes, bytes, note.size);
	}
	if (file)
		fclose(file);
	return id;
}
