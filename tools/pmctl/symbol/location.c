// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symbol/location.h"

static const char unknown[] = "[unknown]";

static struct location in_kernel(const struct kernel_symbol *symbol, uint64_t address)
{
	const char *module = strstr(symbol->name, " [");

	return (struct location){
		.symbol = symbol->name,
		.into = address - symbol->start,
		.object = module ? module + 1 : "[kernel]",
		.is_kernel = true,
	};
}

struct location location_find(struct processes *processes, struct symbols *symbols, int pid,
			      uint64_t address, bool user)
{
	struct location location = { .object = unknown };
	const struct kernel_symbol *symbol = NULL;
	const struct map *map;

	if (!user)
		symbol = processes_kernel_symbol(processes, address);
	if (symbol)
		return in_kernel(symbol, address);
	map = processes_map(processes, user ? pid : PROCESSES_KERNEL, address);
	if (!map)
		return location;
	location.object = map->file->path;
	location.offset = address - map->start + map->file_offset;
	if (user && symbols_is_file(map->file))
		location.symbol = symbols_function(symbols, symbols_file(symbols, map->file),
						   location.offset, &location.into);
	return location;
}

const char *location_text(const struct location *location, char *buf)
{
	if (location->is_kernel)
		snprintf(buf, LOCATION_TEXT_MAX, "%s+0x%" PRIx64, location->symbol, location->into);
	else if (location->symbol)
		snprintf(buf, LOCATION_TEXT_MAX, "%.*s+0x%" PRIx64 " (%s)", 4096, location->symbol,
			 location->into, location->object);
	else if (location->offset || strcmp(location->object, unknown) != 0)
		snprintf(buf, LOCATION_TEXT_MAX, "%s+0x%" PRIx64, location->object,
			 location->offset);
	else
		return unknown;
	return buf;
}
