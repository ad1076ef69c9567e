// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/utf8.h"
#include "base/xml.h"

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

void xml_text(FILE *out, const char *text)
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
