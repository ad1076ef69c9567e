// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

/* The cursor is after the text of progress(). */
static bool in_progress;

static void say(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

static void say(const char *format, va_list args)
{
	va_list again;
	char *text;

	va_copy(again, args);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	flockfile(stderr);
	fprintf(stderr, "%spmctl: ", in_progress ? "\r\033[K" : "");
	in_progress = false;
	/* Out of memory: print the message without utf8_scrub(). */
	if (text) {
		utf8_scrub(text);
		fputs(text, stderr);
	} else {
		vfprintf(stderr, format, again);
	}
	fputc('\n', stderr);
	funlockfile(stderr);
	va_end(again);
	free(text);
}

void error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

void progress(const char *format, ...)
{
	char text[128];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "\r%s\033[K", text);
	in_progress = true;
}
