// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of functions of programs. The module takes an open file and an offset, because the file of
 * a path depends on the mount namespace and the rights of the user.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "run/uprobe.h"
#include "symbol/entry.h"

#define UPROBE	"uprobe:"

#define refuse(...) (snprintf(why, size, __VA_ARGS__), -1)

/**
 * struct parts - the parts of an event's name
 * @path: of the file
 * @function: its name, or an offset in the file
 * @into: offset in the function, or NULL
 * @end: "entry", "return" or NULL
 */
struct parts {
	char *path;
	char *function;
	char *into;
	char *end;
};

/* "FILE:FUNCTION[+OFFSET][:entry|:return]"; C++ has colons in names, and files have none after "/". */
static int split(char *text, struct parts *parts)
{
	char *slash = strrchr(text, '/'), *colon = strchr(slash ? slash : text, ':'), *last;

	if (!colon || colon == text || !colon[1])
		return -1;
	*colon++ = '\0';
	*parts = (struct parts){ .path = text, .function = colon };
	last = strrchr(colon, ':');
	if (last && (!strcmp(last, ":entry") || !strcmp(last, ":return"))) {
		*last++ = '\0';
		parts->end = last;
	}
	last = strrchr(colon, '+');
	if (last && last != colon && last[-1] != 'r') {	/* not of operator+ */
		*last++ = '\0';
		parts->into = last;
	}
	return *colon ? 0 : -1;
}

/* ":entry" asserts to the module that a function begins there: then stacks include its caller. */
static const char *end_of(const struct parts *parts)
{
	if (parts->into)
		return NULL;
	if (parts->end)
		return parts->end;
	return isdigit((unsigned char)parts->function[0]) ? NULL : "entry";
}

static int find(const struct parts *parts, int fd, uint64_t *offset, char *why, size_t size)
{
	uint64_t into = 0;

	if (parts->into && number_parse_u64(parts->into, 0, &into))
		return refuse("'%s' is not an offset in bytes", parts->into);
	if (into && parts->end && !strcmp(parts->end, "return"))
		return refuse("a probe of a return takes no offset: remove +%s", parts->into);
	if (number_parse_u64(parts->function, 0, offset) &&
	    entry_find(fd, parts->path, parts->function, offset, why, size))
		return -1;
	*offset += into;
	return 0;
}

static int resolve(struct event *event, char *text, char *why, size_t size)
{
	struct parts parts;
	const char *end;
	uint64_t offset;

	if (split(text, &parts))
		return refuse("'%s': write a function of a file as in uprobe:/bin/bash:readline or uprobe:/bin/bash:readline:return",
			      event->name);
	event->file = open(parts.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (event->file < 0)
		return refuse("event '%s': cannot open %s: %s", event->name, parts.path,
			      strerror(errno));
	if (find(&parts, event->file, &offset, why, size))
		return -1;
	end = end_of(&parts);
	event->probe = xasprintf(UPROBE "%#" PRIx64 "%s%s", offset, end ? ":" : "", end ? end : "");
	event->codes[0].name = event->probe;
	return 0;
}

int uprobe_resolve(struct event *event, char *why, size_t size)
{
	char *text;
	int result;

	if (!event->code_count || event->codes[0].class_id != HWPMC_CLASS_PROBE ||
	    strncmp(event->name, UPROBE, strlen(UPROBE)))
		return 0;
	text = xstrdup(event->name + strlen(UPROBE));
	result = resolve(event, text, why, size);
	free(text);
	return result;
}
