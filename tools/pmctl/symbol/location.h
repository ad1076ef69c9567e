/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the symbol or file at an address, by the records that were taken so far. */
#ifndef PMCTL_LOCATION_H
#define PMCTL_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/processes.h"
#include "symbol/symbols.h"

/**
 * struct location - the symbol or file at an address; valid until the next processes_take()
 * @symbol: the function, of the kernel with its "[module]"; or NULL
 * @into: the offset in it
 * @object: the path of the file, "[kernel]", "[module]" or "[unknown]"
 * @offset: the offset in the file
 * @is_kernel: it is in the kernel or a module
 */
struct location {
	const char *symbol;
	uint64_t into;
	const char *object;
	uint64_t offset;
	bool is_kernel;
};

/* @user: an address of process @pid; else of the kernel. */
struct location location_find(struct processes *processes, struct symbols *symbols, int pid,
			      uint64_t address, bool user);

#define LOCATION_TEXT_MAX	8704

/*
 * "symbol+0x10" of the kernel, "symbol+0x10 (/bin/sh)", "/bin/sh+0x1234" or "[unknown]". Returns
 * @buf, which has LOCATION_TEXT_MAX bytes.
 */
const char *location_text(const struct location *location, char *buf);

#endif
