// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/kallsyms.h"

/* Functions, including weak ones. */
static bool is_text(char type)
{
	return strchr("tTwW", type);
}

/* "$x", "$d" and ".L" are labels inside of functions. */
static bool is_name(const char *name)
{
	return *name && *name != '$' && strncmp(name, ".L", 2);
}

/*
 * Reads a hexadecimal number and returns what follows it. strtoull() takes four times as long, and
 * a kernel has more than a hundred thousand symbols.
 */
static char *parse_address(char *at, uint64_t *address)
{
	for (*address = 0;; at++) {
		if (*at >= '0' && *at <= '9')
			*address = *address << 4 | (unsigned int)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			*address = *address << 4 | (unsigned int)(*at - 'a' + 10);
		else
			return at;
	}
}

/* One line: "ffff800010000000 T name\t[module]". */
static void visit_line(char *line, void (*visit)(uint64_t, const char *, void *), void *context)
{
	uint64_t start;
	char *rest = parse_address(line, &start), *tab;

	if (!start || rest[0] != ' ' || !rest[1] || rest[2] != ' ' || !is_text(rest[1]))
		return;
	rest += 3;
	rest[strcspn(rest, "\n")] = '\0';
	tab = strchr(rest, '\t');
	if (tab)
		*tab = ' ';
	if (is_name(rest))
		visit(start, rest, context);
}

void kallsyms_visit(FILE *file, void (*visit)(uint64_t start, const char *name, void *context),
		    void *context)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, file) > 0)
		visit_line(line, visit, context);
	free(line);
}
