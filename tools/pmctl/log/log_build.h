/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_LOG_BUILD_H
#define PMCTL_LOG_BUILD_H

#include <stddef.h>
#include <stdint.h>
#include <linux/hwpmc_log.h>

/**
 * struct log_build - a record that is being built
 * @length: its length so far, in bytes
 * @h: its header
 * @words: the whole record
 */
struct log_build {
	size_t length;
	union {
		struct hwpmc_log_header h;
		uint64_t words[HWPMC_LOG_RECORD_MAX / sizeof(uint64_t)];
	};
};

/**
 * log_build() - begin a record
 * @build: the buffer
 * @type: HWPMC_LOG_*
 * @size: size of its structure, in bytes
 * @time: CLOCK_MONOTONIC, in ns
 *
 * Return: the structure, zeroed except for type, length and time.
 */
void *log_build(struct log_build *build, unsigned int type, size_t size, uint64_t time);

/**
 * log_build_bytes() - add a variable part
 * @build: a record that was begun
 * @bytes: its contents
 * @size: its size, in bytes
 *
 * Return: its offset, for a field of the structure; 0 if it does not fit.
 */
uint32_t log_build_bytes(struct log_build *build, const void *bytes, size_t size);

/* The same for a text; a very long one is truncated. */
uint32_t log_build_text(struct log_build *build, const char *text);

#endif
