/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_FUNCTION_H
#define PMCTL_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/symbols.h"

/**
 * struct function - a function with a name, and the location of its code
 * @object: in struct symbols
 * @symbol: in names
 * @dso: in names
 * @flags: FRAME_KERNEL
 * @start: its first address: in a file as the file has it, else as the log has it
 * @end: the first address after it
 */
struct function {
	uint32_t object;
	uint32_t symbol;
	uint32_t dso;
	uint32_t flags;
	uint64_t start;
	uint64_t end;
};

/**
 * function_find() - the function at a place
 * @symbols: the objects; without @inlines
 * @object: symbols_object()
 * @offset: the offset in a file, else the address
 * @function: out: the function
 * @address: out: the place as an address, between @function->start and @function->end
 *
 * Return: whether there is one. Places without a symbol have none.
 */
bool function_find(struct symbols *symbols, uint32_t object, uint64_t offset,
		   struct function *function, uint64_t *address);

#endif
