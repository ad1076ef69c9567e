/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a log, also a damaged one. The records that log_read_next() and log_merge_next()
 * return were checked: the structure is complete, its offsets and counts refer to parts
 * inside the record, and texts are terminated. A caller may cast by type:
 *
 *	struct log_reader log;
 *	const struct hwpmc_log_header *record;
 *
 *	if (log_read_open(&log, path, why, sizeof(why)))
 *		...error("%s", why)...
 *	while ((record = log_read_next(&log)))
 *		if (record->type == HWPMC_LOG_SAMPLE)
 *			...(const struct hwpmc_log_sample *)record...
 *	if (log_read_problem(&log, why, sizeof(why)))
 *		...note("%s", why)...
 *	log_read_close(&log);
 */
#ifndef PMCTL_LOG_READ_H
#define PMCTL_LOG_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/hwpmc_log.h>

#include "log/log_period.h"

/* The largest decompressed size of a COMPRESSED record that is accepted, in bytes. */
#define LOG_READ_FRAME_MAX	(16U * 1024 * 1024)

/**
 * struct log_reader - a log that is being read
 * @fd: its descriptor
 * @name: for messages: its path, or "standard input"
 * @window: bytes that were read; those from @begin to @end were not returned yet
 * @begin: a multiple of 8
 * @end: see above
 * @offset: position of @window[@begin] in the log, in bytes
 * @ended: end of file was read
 * @frame: decompressed records; those from @frame_begin to @frame_end were not returned yet
 * @frame_begin: a multiple of 8
 * @frame_end: see above
 * @frame_room: allocated size of @frame, in bytes
 * @frame_offset: position of the COMPRESSED record in the log
 * @zstd: the decompressor of libzstd, or NULL
 * @periods: of the PMCs whose ALLOCATE records were read so far
 * @sample: a copy of the last SAMPLE record with all fields, if the record was shorter
 * @start: the log's INITIALIZE
 * @begun: INITIALIZE was returned
 * @another: another log begins where this one ends
 * @records: number of records that were returned
 * @unknown: number of records that were skipped because their types are unknown
 * @damaged: number of records that were skipped because they are invalid
 * @closed: CLOSE was read: the log is complete
 * @unwritten: number of records that CLOSE counts as missing
 * @stopped: the rest cannot be read because of @why
 * @why: the reason, or what is wrong with the first damaged record
 */
struct log_reader {
	int fd;
	char *name;
	unsigned char *window;
	size_t begin;
	size_t end;
	uint64_t offset;
	bool ended;
	unsigned char *frame;
	size_t frame_begin;
	size_t frame_end;
	size_t frame_room;
	uint64_t frame_offset;
	void *zstd;
	struct log_periods periods;
	struct hwpmc_log_sample sample;
	struct hwpmc_log_initialize start;
	bool begun;
	bool another;
	uint64_t records;
	uint64_t unknown;
	uint64_t damaged;
	bool closed;
	uint64_t unwritten;
	bool stopped;
	char why[384];
};

/**
 * log_read_open() - open a log and check its INITIALIZE
 * @reader: initialized
 * @path: of a file, a pipe, ...; "-": standard input
 * @why: out: a message for the user, if it fails
 * @size: room in @why
 *
 * Return: 0; -1 if it cannot be opened, is not a log, or has another byte order or
 * version.
 */
int log_read_open(struct log_reader *reader, const char *path, char *why, size_t size);

/**
 * log_read_open_fd() - open a log by a descriptor
 * @reader: initialized
 * @fd: its descriptor, which is closed by log_read_close() and on failure
 * @name: for messages
 * @why: as in log_read_open()
 * @size: likewise
 */
int log_read_open_fd(struct log_reader *reader, int fd, const char *name, char *why, size_t size);

/**
 * log_read_next() - the next record, in the order of the log
 * @reader: an open log
 *
 * INITIALIZE is the first. PAD is not returned, COMPRESSED is returned as the records in
 * it, a SAMPLE that is shorter than its structure with all fields. Its period is 0 if the ALLOCATE
 * record of its PMC was not read yet. Damaged records and records of unknown types are skipped and
 * counted.
 *
 * Return: the record, valid until the next call; NULL at the end of the log, also if
 * another log follows in the file.
 */
const struct hwpmc_log_header *log_read_next(struct log_reader *reader);

/**
 * log_read_another() - continue with the next log of the same file
 * @reader: log_read_next() has returned NULL
 *
 * A file may contain several logs, from cat(1) or a log that was closed and reopened. Ids,
 * processes and the clock of one log mean nothing in the next.
 *
 * Return: whether there is another log.
 */
bool log_read_another(struct log_reader *reader);

/**
 * log_read_problem() - what is wrong with a log that was read to its end
 * @reader: log_read_next() has returned NULL
 * @why: out: a message for the user, empty without a problem
 * @size: room in @why
 *
 * Return: whether there is a problem: the log could not be read to its end, records are
 * damaged, or another log follows. A log without CLOSE is no problem: see @closed.
 */
bool log_read_problem(const struct log_reader *reader, char *why, size_t size);

void log_read_close(struct log_reader *reader);

/* Whether a file begins like a log, of any version and byte order. */
bool log_read_is_log(const char *path);

#endif
