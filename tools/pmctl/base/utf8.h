/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_UTF8_H
#define PMCTL_UTF8_H

#include <stddef.h>
#include <stdio.h>

/*
 * Names come from programs and logs and may contain anything, such as terminal escapes.
 * Code that prints such names must use one of these functions; error() and note() do.
 */

/* The length in bytes of the first letter of @text, 1 to 4; 0 if it is not UTF-8. */
size_t utf8_letter(const char *text);
/*
 * Replaces by '?' each byte that is not UTF-8, or that belongs to a control character or to a
 * character that changes the direction of the line.
 */
void utf8_scrub(char *text);
/* Returns a scrubbed copy. */
char *utf8_clean(const char *text);
/* Writes a scrubbed copy. Returns its number of letters. */
int utf8_put(FILE *out, const char *text);
/* The number of letters that utf8_put() would write. */
int utf8_width(const char *text);

#endif
