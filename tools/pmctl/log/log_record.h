/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_LOG_RECORD_H
#define PMCTL_LOG_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/hwpmc_log.h>

/* The log that is written and read when no other is named. */
#define LOG_RECORD_FILE	"pmctl.log"

/* The part of a header that every record has, PAD too. */
#define LOG_RECORD_LEAST	8

/**
 * log_record_length_problem() - whether a record's length can be
 * @record: its first LOG_RECORD_LEAST bytes are there
 *
 * Return: NULL, or what is wrong, to stand behind "record of type N at M: ". Then
 * there is no way to find the next record.
 */
const char *log_record_length_problem(const struct hwpmc_log_header *record);

/**
 * log_record_body_problem() - whether a record of good length holds what its type promises
 * @record: all of it is there, on a boundary of 8 bytes
 *
 * Lengths, offsets, counts and texts are inside the record. Says nothing of
 * types that it does not know.
 *
 * Return: NULL, or what is wrong.
 */
const char *log_record_body_problem(const struct hwpmc_log_header *record);

/* Whether @type is one of ours; a reader passes over the others. */
bool log_record_type_known(unsigned int type);

/* "SAMPLE", "MAP_IN", ...; NULL for a type that is not known. */
const char *log_record_type_name(unsigned int type);

/**
 * log_record_text() - a text of a record
 * @record: one that was handed out
 * @offset: of the text, as it is in the record
 *
 * Return: the text; "" if @offset is 0.
 */
static inline const char *log_record_text(const void *record, uint32_t offset)
{
	return offset ? (const char *)record + offset : "";
}

/**
 * log_record_words() - an array of a record: a call chain, registers
 * @record: one that was handed out
 * @offset: of the array, as it is in the record
 *
 * Return: the array; NULL if @offset is 0.
 */
static inline const uint64_t *log_record_words(const void *record, uint32_t offset)
{
	return offset ? (const uint64_t *)((const char *)record + offset) : NULL;
}

#endif
