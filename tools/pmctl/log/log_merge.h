/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_LOG_MERGE_H
#define PMCTL_LOG_MERGE_H

#include "log/log_read.h"

/* The default limit of the buffered records, in bytes. The fuzzer sets a smaller one. */
#ifndef LOG_MERGE_MAX
#define LOG_MERGE_MAX	(256UL * 1024 * 1024)
#endif

/**
 * struct log_merge - reads a log's records sorted by time
 * @reader: the log
 * @limit: bytes of records to buffer at most
 * @ended: all records were read
 * @kept: bytes of records that are buffered
 * @held: total size of the blocks, in bytes
 * @block: the block to which records are added
 * @heap: the buffered runs, a heap: the run with the earliest record is first
 * @count: number of runs in @heap
 * @room: allocated length of @heap
 * @runs: number of the next run
 * @last: the record that was read last, if it is buffered
 * @given: the record that was returned last
 * @time: its time
 * @late: number of records that were too far out of order for @limit: they are returned
 *	after younger ones
 * @without_period: number of samples whose period is 0, since the log has no ALLOCATE record of
 *	their PMC
 */
struct log_merge {
	struct log_reader *reader;
	size_t limit;
	bool ended;
	size_t kept;
	size_t held;
	struct log_merge_block *block;
	struct log_merge_run *heap;
	size_t count;
	size_t room;
	uint64_t runs;
	struct log_merge_item *last;
	struct log_merge_item *given;
	uint64_t time;
	uint64_t late;
	uint64_t without_period;
};

/**
 * log_merge_open() - read a log sorted by time
 * @merge: initialized
 * @reader: an open log from which nothing was read; the caller closes it
 * @limit: bytes of records to buffer at most; 0: LOG_MERGE_MAX
 *
 * A log is written ring after ring: two records that are out of order are no further apart
 * than the size of all rings.
 */
void log_merge_open(struct log_merge *merge, struct log_reader *reader, size_t limit);

/**
 * log_merge_next() - the next record by time
 * @merge: an open merge
 *
 * Records of the same time are returned in the order of the log.
 *
 * Return: the record, valid until the next call; NULL at the end; then
 * log_read_problem() returns whether the log is complete.
 */
const struct hwpmc_log_header *log_merge_next(struct log_merge *merge);

void log_merge_close(struct log_merge *merge);

#endif
