/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_ESCAPE_H
#define PMCTL_ESCAPE_H

#include <stdio.h>

/*
 * One field, quoted as RFC 4180 says when it holds the separator, a quote or a
 * line break.
 */
void csv_field(FILE *out, const char *separator, const char *text);

#endif
