// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sorts a log by time. A log consists of runs, long parts that are sorted already, because the
 * rings are written one after the other. The heap is short, since its elements are runs and not
 * records.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/log_merge.h"
#include "log/log_read.h"

/* The usual size of a block, in bytes. The fuzzer has a block for each record. */
#ifndef BLOCK
#define BLOCK	(64UL * 1024)
#endif

/**
 * struct log_merge_block - memory for records, in the order of the log
 * @size: of the whole block, in bytes
 * @end: bytes that are in use
 * @live: number of its records that were not returned yet, or that the caller still uses
 */
struct log_merge_block {
	size_t size;
	size_t end;
	uint32_t live;
};

/**
 * struct log_merge_item - a buffered record
 * @next: the next one of its run, or NULL
 * @block: the block that contains it
 * @record: the record
 */
struct log_merge_item {
	struct log_merge_item *next;
	struct log_merge_block *block;
	struct hwpmc_log_header record;
};

/**
 * struct log_merge_run - successive records of the log whose times do not decrease
 * @time: of @first
 * @number: position in the log: all records of a run precede those of the next run
 * @first: the first record that was not returned yet
 */
struct log_merge_run {
	uint64_t time;
	uint64_t number;
	struct log_merge_item *first;
};

void log_merge_open(struct log_merge *merge, struct log_reader *reader, size_t limit)
{
	memset(merge, 0, sizeof(*merge));
	merge->reader = reader;
	merge->limit = limit ? limit : LOG_MERGE_MAX;
}

static bool before(const struct log_merge_run *a, const struct log_merge_run *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

/* Moves the last run of the heap up to its place. */
static void sift_up(struct log_merge_run *heap, size_t at)
{
	const struct log_merge_run run = heap[at];

	for (; at && before(&run, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = run;
}

/* Moves the first run of the heap down to its place. */
static void sift_down(struct log_merge_run *heap, size_t count)
{
	const struct log_merge_run run = heap[0];
	size_t at = 0;

	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &run))
			break;
		heap[at] = heap[child];
	}
	heap[at] = run;
}

/* Returns the memory that a buffered record uses. */
static size_t cost(const struct hwpmc_log_header *record)
{
	return offsetof(struct log_merge_item, record) + record->length;
}

/* Returns a block with room for @size bytes: the last block, or a new one. */
static struct log_merge_block *block_for(struct log_merge *merge, size_t size)
{
	struct log_merge_block *block = merge->block;

	if (block && size <= block->size - block->end)
		return block;
	/* Free an empty block that is too small for this record. */
	if (block && !block->live) {
		merge->held -= block->size;
		free(block);
	}
	size += sizeof(*block);
	size = size < BLOCK ? BLOCK : size;
	block = xrealloc(NULL, size, 1);
	*block = (struct log_merge_block){ .size = size, .end = sizeof(*block) };
	merge->held += size;
	merge->block = block;
	return block;
}

static struct log_merge_item *copy(struct log_merge *merge, const struct hwpmc_log_header *record)
{
	struct log_merge_block *block = block_for(merge, cost(record));
	struct log_merge_item *item = (void *)((unsigned char *)block + block->end);

	item->next = NULL;
	item->block = block;
	memcpy(&item->record, record, record->length);
	block->end += cost(record);
	block->live++;
	merge->kept += cost(record);
	return item;
}

static void release(struct log_merge *merge, struct log_merge_item *item)
{
	struct log_merge_block *block = item->block;

	if (--block->live)
		return;
	if (block == merge->block) {
		block->end = sizeof(*block);
		return;
	}
	merge->held -= block->size;
	free(block);
}

static void begin_run(struct log_merge *merge, struct log_merge_item *item)
{
	if (merge->count == merge->room) {
		merge->room = merge->room ? 2 * merge->room : 64;
		merge->heap = xrealloc(merge->heap, merge->room, sizeof(*merge->heap));
	}
	merge->heap[merge->count] = (struct log_merge_run){
		.time = item->record.time,
		.number = merge->runs++,
		.first = item,
	};
	sift_up(merge->heap, merge->count++);
}

static void push(struct log_merge *merge, const struct hwpmc_log_header *record)
{
	struct log_merge_item *item = copy(merge, record);

	if (merge->last && record->time >= merge->last->record.time)
		merge->last->next = item;
	else
		begin_run(merge, item);
	merge->last = item;
}

/* Removes the earliest record from its run, and returns it. */
static struct log_merge_item *pop(struct log_merge *merge)
{
	struct log_merge_item *item = merge->heap[0].first;

	if (item == merge->last)
		merge->last = NULL;
	if (item->next) {
		merge->heap[0].first = item->next;
		merge->heap[0].time = item->next->record.time;
	} else {
		merge->heap[0] = merge->heap[--merge->count];
	}
	sift_down(merge->heap, merge->count);
	merge->kept -= cost(&item->record);
	return item;
}

/*
 * A block is freed when its last record was returned, and that record may be much later than the
 * others. So the memory of blocks is limited, too.
 */
static void fill(struct log_merge *merge)
{
	const size_t most = 2 * (merge->limit + BLOCK);
	const struct hwpmc_log_header *record;

	while (!merge->ended &&
	       (!merge->count || (merge->kept < merge->limit && merge->held <= most))) {
		record = log_read_next(merge->reader);
		if (record)
			push(merge, record);
		else
			merge->ended = true;
	}
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
	struct hwpmc_log_header *record;

	if (merge->given)
		release(merge, merge->given);
	merge->given = NULL;
	fill(merge);
	if (!merge->count)
		return NULL;
	merge->given = pop(merge);
	record = &merge->given->record;
	/*
	 * A kernel symbol is valid since long before the first sample that needs it, although its
	 * record follows that sample.
	 */
	if (record->time < merge->time)
		merge->late += record->type != HWPMC_LOG_KSYM;
	else
		merge->time = record->time;
	find_period(merge, record);
	return record;
}

void log_merge_close(struct log_merge *merge)
{
	if (merge->given)
		release(merge, merge->given);
	while (merge->count)
		release(merge, pop(merge));
	free(merge->block);
	free(merge->heap);
	memset(merge, 0, sizeof(*merge));
}
