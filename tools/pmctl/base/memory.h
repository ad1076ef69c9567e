/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_MEMORY_H
#define PMCTL_MEMORY_H

#include <stddef.h>

/* Allocations that never return NULL: without memory pmctl exits. */
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t count, size_t size);
/* Room for item @number, in an array that gets its items one after the other from 0 on. */
void *xgrow(void *old, size_t number, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
/* Joins @first and @words, up to NULL, with blanks in between. */
char *xjoin(const char *first, char *const *words);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
