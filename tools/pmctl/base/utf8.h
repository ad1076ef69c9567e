/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_UTF8_H
#define PMCTL_UTF8_H

#include <stddef.h>
#include <stdio.h>

/*
 * Names are whatever a program or a log chose: they must not speak to the terminal.
 * What shows names of a log uses one of these, and so do messages.
 */

/* The bytes of the letter that @text begins with, 1 to 4; 0 if it is none. */
size_t utf8_letter(const char *text);
/*
 * Puts '?' for each byte that is not UTF-8, or of a control character, or of one that
 * changes the direction of the line.
 */
void utf8_scrub(char *text);
/* A scrubbed copy. */
char *utf8_clean(const char *text);
/* Writes it scrubbed. Returns how many letters that are. */
int utf8_put(FILE *out, const char *text);
/* How many letters utf8_put() would write. */
int utf8_width(const char *text);

#endif
