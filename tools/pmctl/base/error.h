/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_ERROR_H
#define PMCTL_ERROR_H

#include <stddef.h>

/* Both print one line "pmctl: ..." to standard error. */
void error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* How far we are, for a terminal: the next of these takes the place of it. */
void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory that is there, or the end of pmctl. */
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
/* @first and @words, up to NULL, with blanks between. */
char *xjoin(const char *first, char *const *words);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
