// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/log_merge.h"
#include "log/log_read.h"

struct log_merge_entry {
	uint64_t time;
	uint64_t sequence;
	struct hwpmc_log_header *record;
};

void log_merge_open(struct log_merge *merge, struct log_reader *reader, size_t limit)
{
	memset(merge, 0, sizeof(*merge));
	merge->reader = reader;
	merge->limit = limit ? limit : LOG_MERGE_MAX;
}

static bool before(const struct log_merge_entry *a, const struct log_merge_entry *b)
{
	return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

static void swap(struct log_merge_entry *a, struct log_merge_entry *b)
{
	struct log_merge_entry other = *a;

	*a = *b;
	*b = other;
}

static void sift_up(struct log_merge_entry *heap, size_t at)
{
	for (; at && before(&heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&heap[at], &heap[(at - 1) / 2]);
}

static void sift_down(struct log_merge_entry *heap, size_t count)
{
	for (size_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &heap[at]))
			return;
		swap(&heap[child], &heap[at]);
	}
}

/* The memory that a buffered record takes. */
static size_t cost(const struct hwpmc_log_header *record)
{
	return record->length + sizeof(struct log_merge_entry) + 16;
}

static void push(struct log_merge *merge, const struct hwpmc_log_header *record)
{
	struct log_merge_entry entry = {
		.time = record->time,
		.sequence = merge->sequence++,
		.record = xcalloc(1, record->length),
	};

	memcpy(entry.record, record, record->length);
	if (merge->count == merge->room) {
		merge->room = merge->room ? 2 * merge->room : 1024;
		merge->heap = xrealloc(merge->heap, merge->room, sizeof(entry));
	}
	merge->heap[merge->count] = entry;
	sift_up(merge->heap, merge->count++);
	merge->kept += cost(record);
}

static void fill(struct log_merge *merge)
{
	const struct hwpmc_log_header *record;

	while (merge->kept < merge->limit && (record = log_read_next(merge->reader)))
		push(merge, record);
}

/* The ALLOCATE record of a sample's PMC may be in another ring, which is read later. */
static void find_period(struct log_merge *merge, struct hwpmc_log_header *record)
{
	struct hwpmc_log_sample *sample = (void *)record;

	if (record->type != HWPMC_LOG_SAMPLE || sample->period)
		return;
	sample->period = log_periods_of(&merge->reader->periods, record->id);
	merge->without_period += sample->period ? 0 : 1;
}

const struct hwpmc_log_header *log_merge_next(struct log_merge *merge)
{
	free(merge->given);
	merge->given = NULL;
	fill(merge);
	if (!merge->count)
		return NULL;
	merge->given = merge->heap[0].record;
	merge->heap[0] = merge->heap[--merge->count];
	sift_down(merge->heap, merge->count);
	merge->kept -= cost(merge->given);
	/* A kernel symbol is valid since long before the first sample that needs it, behind it. */
	if (merge->given->time < merge->time)
		merge->late += merge->given->type != HWPMC_LOG_KSYM;
	else
		merge->time = merge->given->time;
	find_period(merge, merge->given);
	return merge->given;
}

void log_merge_close(struct log_merge *merge)
{
	free(merge->given);
	for (size_t i = 0; i < merge->count; i++)
		free(merge->heap[i].record);
	free(merge->heap);
	memset(merge, 0, sizeof(*merge));
}
