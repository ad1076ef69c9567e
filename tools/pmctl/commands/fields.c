// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "commands/fields.h"

void fields_begin(struct fields *fields, FILE *out, bool json)
{
	fields->out = out;
	fields->object = json ? json_object() : NULL;
}

void fields_end(struct fields *fields)
{
	if (fields->object)
		json_dumpf(fields->object, fields->out, JSON_COMPACT);
	fputc('\n', fields->out);
	json_decref(fields->object);
	fields->object = NULL;
}

static void put_key(struct fields *fields, const char *key)
{
	fprintf(fields->out, " %s=", key);
}

void fields_text(struct fields *fields, const char *key, const char *value)
{
	if (fields->object) {
		json_object_set_new(fields->object, key, escape_json(value));
		return;
	}
	put_key(fields, key);
	utf8_put(fields->out, value);
}

void fields_number(struct fields *fields, const char *key, int64_t value)
{
	if (fields->object) {
		json_object_set_new(fields->object, key, json_integer(value));
		return;
	}
	put_key(fields, key);
	fprintf(fields->out, "%" PRId64, value);
}

void fields_u64(struct fields *fields, const char *key, uint64_t value)
{
	if (!fields->object) {
		put_key(fields, key);
		fprintf(fields->out, "%" PRIu64, value);
	} else if (value >> 53) {
		json_object_set_new(fields->object, key, json_sprintf("%" PRIu64, value));
	} else {
		json_object_set_new(fields->object, key, json_integer((json_int_t)value));
	}
}

void fields_hex(struct fields *fields, const char *key, uint64_t value)
{
	char text[20];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	fields_text(fields, key, text);
}

void fields_list(struct fields *fields, const char *key, const char *const *values, size_t count)
{
	json_t *array;

	if (fields->object) {
		array = json_array();
		for (size_t i = 0; i < count; i++)
			json_array_append_new(array, escape_json(values[i]));
		json_object_set_new(fields->object, key, array);
		return;
	}
	put_key(fields, key);
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc(';', fields->out);
		utf8_put(fields->out, values[i]);
	}
}
