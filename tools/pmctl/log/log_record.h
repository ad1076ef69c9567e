/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_LOG_RECORD_H
#define PMCTL_LOG_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/hwpmc_log.h>

/* The part of a header that every record has, PAD too. */
#define LOG_HEADER_LEAST	8

/**
 * log_length_problem() - whether a record's length can be
 * @record: its first LOG_HEADER_LEAST bytes are there
 *
 * Return: NULL, or what is wrong, to stand behind "record of type N at M: ". Then
 * there is no way to find the next record.
 */
const char *log_length_problem(const struct hwpmc_log_header *record);

/**
 * log_body_problem() - whether a record of good length holds what its type promises
 * @record: all of it is there, on a boundary of 8 bytes
 *
 * Lengths, offsets, counts and texts are inside the record. Says nothing of
 * types that it does not know.
 *
 * Return: NULL, or what is wrong.
 */
const char *log_body_problem(const struct hwpmc_log_header *record);

/* Whether @type is one of ours; a reader passes over the others. */
bool log_type_known(unsigned int type);

/* "SAMPLE", "MAP_IN", ...; NULL for a type that is not known. */
const char *log_type_name(unsigned int type);

#endif
