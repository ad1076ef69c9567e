/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_FIELDS_H
#define PMCTL_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct fields - one line of "key=value" pairs, or one JSON object
 * @out: the output
 * @object: the JSON object; NULL: write text
 */
struct fields {
	FILE *out;
	json_t *object;
};

void fields_begin(struct fields *fields, FILE *out, bool json);
void fields_end(struct fields *fields);

void fields_text(struct fields *fields, const char *key, const char *value);
void fields_number(struct fields *fields, const char *key, int64_t value);
/* In JSON numbers from 2^53 on are strings, since readers may round them. */
void fields_u64(struct fields *fields, const char *key, uint64_t value);
void fields_hex(struct fields *fields, const char *key, uint64_t value);
/* Several values: separated by ';', or a JSON array. */
void fields_list(struct fields *fields, const char *key, const char *const *values, size_t count);

#endif
