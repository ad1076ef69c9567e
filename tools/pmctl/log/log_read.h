/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a log, whatever became of it. What log_read_next() and log_merge_next() hand
 * out was checked: its structure is all there, and what its offsets and counts
 * name lies inside the record, with an end to every text. So a caller may cast
 * by type:
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


/* What one COMPRESSED record may become: more is no log of ours. In bytes. */
#define LOG_READ_FRAME_MAX	(16U * 1024 * 1024)

/**
 * struct log_reader - a log that is being read
 * @fd: of it
 * @name: for messages: its path, or "standard input"
 * @window: bytes that were read; @begin up to @end are still to come
 * @begin: a multiple of 8
 * @end: see above
 * @offset: of @window[@begin] in the log, in bytes
 * @ended: there is nothing behind @end
 * @frame: records of a COMPRESSED record; @frame_begin up to @frame_end are to come
 * @frame_begin: a multiple of 8
 * @frame_end: see above
 * @frame_room: of @frame, in bytes
 * @frame_offset: of the COMPRESSED record in the log
 * @zstd: of libzstd, or NULL
 * @start: the log's INITIALIZE
 * @begun: it was handed out
 * @another: another log begins where this one ends
 * @records: that were handed out
 * @unknown: that were passed over, since their types are newer than we are
 * @damaged: that were passed over, since they are not what their types promise
 * @closed: CLOSE was seen: the log is all there
 * @stopped: the rest cannot be read; @why says why
 * @why: of that, or of the first damaged record
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
	struct hwpmc_log_initialize start;
	bool begun;
	bool another;
	uint64_t records;
	uint64_t unknown;
	uint64_t damaged;
	bool closed;
	bool stopped;
	char why[384];
};

/**
 * log_read_open() - open a log and look at its INITIALIZE
 * @reader: is filled in
 * @path: of a file, a pipe, ...; "-": standard input
 * @why: out: a sentence for the user, if it fails
 * @size: room in @why
 *
 * Return: 0; -1 when it cannot be opened, is no log, is of the other byte order
 * or of a newer kind.
 */
int log_read_open(struct log_reader *reader, const char *path, char *why, size_t size);

/**
 * log_read_open_fd() - the same for a descriptor
 * @reader: is filled in
 * @fd: log_read_close() closes it; so does a failure
 * @name: for messages
 * @why: as in log_read_open()
 * @size: likewise
 */
int log_read_open_fd(struct log_reader *reader, int fd, const char *name, char *why, size_t size);

/**
 * log_read_next() - the next record, in the order of the log
 * @reader: an open one
 *
 * INITIALIZE is the first. PAD and COMPRESSED are not handed out, but what is
 * compressed is. Damaged records and records of unknown types are passed over,
 * and counted.
 *
 * Return: the record, valid until the next call; NULL at the end, also of a log that
 * has another one behind it.
 */
const struct hwpmc_log_header *log_read_next(struct log_reader *reader);

/**
 * log_read_another() - go on with the log behind one that was read to its end
 * @reader: log_read_next() has returned NULL
 *
 * Files may be put one behind the other, and a log closed and opened again in the
 * same file. Nothing that one says holds in the next: neither ids, nor processes,
 * nor the clock.
 *
 * Return: whether there is one.
 */
bool log_read_another(struct log_reader *reader);

/**
 * log_read_problem() - what is wrong with a log that was read to its end
 * @reader: log_read_next() has returned NULL
 * @why: out: a sentence for the user, empty if all is well
 * @size: room in @why
 *
 * Return: whether something is wrong: it stops early, records are damaged, or
 * another log comes behind it. A log without CLOSE is not wrong by that alone: see
 * @closed.
 */
bool log_read_problem(const struct log_reader *reader, char *why, size_t size);

void log_read_close(struct log_reader *reader);

/* Whether a file begins as logs of any version and byte order do. */
bool log_read_is_log(const char *path);

#endif
