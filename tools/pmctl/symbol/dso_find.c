// SPDX-License-Identifier: GPL-2.0-only
/* Finds the file that was mapped when the log was recorded. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/memory.h"
#include "symbol/dso.h"

static const char deleted[] = " (deleted)";

/* Opens regular files only: a log may name a FIFO or a terminal. */
static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat stat;

	if (fd >= 0 && (fstat(fd, &stat) || !S_ISREG(stat.st_mode))) {
		close(fd);
		errno = ENOENT;
		return -1;
	}
	return fd;
}

/* Returns the state for errno after a failed open. */
static enum dso_state not_opened(void)
{
	return errno == EMFILE || errno == ENFILE ? DSO_TOO_MANY_OPEN : DSO_MISSING;
}

/* Without a wanted build-id any ELF file is accepted. */
static enum dso_state examine(int fd, const struct build_id *wanted)
{
	enum dso_state state = DSO_MISSING;
	struct build_id found;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		found = build_id_of(elf);
		state = !wanted->size || build_id_equal(&found, wanted) ? DSO_FOUND : DSO_MISMATCH;
	}
	elf_end(elf);
	return state;
}

static enum dso_state try_path(const char *path, const struct build_id *wanted, int *fd)
{
	enum dso_state state;

	*fd = open_file(path);
	if (*fd < 0)
		return not_opened();
	state = examine(*fd, wanted);
	if (state == DSO_FOUND)
		return state;
	close(*fd);
	*fd = -1;
	return state;
}

/* Debug packages install a link by build-id to the file itself. */
static enum dso_state try_build_id(const char *root, const struct build_id *wanted, int *fd)
{
	char hex[2 * BUILD_ID_MAX + 1] = "", *path;
	enum dso_state state;

	if (wanted->size < 2)
		return DSO_MISSING;
	for (uint32_t i = 0; i < wanted->size; i++)
		snprintf(hex + 2 * i, 3, "%02x", wanted->bytes[i]);
	path = xasprintf("%s/usr/lib/debug/.build-id/%.2s/%s", root, hex, hex + 2);
	state = try_path(path, wanted, fd);
	free(path);
	return state;
}

static size_t image_size(const unsigned char *image)
{
	const Elf64_Ehdr *header = (const void *)image;

	return header->e_shoff + (size_t)header->e_shentsize * header->e_shnum;
}

/* The vdso of this process, as a file. */
static int open_vdso(void)
{
	const unsigned char *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t size;
	int fd;

	errno = ENOENT;
	if (!image || image[EI_CLASS] != ELFCLASS64)
		return -1;
	size = image_size(image);
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, image, size) != (ssize_t)size) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * The vdso of this process is used if its build-id matches, or without a build-id if the kernel
 * release matches.
 */
static enum dso_state find_vdso(const struct dso_paths *paths, const struct build_id *wanted,
				int *fd)
{
	enum dso_state state;
	struct utsname us;

	*fd = -1;
	if (!wanted->size &&
	    (!paths->release || uname(&us) || strcmp(us.release, paths->release)))
		return DSO_MISSING;
	*fd = open_vdso();
	if (*fd < 0)
		return not_opened();
	state = examine(*fd, wanted);
	if (state == DSO_FOUND)
		return state;
	close(*fd);
	*fd = -1;
	return DSO_MISSING;
}

static bool ends(const char *path, const char *end)
{
	size_t length = strlen(path), tail = strlen(end);

	return length > tail && !strcmp(path + length - tail, end);
}

enum dso_state dso_find(const struct dso_paths *paths, const char *path,
			const struct build_id *wanted, int *fd)
{
	enum dso_state state = DSO_MISSING, packaged;
	size_t length = strlen(path);
	bool gone = ends(path, deleted);
	char *full;

	if (!strcmp(path, "[vdso]"))
		return find_vdso(paths, wanted, fd);
	*fd = -1;
	if (gone)
		length -= strlen(deleted);
	/* A deleted file was replaced by a new one, which is accepted only by its build-id. */
	if (path[0] == '/' && (!gone || wanted->size)) {
		full = xasprintf("%s%.*s", paths->root, (int)length, path);
		state = try_path(full, wanted, fd);
		free(full);
	}
	if (state == DSO_FOUND)
		return state;
	packaged = try_build_id(paths->root, wanted, fd);
	return packaged == DSO_FOUND || packaged == DSO_TOO_MANY_OPEN ? packaged : state;
}
