/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CSV_H
#define PMCTL_CSV_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct csv - lines of CSV, quoted as in RFC 4180
 * @out: the output
 * @separator: between two fields
 * @begun: the line has a field
 */
struct csv {
	FILE *out;
	const char *separator;
	bool begun;
};

void csv_text(struct csv *csv, const char *text);
void csv_number(struct csv *csv, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends the line with LF. */
void csv_end(struct csv *csv);

#endif
