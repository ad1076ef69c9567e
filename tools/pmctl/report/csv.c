// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "report/csv.h"

void csv_text(struct csv *csv, const char *text)
{
	char *clean = utf8_clean(text);

	if (csv->begun)
		fputs(csv->separator, csv->out);
	csv->begun = true;
	escape_csv(csv->out, csv->separator, clean);
	free(clean);
}

/* Numbers are quoted like texts: the separator may be '.'. */
void csv_number(struct csv *csv, const char *format, ...)
{
	char text[64];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	csv_text(csv, text);
}

void csv_end(struct csv *csv)
{
	fputc('\n', csv->out);
	csv->begun = false;
}
