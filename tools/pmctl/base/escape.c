// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/escape.h"

void csv_field(FILE *out, const char *separator, const char *text)
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
