/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_LOG_MERGE_H
#define PMCTL_LOG_MERGE_H

#include "log/log_read.h"

/* The default limit of what a merge buffers, in bytes. */
#define LOG_MERGE_MAX	(256UL * 1024 * 1024)

/**
 * struct log_merge - reads a log's records sorted by time
 * @reader: the log
 * @limit: bytes of records to buffer at most
 * @kept: bytes of records that are buffered
 * @heap: the buffered records, a heap with the earliest first
 * @count: number of records in @heap
 * @room: allocated length of @heap
 * @sequence: number of the next record that is read
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
	size_t kept;
	struct log_merge_entry *heap;
	size_t count;
	size_t room;
	uint64_t sequence;
	struct hwpmc_log_header *given;
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
