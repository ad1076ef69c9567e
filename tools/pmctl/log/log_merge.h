/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_LOG_MERGE_H
#define PMCTL_LOG_MERGE_H

#include "log/log_read.h"

/* What a merge keeps at most, in bytes, unless it is told otherwise. */
#define LOG_MERGE_MAX	(256UL * 1024 * 1024)

/**
 * struct log_merge - a log's records in the order of time
 * @reader: the log
 * @limit: bytes of records that are kept at most
 * @kept: bytes of records that are kept now
 * @heap: records that are kept, the earliest first
 * @count: how many
 * @room: how many may be
 * @sequence: of the next record that is read
 * @given: the record that was handed out last
 * @time: of it
 * @late: records that came later than @limit bytes allow: handed out, but after
 *	younger ones
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
};

/**
 * log_merge_open() - read a log in the order of time
 * @merge: is filled in
 * @reader: an open log, nothing read yet; it stays the caller's to close
 * @limit: bytes of records to keep at most; 0: LOG_MERGE_MAX
 *
 * A log is nearly in order: it was written ring after ring, so that two records
 * that are out of order are no further apart than the rings are large.
 */
void log_merge_open(struct log_merge *merge, struct log_reader *reader, size_t limit);

/**
 * log_merge_next() - the next record in the order of time
 * @merge: an open one
 *
 * Records of the same time come in the order of the log.
 *
 * Return: the record, valid until the next call; NULL at the end, where
 * log_read_problem() tells whether it is a good one.
 */
const struct hwpmc_log_header *log_merge_next(struct log_merge *merge);

void log_merge_close(struct log_merge *merge);

#endif
