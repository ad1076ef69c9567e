// SPDX-License-Identifier: GPL-2.0-only
/* The newest records of a run, in memory: record --overwrite. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/retain.h"

void retain_begin(struct retain *retain, size_t bytes)
{
	retain->limit = bytes / 2;
	for (unsigned int i = 0; i < 2; i++) {
		retain->half[i] = xcalloc(1, retain->limit);
		retain->used[i] = 0;
	}
}

/* The newer half becomes the older one, whose records are lost. */
static void turn(struct retain *retain)
{
	unsigned char *free = retain->half[1];

	retain->half[1] = retain->half[0];
	retain->used[1] = retain->used[0];
	retain->half[0] = free;
	retain->used[0] = 0;
}

void retain_add(struct retain *retain, const struct hwpmc_log_header *record)
{
	if (record->length > retain->limit)
		return;
	if (record->length > retain->limit - retain->used[0])
		turn(retain);
	memcpy(retain->half[0] + retain->used[0], record, record->length);
	retain->used[0] += record->length;
}

void retain_visit(const struct retain *retain, retain_take take, void *context)
{
	for (int i = 1; i >= 0; i--) {
		const struct hwpmc_log_header *record;

		for (size_t at = 0; at < retain->used[i]; at += record->length) {
			record = (const void *)(retain->half[i] + at);
			take(record, context);
		}
	}
}

void retain_clear(struct retain *retain)
{
	retain->used[0] = 0;
	retain->used[1] = 0;
}

void retain_free(struct retain *retain)
{
	free(retain->half[0]);
	free(retain->half[1]);
	memset(retain, 0, sizeof(*retain));
}
