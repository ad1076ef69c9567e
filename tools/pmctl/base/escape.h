/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Escapes text from a program or a log for formats in which some characters have a special meaning.
 */
#ifndef PMCTL_ESCAPE_H
#define PMCTL_ESCAPE_H

#include <jansson.h>
#include <stdio.h>

/*
 * One field of CSV. It is quoted as in RFC 4180 if it contains the separator, a quote or
 * a line break.
 */
void escape_csv(FILE *out, const char *separator, const char *text);

/* Text for an element or an attribute in double quotes; utf8_scrub() is applied first. */
void escape_xml(FILE *out, const char *text);

/* A JSON string; utf8_scrub() is applied first. */
json_t *escape_json(const char *text);

#endif
