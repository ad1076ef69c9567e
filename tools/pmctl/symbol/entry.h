/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_ENTRY_H
#define PMCTL_ENTRY_H

#include <stddef.h>
#include <stdint.h>

/**
 * entry_find() - find where a function of a program or library begins
 * @fd: the file, open for reading; stays open
 * @path: its name, for messages
 * @function: name of the function, as the file has it, or demangled without parameters
 * @offset: out: in the file, in bytes
 * @why: out: a message
 * @size: room for @why
 *
 * Symbols of separate debug files are found, too. Return: 0, or -1 with a message in @why.
 */
int entry_find(int fd, const char *path, const char *function, uint64_t *offset, char *why,
	       size_t size);

#endif
