/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_LOG_RECORD_H
#define PMCTL_LOG_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/hwpmc_log.h>

/* The default name of a log. */
#define LOG_RECORD_FILE	"pmctl.log"

/* The part of the header that every record has, including PAD. */
#define LOG_RECORD_LEAST	8

/**
 * log_record_length_problem() - check a record's length
 * @record: at least its first LOG_RECORD_LEAST bytes are valid
 *
 * Return: NULL, or the problem, as the end of a message. Without a valid length the next
 * record cannot be found.
 */
const char *log_record_length_problem(const struct hwpmc_log_header *record);

/**
 * log_record_body_problem() - check the contents of a record by its type
 * @record: a complete record of valid length, aligned to 8 bytes
 *
 * Checks that all offsets, counts and texts are inside the record. Accepts unknown types.
 *
 * Return: NULL, or the problem.
 */
const char *log_record_body_problem(const struct hwpmc_log_header *record);

/* Returns the number of missing records in a CLOSE record; 0 if it has no such field. */
uint64_t log_record_unwritten(const struct hwpmc_log_header *record);

/*
 * Returns the number of samples in a DROP record that were not taken while their PMC was throttled;
 * 0 if it has no such field.
 */
uint64_t log_record_throttled(const struct hwpmc_log_drop *drop);

/* Whether it is a SAMPLE, or a PROBE, which begins with one. */
static inline bool log_record_is_sample(const struct hwpmc_log_header *record)
{
	return record->type == HWPMC_LOG_SAMPLE || record->type == HWPMC_LOG_PROBE;
}

/* Whether @type is known; a reader skips other types. */
bool log_record_type_known(unsigned int type);

/* "SAMPLE", "MAP_IN", ...; NULL for an unknown type. */
const char *log_record_type_name(unsigned int type);

/**
 * log_record_text() - a text of a record
 * @record: a checked record
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
 * @record: a checked record
 * @offset: of the array, as it is in the record
 *
 * Return: the array; NULL if @offset is 0.
 */
static inline const uint64_t *log_record_words(const void *record, uint32_t offset)
{
	return offset ? (const uint64_t *)((const char *)record + offset) : NULL;
}

#endif
