// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "log/log_build.h"

#define TEXT_MAX	(16 * 1024)	/* four of them fit into a record */

static size_t round_up(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

void *log_build(struct log_build *build, unsigned int type, size_t size, uint64_t time)
{
	build->length = round_up(size);
	memset(build->words, 0, build->length);
	build->h.type = (__u16)type;
	build->h.length = (__u32)build->length;
	build->h.time = time;
	return &build->h;
}

static uint32_t grow(struct log_build *build, size_t size)
{
	size_t offset = build->length, room = sizeof(build->words) - offset;

	if (round_up(size) > room)
		return 0;
	build->length += round_up(size);
	build->h.length = (__u32)build->length;
	memset((char *)build->words + offset, 0, build->length - offset);
	return (uint32_t)offset;
}

uint32_t log_build_bytes(struct log_build *build, const void *bytes, size_t size)
{
	uint32_t offset = grow(build, size);

	if (offset)
		memcpy((char *)build->words + offset, bytes, size);
	return offset;
}

uint32_t log_build_text(struct log_build *build, const char *text)
{
	size_t length = strnlen(text, TEXT_MAX - 1);
	uint32_t offset = grow(build, length + 1);

	if (offset)
		memcpy((char *)build->words + offset, text, length);
	return offset;
}
