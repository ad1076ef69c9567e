/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_BUILD_ID_H
#define PMCTL_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX	32	/* bytes; who builds has 20 of them, or 16 */

/*
 * The build-id of the ELF file at @path, if that still is the file with this
 * @inode (0: any). Returns its size in bytes; 0: there is none to be had.
 */
size_t build_id_read(const char *path, uint64_t inode, uint8_t id[BUILD_ID_MAX]);

#endif
