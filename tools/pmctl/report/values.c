// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "base/escape.h"
#include "report/values.h"

void values_add(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

json_t *values_whole(uint64_t number)
{
	return number >> 53 ? json_sprintf("%" PRIu64, number) : json_integer((json_int_t)number);
}

json_t *values_name(const struct profile *profile, uint32_t id)
{
	return escape_json(intern_text(&profile->names, id));
}

void values_add_machine(json_t *object, const struct profile *profile)
{
	values_add(object, "host", values_name(profile, profile->host));
	values_add(object, "release", values_name(profile, profile->release));
	values_add(object, "machine", values_name(profile, profile->machine));
	values_add(object, "command", values_name(profile, profile->command));
}

void values_print(FILE *out, json_t *value)
{
	json_dumpf(value, out, JSON_REAL_PRECISION(8));
	fputc('\n', out);
	json_decref(value);
}
