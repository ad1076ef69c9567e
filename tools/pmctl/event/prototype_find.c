// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "event/prototype_find.h"

/* --- From tracefs, which has the system calls */

/* "	field:unsigned int fd;	offset:16;	size:8;	signed:0;" */
static void take_field(char *line, struct prototype *prototype)
{
	char *field = strstr(line, "field:"), *end, *name;

	if (!field)
		return;
	field += strlen("field:");
	end = strchr(field, ';');
	if (!end)
		return;
	*end = '\0';
	name = strrchr(field, ' ');
	if (!name || !strncmp(name + 1, "common_", 7) || !strcmp(name + 1, "__syscall_nr"))
		return;
	*name++ = '\0';
	while (*field && isspace((unsigned char)field[strlen(field) - 1]))
		field[strlen(field) - 1] = '\0';
	prototype_add(prototype, name, field);
}

static int read_format(const char *call, struct prototype *prototype)
{
	static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	FILE *file = NULL;
	char *line = NULL;
	size_t room = 0;

	for (size_t i = 0; !file && i < sizeof(roots) / sizeof(roots[0]); i++) {
		char *path = xasprintf("%s/events/syscalls/sys_enter_%s/format", roots[i], call);

		file = fopen(path, "re");
		free(path);
	}
	if (!file)
		return -1;
	while (getline(&line, &room, file) > 0)
		take_field(line, prototype);
	prototype->known = true;
	free(line);
	fclose(file);
	return 0;
}

/* --- By name */

static void add_nameless(struct prototype *prototype, unsigned int count)
{
	while (prototype->count < count && prototype_add(prototype, NULL, NULL))
		;
}

/* The names of these calls in tracefs and in the kernel differ from those in programs. */
static const char *const renamed[][2] = {
	{ "stat", "newstat" }, { "lstat", "newlstat" }, { "fstat", "newfstat" },
	{ "uname", "newuname" }, { "sendfile", "sendfile64" }, { "umount2", "umount" },
};

static void find_syscall(struct btf *btf, const char *call, struct prototype *prototype)
{
	static const char *const heads[] = { "__do_sys_", "__se_sys_" };

	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (!strcmp(call, renamed[i][0]))
			call = renamed[i][1];
	if (!strcmp(call, "*") || !read_format(call, prototype))
		return;
	for (size_t i = 0; btf && i < sizeof(heads) / sizeof(heads[0]); i++) {
		char *name = xasprintf("%s%s", heads[i], call);
		int result = btf_function(btf, name, prototype);

		free(name);
		if (!result)
			return;
	}
}

/* Removes "entry" or "return" from the name. Returns whether it is "return". */
static bool take_end(char *name)
{
	char *colon = strrchr(name, ':');
	bool is_return = colon && !strcmp(colon + 1, "return");

	if (is_return || (colon && !strcmp(colon + 1, "entry")))
		*colon = '\0';
	return is_return;
}

static void find_function(struct btf *btf, const char *function, struct prototype *prototype)
{
	/* The arguments are not available in the middle of a function. */
	if (btf && !strchr(function, '+'))
		btf_function(btf, function, prototype);
}

static void set_result(struct prototype *prototype, const char *type)
{
	free(prototype->result.type);
	prototype->result.type = xstrdup(type);
	prototype_type(&prototype->result, type);
}

static void drop_arguments(struct prototype *prototype)
{
	struct argument result = prototype->result;

	memset(&prototype->result, 0, sizeof(prototype->result));
	prototype_free(prototype);
	prototype->result = result;
	prototype->known = true;
}

void prototype_find(struct btf *btf, const char *name, struct prototype *prototype)
{
	char *copy = xstrdup(name), *rest = strchr(copy, ':');
	bool returns = take_end(copy), is_call = !strncmp(copy, "syscall:", 8);

	memset(prototype, 0, sizeof(*prototype));
	prototype_type(&prototype->result, "");
	rest = rest ? rest + 1 : copy;
	if (is_call) {
		find_syscall(btf, rest, prototype);
		set_result(prototype, "long");
	} else if (!strncmp(copy, "tracepoint:", 11)) {
		const char *last = strrchr(rest, ':');

		if (btf)
			btf_tracepoint(btf, last ? last + 1 : rest, prototype);
	} else if (!strncmp(copy, "kprobe:", 7)) {
		find_function(btf, rest, prototype);
	}
	/* A function's arguments are not available when it returns. */
	if (returns && !is_call)
		drop_arguments(prototype);
	else if (!prototype->known)
		add_nameless(prototype, is_call ? 6 : PROTOTYPE_ARGS_MAX);
	prototype->returns = returns && prototype->result.kind != ARGUMENT_NONE;
	free(copy);
}
