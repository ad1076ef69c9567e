/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_UTF8_H
#define PMCTL_UTF8_H

#include <stddef.h>

/* The bytes of the letter that @text begins with, 1 to 4; 0 if it is none. */
size_t utf8_letter(const char *text);
/* A copy with '?' for bytes that are not UTF-8, and for control characters. */
char *utf8_clean(const char *text);

#endif
