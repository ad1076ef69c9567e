// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

void escape_csv(FILE *out, const char *separator, const char *text)
{
	if (!strpbrk(text, "\"\r\n") && !strstr(text, separator)) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static const char *entity(char letter)
{
	switch (letter) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void escape_xml(FILE *out, const char *text)
{
	char *clean = utf8_clean(text);

	for (const char *at = clean; *at; at++) {
		const char *named = entity(*at);

		if (named)
			fputs(named, out);
		else
			fputc(*at, out);
	}
	free(clean);
}

json_t *escape_json(const char *text)
{
	char *clean = utf8_clean(text);
	json_t *string = json_string(clean);

	free(clean);
	return string;
}
