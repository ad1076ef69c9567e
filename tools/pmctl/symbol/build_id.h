/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_BUILD_ID_H
#define PMCTL_BUILD_ID_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX	32	/* bytes; linkers write 20 or 16 */

/**
 * struct build_id - the build-id of a file
 * @size: of @bytes; 0: unknown
 * @bytes: the build-id
 */
struct build_id {
	uint32_t size;
	uint8_t bytes[BUILD_ID_MAX];
};

/* The build-id of an ELF file; size 0 if there is none. */
struct build_id build_id_of(Elf *elf);
bool build_id_equal(const struct build_id *a, const struct build_id *b);

/*
 * The build-id of the ELF file at @path. Size 0 if there is none, or if the file does not
 * have this @inode any more (0: any).
 */
struct build_id build_id_read(const char *path, uint64_t inode);

/* The build-id of the running kernel; size 0 if it has none. */
struct build_id build_id_kernel(void);

#endif
