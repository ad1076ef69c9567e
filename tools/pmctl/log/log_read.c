// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <hwpmc_ring.h>

#include "base/memory.h"
#include "log/log_read.h"
#include "log/log_record.h"

/*
 * The window holds at least one record. The fuzzer is built with the smallest window, whose
 * contents move most often.
 */
#ifndef WINDOW
#define WINDOW	(8UL * HWPMC_LOG_RECORD_MAX)
#endif

static void stop(struct log_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Ends reading at an error. The first error is the one that is reported. */
static void stop(struct log_reader *reader, const char *format, ...)
{
	va_list args;

	reader->stopped = true;
	reader->begin = reader->end;
	reader->frame_begin = reader->frame_end;
	va_start(args, format);
	vsnprintf(reader->why, sizeof(reader->why), format, args);
	va_end(args);
}

static ssize_t read_some(struct log_reader *reader)
{
	ssize_t got;

	do {
		got = read(reader->fd, reader->window + reader->end, WINDOW - reader->end);
	} while (got < 0 && errno == EINTR);
	return got;
}

/*
 * Reads until @wanted bytes are in the window; false if the log ends before. Moves the
 * contents by multiples of 8 only, so that records stay aligned.
 */
static bool fill_window(struct log_reader *reader, size_t wanted)
{
	ssize_t got;

	if (reader->end - reader->begin >= wanted)
		return true;
	memmove(reader->window, reader->window + reader->begin, reader->end - reader->begin);
	reader->end -= reader->begin;
	reader->begin = 0;
	while (reader->end < wanted && !reader->ended) {
		got = read_some(reader);
		if (got < 0)
			stop(reader, "'%s' cannot be read at byte %" PRIu64 ": %s", reader->name,
			     reader->offset + reader->end, strerror(errno));
		if (got <= 0)
			reader->ended = true;
		else
			reader->end += (size_t)got;
	}
	return reader->end - reader->begin >= wanted;
}

static const char *name_of(const struct hwpmc_log_header *record, char *buf, size_t size)
{
	const char *name = log_record_type_name(record->type);

	if (name)
		snprintf(buf, size, "%s record", name);
	else
		snprintf(buf, size, "record of type %u", record->type);
	return buf;
}

static void stop_at(struct log_reader *reader, const struct hwpmc_log_header *record,
		    uint64_t offset, const char *problem)
{
	char name[48];

	stop(reader, "'%s' is damaged: the %s at byte %" PRIu64 " is wrong: %s; the rest was not read",
	     reader->name, name_of(record, name, sizeof(name)), offset, problem);
}

static void stop_cut(struct log_reader *reader, uint64_t offset)
{
	stop(reader, "'%s' was cut off: it ends in the record that begins at byte %" PRIu64,
	     reader->name, offset);
}

/* A record is damaged, but its length is valid: the next one can be read. */
static void skip_record(struct log_reader *reader, const struct hwpmc_log_header *record,
			uint64_t offset, const char *problem)
{
	char name[48];

	if (!reader->damaged++)
		snprintf(reader->why, sizeof(reader->why), "the %s at byte %" PRIu64 ": %s",
			 name_of(record, name, sizeof(name)), offset, problem);
}

/* The next record of the log itself; NULL at its end. The caller advances. */
static const struct hwpmc_log_header *plain_record(struct log_reader *reader)
{
	const struct hwpmc_log_header *record;
	const char *problem;

	if (!fill_window(reader, LOG_RECORD_LEAST)) {
		if (reader->end != reader->begin)
			stop_cut(reader, reader->offset);
		return NULL;
	}
	record = (const void *)(reader->window + reader->begin);
	problem = log_record_length_problem(record);
	if (problem) {
		stop_at(reader, record, reader->offset, problem);
		return NULL;
	}
	/* This may move the window: @record is invalid from here on. */
	if (!fill_window(reader, record->length)) {
		if (!reader->stopped)
			stop_cut(reader, reader->offset);
		return NULL;
	}
	return (const void *)(reader->window + reader->begin);
}

/* The next record of a decompressed frame; NULL at its end. */
static const struct hwpmc_log_header *frame_record(struct log_reader *reader)
{
	size_t left = reader->frame_end - reader->frame_begin;
	const struct hwpmc_log_header *record;
	const char *problem;

	if (!left)
		return NULL;
	record = (const void *)(reader->frame + reader->frame_begin);
	problem = log_record_length_problem(record);
	if (!problem && record->length > left)
		problem = "it extends beyond the end of the frame";
	if (!problem) {
		reader->frame_begin += record->length;
		return record;
	}
	skip_record(reader, record, reader->frame_offset, problem);
	reader->frame_begin = reader->frame_end;
	return NULL;
}

static const char *inflate(struct log_reader *reader, const struct hwpmc_log_compressed *record)
{
	size_t got;

	if (record->size > LOG_READ_FRAME_MAX || record->size % 8)
		return "its decompressed size is larger than the largest frame";
	if (!reader->zstd)
		reader->zstd = ZSTD_createDCtx();
	if (record->size > reader->frame_room) {
		reader->frame_room = record->size;
		reader->frame = xrealloc(reader->frame, reader->frame_room, 1);
	}
	got = ZSTD_decompressDCtx(reader->zstd, reader->frame, reader->frame_room,
				  log_record_text(record, record->frame_offset),
				  record->frame_size);
	if (ZSTD_isError(got))
		return ZSTD_getErrorName(got);
	if (got != record->size)
		return "its decompressed size is wrong";
	reader->frame_begin = 0;
	reader->frame_end = got;
	return NULL;
}

static const char *start_problem(const struct hwpmc_log_initialize *start)
{
	if (start->magic == __builtin_bswap64(HWPMC_LOG_MAGIC))
		return "was written on a machine of the other byte order; read it on such a machine";
	if (start->h.type != HWPMC_LOG_INITIALIZE || start->magic != HWPMC_LOG_MAGIC)
		return "is not a log of hwpmc, or its beginning is missing";
	if (start->version >> 16 != HWPMC_LOG_MAJOR)
		return "is a log of another version; read it with the pmctl that wrote it";
	return NULL;
}

/* Another log begins: log_read_another() will read its first record again. */
static void put_back(struct log_reader *reader, const struct hwpmc_log_header *record)
{
	reader->another = true;
	reader->begin -= record->length;
	reader->offset -= record->length;
}

/* Whether an INITIALIZE is the one of this log. */
static bool accept_initialize(struct log_reader *reader, const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_initialize *start = (const void *)record;
	const char *problem = start_problem(start);

	if (problem) {
		stop(reader, "'%s' %s", reader->name, problem);
		return false;
	}
	if (reader->begun) {
		put_back(reader, record);
		return false;
	}
	reader->start = *start;
	reader->begun = true;
	reader->closed = false;
	reader->unwritten = 0;
	return true;
}

/* The next record with a valid length, compressed or not; @offset: its position in the log. */
static const struct hwpmc_log_header *any_record(struct log_reader *reader, uint64_t *offset,
						 bool *framed)
{
	const struct hwpmc_log_header *record = frame_record(reader);

	*framed = record;
	*offset = reader->frame_offset;
	if (record || reader->stopped)
		return record;
	record = plain_record(reader);
	if (!record)
		return NULL;
	*offset = reader->offset;
	reader->begin += record->length;
	reader->offset += record->length;
	return record;
}

/* Whether a record is returned to the caller. */
static bool accept_record(struct log_reader *reader, const struct hwpmc_log_header *record,
			  uint64_t offset,
			  bool framed)
{
	const char *problem = log_record_body_problem(record);

	if (!problem && record->type == HWPMC_LOG_COMPRESSED) {
		problem = framed ? "it is compressed twice" : inflate(reader, (const void *)record);
		if (!problem)
			reader->frame_offset = offset;
	}
	if (!problem && framed && record->type == HWPMC_LOG_INITIALIZE)
		problem = "it is compressed";
	if (problem) {
		skip_record(reader, record, offset, problem);
		return false;
	}
	if (record->type == HWPMC_LOG_PAD || record->type == HWPMC_LOG_COMPRESSED)
		return false;
	if (!log_record_type_known(record->type)) {
		reader->unknown++;
		return false;
	}
	if (record->type == HWPMC_LOG_CLOSE) {
		reader->closed = true;
		reader->unwritten = log_record_unwritten(record);
	}
	return record->type != HWPMC_LOG_INITIALIZE || accept_initialize(reader, record);
}

/* Returns the record; if it is a SAMPLE that omits fields, a copy with all fields. */
static const struct hwpmc_log_header *whole(struct log_reader *reader,
					    const struct hwpmc_log_header *record)
{
	uint64_t period = 0;

	if (record->type == HWPMC_LOG_ALLOCATE)
		log_periods_take(&reader->periods, (const void *)record);
	if (record->type != HWPMC_LOG_SAMPLE || record->length >= sizeof(reader->sample))
		return record;
	if (record->length <= offsetof(struct hwpmc_log_sample, period))
		period = log_periods_of(&reader->periods, record->id);
	return &hwpmc_sample_whole(record, period, &reader->sample)->h;
}

const struct hwpmc_log_header *log_read_next(struct log_reader *reader)
{
	const struct hwpmc_log_header *record;
	uint64_t offset;
	bool framed;

	while (!reader->stopped && !reader->another &&
	       (record = any_record(reader, &offset, &framed))) {
		if (!accept_record(reader, record, offset, framed))
			continue;
		reader->records++;
		return whole(reader, record);
	}
	return NULL;
}

bool log_read_another(struct log_reader *reader)
{
	bool another = reader->another;

	reader->another = false;
	reader->begun = false;
	log_periods_free(&reader->periods);
	log_periods_init(&reader->periods);
	return another;
}

bool log_read_problem(const struct log_reader *reader, char *why, size_t size)
{
	why[0] = '\0';
	if (reader->stopped)
		snprintf(why, size, "%s", reader->why);
	else if (reader->another)
		snprintf(why, size, "'%s' contains several logs and only the first was read; the next begins at byte %" PRIu64 ": split the file and report each",
			 reader->name, reader->offset);
	else if (reader->damaged)
		snprintf(why, size, "'%s' is damaged: %" PRIu64 " records were skipped; the first is %s",
			 reader->name, reader->damaged, reader->why);
	return reader->stopped || reader->damaged || reader->another;
}

static int check_start(struct log_reader *reader, char *why, size_t size)
{
	const char *problem;

	if (!fill_window(reader, sizeof(reader->start))) {
		if (reader->stopped)
			snprintf(why, size, "%s", reader->why);
		else if (reader->begin == reader->end)
			snprintf(why, size, "'%s' is empty: it contains no log", reader->name);
		else
			snprintf(why, size, "'%s' is not a log of hwpmc: it is too short", reader->name);
		return -1;
	}
	memcpy(&reader->start, reader->window + reader->begin, sizeof(reader->start));
	problem = start_problem(&reader->start);
	if (!problem && reader->start.h.length < sizeof(reader->start))
		problem = "is not a log of hwpmc: its beginning is damaged";
	if (!problem)
		return 0;
	snprintf(why, size, "'%s' %s", reader->name, problem);
	return -1;
}

int log_read_open_fd(struct log_reader *reader, int fd, const char *name, char *why, size_t size)
{
	memset(reader, 0, sizeof(*reader));
	reader->fd = fd;
	reader->name = xstrdup(name);
	reader->window = xrealloc(NULL, WINDOW, 1);
	log_periods_init(&reader->periods);
	if (!check_start(reader, why, size))
		return 0;
	log_read_close(reader);
	return -1;
}

int log_read_open(struct log_reader *reader, const char *path, char *why, size_t size)
{
	int fd;

	if (!strcmp(path, "-"))
		return log_read_open_fd(reader, STDIN_FILENO, "standard input", why, size);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return log_read_open_fd(reader, fd, path, why, size);
	if (errno == ENOENT)
		snprintf(why, size, "there is no log '%s': run 'pmctl record' first, or choose a log with -i",
			 path);
	else
		snprintf(why, size, "cannot open '%s': %s", path, strerror(errno));
	return -1;
}

bool log_read_is_log(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct hwpmc_log_initialize start = { 0 };
	ssize_t got;

	if (fd < 0)
		return false;
	got = pread(fd, &start, sizeof(start), 0);
	close(fd);
	return got == sizeof(start) && (start.magic == HWPMC_LOG_MAGIC ||
					start.magic == __builtin_bswap64(HWPMC_LOG_MAGIC));
}

void log_read_close(struct log_reader *reader)
{
	if (reader->fd > STDIN_FILENO)
		close(reader->fd);
	ZSTD_freeDCtx(reader->zstd);
	log_periods_free(&reader->periods);
	free(reader->name);
	free(reader->window);
	free(reader->frame);
	memset(reader, 0, sizeof(*reader));
	reader->fd = -1;
}
