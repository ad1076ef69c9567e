/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a log. The functions that add a record return nothing: a write error is stored, and
 * log_write_flush() and log_write_close() return it.
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
 * @fd: its descriptor
 * @name: for messages: its path, or "standard output"
 * @buffer: records that were added and not written yet
 * @used: bytes used in @buffer
 * @frame: room for the COMPRESSED record of @buffer, or NULL
 * @zstd: the compressor of libzstd, or NULL without compression
 * @build: the record that is being built
 * @holds: writes go to @held, until log_write_release()
 * @held: @held_size bytes that are to be written
 * @held_size: see above
 * @held_room: allocated size of @held
 * @created: the file did not exist before
 * @old: the file still has its previous contents
 * @start: the time of INITIALIZE, CLOCK_MONOTONIC in ns; 0: now
 * @bytes: number of bytes written
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
 * log_write_open() - create a log
 * @writer: initialized
 * @path: of the file, which is truncated by the first write if it exists; "-":
 *	standard output
 * @compress: write COMPRESSED records
 *
 * Return: 0, or -1 with errno.
 */
int log_write_open(struct log_writer *writer, const char *path, bool compress);

/* The same for an open descriptor, which log_write_close() closes. @name: for messages. */
void log_write_begin(struct log_writer *writer, int fd, const char *name, bool compress);

/* Keeps all writes in memory and the file unchanged, until log_write_release(). */
void log_write_hold(struct log_writer *writer);
/* Writes the held records. Without this call log_write_close() discards the log. */
void log_write_release(struct log_writer *writer);

/**
 * log_write_records() - add records unchanged
 * @writer: the log
 * @records: complete records, one after the other
 * @size: of all of them, in bytes
 */
void log_write_records(struct log_writer *writer, const void *records, size_t size);

/* The log's first record. @cpus and @cpuid: as in struct hwpmc_cpu_info. */
void log_write_initialize(struct log_writer *writer, unsigned int cpus, uint64_t cpuid);
/* The kernel, the host, and the command that records. */
void log_write_system(struct log_writer *writer, const char *command);
void log_write_event(struct log_writer *writer, uint32_t id, const char *name);
/* @time: the symbol is valid from then on. */
void log_write_ksym(struct log_writer *writer, uint64_t time, uint64_t start, const char *name);
void log_write_build_id(struct log_writer *writer, const char *path, const void *id, size_t size);

/* Writes all records that were added. 0, or -1 with errno; an error is permanent. */
int log_write_flush(struct log_writer *writer);

/* Ends the log with CLOSE and frees @writer. 0, or -1 with errno. */
int log_write_close(struct log_writer *writer);

#endif
