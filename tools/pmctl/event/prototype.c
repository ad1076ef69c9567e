// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "event/prototype.h"

/* The types of the arguments of system calls. */
static const struct {
	const char *type;
	enum argument_kind kind;
	unsigned int bytes;
} c_types[] = {
	{ "int", ARGUMENT_SIGNED, 4 },		{ "long", ARGUMENT_SIGNED, sizeof(long) },
	{ "pid_t", ARGUMENT_SIGNED, 4 },	{ "clockid_t", ARGUMENT_SIGNED, 4 },
	{ "timer_t", ARGUMENT_SIGNED, 4 },	{ "mqd_t", ARGUMENT_SIGNED, 4 },
	{ "key_t", ARGUMENT_SIGNED, 4 },	{ "key_serial_t", ARGUMENT_SIGNED, 4 },
	{ "s32", ARGUMENT_SIGNED, 4 },		{ "__s32", ARGUMENT_SIGNED, 4 },
	{ "loff_t", ARGUMENT_SIGNED, 8 },	{ "off_t", ARGUMENT_SIGNED, sizeof(long) },
	{ "ssize_t", ARGUMENT_SIGNED, sizeof(long) },
	{ "unsigned", ARGUMENT_UNSIGNED, 4 },	{ "unsigned int", ARGUMENT_UNSIGNED, 4 },
	{ "u32", ARGUMENT_UNSIGNED, 4 },	{ "__u32", ARGUMENT_UNSIGNED, 4 },
	{ "uid_t", ARGUMENT_UNSIGNED, 4 },	{ "gid_t", ARGUMENT_UNSIGNED, 4 },
	{ "qid_t", ARGUMENT_UNSIGNED, 4 },	{ "rwf_t", ARGUMENT_UNSIGNED, 4 },
	{ "umode_t", ARGUMENT_UNSIGNED, 2 },	{ "unsigned short", ARGUMENT_UNSIGNED, 2 },
	{ "unsigned long", ARGUMENT_UNSIGNED, sizeof(long) },
	{ "size_t", ARGUMENT_UNSIGNED, sizeof(long) },
	{ "aio_context_t", ARGUMENT_UNSIGNED, sizeof(long) },
	{ "u64", ARGUMENT_UNSIGNED, 8 },	{ "__u64", ARGUMENT_UNSIGNED, 8 },
};

/* "flags", "open_flags": shown in hexadecimal. */
static bool is_flags(const char *name)
{
	size_t length = strlen(name);

	return length >= 5 && !strcmp(name + length - 5, "flags");
}

void prototype_type(struct argument *argument, const char *type)
{
	const char *plain = strncmp(type, "const ", 6) ? type : type + 6;

	argument->kind = ARGUMENT_RAW;
	argument->bytes = 8;
	if (strchr(plain, '*')) {
		argument->kind = ARGUMENT_POINTER;
		argument->bytes = sizeof(void *);
	} else if (!strncmp(plain, "enum ", 5)) {
		argument->kind = ARGUMENT_UNSIGNED;
		argument->bytes = 4;
	}
	for (size_t i = 0; i < sizeof(c_types) / sizeof(c_types[0]); i++)
		if (!strcmp(plain, c_types[i].type)) {
			argument->kind = c_types[i].kind;
			argument->bytes = c_types[i].bytes;
		}
}

struct argument *prototype_add(struct prototype *prototype, const char *name, const char *type)
{
	struct argument *argument;

	if (prototype->count == PROTOTYPE_ARGS_MAX)
		return NULL;
	argument = &prototype->arguments[prototype->count++];
	argument->name = name && *name ? xstrdup(name) : xasprintf("arg%u", prototype->count);
	argument->type = type ? xstrdup(type) : NULL;
	prototype_type(argument, type ? type : "");
	return argument;
}

void prototype_free(struct prototype *prototype)
{
	for (unsigned int i = 0; i < prototype->count; i++) {
		free(prototype->arguments[i].name);
		free(prototype->arguments[i].type);
	}
	free(prototype->result.name);
	free(prototype->result.type);
	memset(prototype, 0, sizeof(*prototype));
}

int64_t prototype_value(const struct argument *argument, uint64_t raw)
{
	unsigned int unused = 64 - 8 * argument->bytes;
	uint64_t value;

	/* Shift to the left end, and back with or without the sign. */
	if (argument->kind == ARGUMENT_SIGNED)
		return (int64_t)(raw << unused) >> unused;
	value = raw << unused >> unused;
	/* A number beyond the signed range is limited, so that sums have a sign. */
	if (argument->kind == ARGUMENT_UNSIGNED && value > INT64_MAX)
		return INT64_MAX;
	return (int64_t)value;
}

const char *prototype_text(const struct argument *argument, uint64_t raw, char *buf)
{
	unsigned int unused = 64 - 8 * argument->bytes;
	uint64_t value = raw << unused >> unused;
	bool hex = argument->kind == ARGUMENT_POINTER ||
		   (argument->kind == ARGUMENT_RAW && value > UINT32_MAX) ||
		   (argument->name && is_flags(argument->name));

	if (hex)
		snprintf(buf, PROTOTYPE_TEXT_MAX, "0x%" PRIx64, value);
	else if (argument->kind == ARGUMENT_SIGNED)
		snprintf(buf, PROTOTYPE_TEXT_MAX, "%" PRId64, prototype_value(argument, raw));
	else
		snprintf(buf, PROTOTYPE_TEXT_MAX, "%" PRIu64, value);
	return buf;
}
