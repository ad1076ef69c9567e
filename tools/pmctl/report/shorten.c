// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "report/shorten.h"

/* Returns the number of letters of a UTF-8 text. */
static size_t letters_of(const char *text)
{
	size_t count = 0, length;

	for (; *text; text += length, count++) {
		length = utf8_letter(text);
		length = length ? length : 1;
	}
	return count;
}

/* Returns the place after the first @count letters. */
static const char *behind(const char *text, size_t count)
{
	for (; *text && count; count--) {
		size_t length = utf8_letter(text);

		text += length ? length : 1;
	}
	return text;
}

/*
 * Returns a copy with ".." between each outermost pair of @open and @close. "operator<" and "->"
 * are not brackets. Without matching pairs the text is unchanged.
 */
static char *without_inner(const char *name, char open, char close)
{
	char *text = xstrdup(name), *out = text;
	unsigned int depth = 0;

	for (const char *at = name; *at; at++) {
		bool is_operator = at >= name + 8 && !strncmp(at - 8, "operator", 8);

		if (*at == close && depth && at[-1] != '-' && !--depth) {
			/* The text in between is longer than "..", or the brackets are "<>". */
			if (at[-1] != open) {
				*out++ = '.';
				if (at[-2] != open)
					*out++ = '.';
			}
		}
		if (!depth)
			*out++ = *at;
		if (*at == open && !is_operator)
			depth++;
	}
	*out = '\0';
	if (depth)
		strcpy(text, name);
	return text;
}

/*
 * Returns the name, shortened to @room letters. A name of C++ loses template arguments first, then
 * parameters, then its middle; another name loses its end.
 */
char *shorten_name(const char *name, size_t room)
{
	char *arguments = without_inner(name, '<', '>'), *text;
	size_t letters = letters_of(name), head;

	if (letters <= room || !strstr(name, "::")) {
		free(arguments);
		head = letters <= room ? letters : room - 2;
		return xasprintf("%.*s%s", (int)(behind(name, head) - name), name,
				 letters <= room ? "" : "..");
	}
	text = letters_of(arguments) <= room ? xstrdup(arguments) :
					       without_inner(arguments, '(', ')');
	free(arguments);
	letters = letters_of(text);
	if (letters > room) {
		char *whole = text;

		head = (room - 2) / 3;
		text = xasprintf("%.*s..%s", (int)(behind(whole, head) - whole), whole,
				 behind(whole, letters - (room - 2 - head)));
		free(whole);
	}
	return text;
}
