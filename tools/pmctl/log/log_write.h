/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a log. What cannot be written is remembered, not told at once: the
 * calls that put something return nothing, log_write_flush() and log_write_close() say it.
 */
#ifndef PMCTL_LOG_WRITE_H
#define PMCTL_LOG_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/hwpmc_log.h>

#include "log/log_build.h"

/**
 * struct log_writer - a log that is being written
 * @fd: of it
 * @name: for messages: its path, or "standard output"
 * @buffer: records that were put and not written yet
 * @used: bytes of them
 * @frame: the COMPRESSED record that they become, or NULL
 * @zstd: of libzstd, or NULL: nothing is compressed
 * @build: the record that is being put together
 * @holds: what is written is kept in @held, until log_write_release() writes it
 * @held: @held_size bytes, with room for @held_room
 * @held_size: see above
 * @held_room: see above
 * @created: there was no such file before
 * @old: the file still has what was in it before
 * @start: the time that INITIALIZE shall have, CLOCK_MONOTONIC in ns, if not now
 * @bytes: that were written
 * @error: errno of the first write that failed, or 0
 */
struct log_writer {
	int fd;
	char *name;
	unsigned char *buffer;
	size_t used;
	struct log_build *frame;
	void *zstd;
	struct log_build *build;
	bool holds;
	unsigned char *held;
	size_t held_size;
	size_t held_room;
	bool created;
	bool old;
	uint64_t start;
	uint64_t bytes;
	int error;
};

/**
 * log_write_open() - make a log
 * @writer: is filled in
 * @path: of the file, which is emptied by the first write if it is there; "-":
 *	standard output
 * @compress: write COMPRESSED records
 *
 * Return: 0, or -1 and errno.
 */
int log_write_open(struct log_writer *writer, const char *path, bool compress);

/* From now on what is written is kept, and the file stays as it is; until log_write_release(). */
void log_write_hold(struct log_writer *writer);
/* Writes what was kept. Without that log_write_close() leaves no trace. */
void log_write_release(struct log_writer *writer);

/**
 * log_write_records() - write records as they are
 * @writer: the log
 * @records: whole ones, one behind the other
 * @size: of all, in bytes
 */
void log_write_records(struct log_writer *writer, const void *records, size_t size);

/* The log's first record. @cpus and @cpuid: as in struct hwpmc_cpu_info. */
void log_write_initialize(struct log_writer *writer, unsigned int cpus, uint64_t cpuid);
/* The machine we are on, and how the log came to be. */
void log_write_system(struct log_writer *writer, const char *command);
void log_write_event(struct log_writer *writer, uint32_t id, const char *name);
/* @time: from when it is there. */
void log_write_ksym(struct log_writer *writer, uint64_t time, uint64_t start, const char *name);
void log_write_build_id(struct log_writer *writer, const char *path, const void *id, size_t size);

/* Writes what was put. 0, or -1 and errno, now and from then on. */
int log_write_flush(struct log_writer *writer);

/* Ends the log with CLOSE and frees what belongs to it. 0, or -1 and errno. */
int log_write_close(struct log_writer *writer);

#endif
