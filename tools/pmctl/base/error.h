/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_ERROR_H
#define PMCTL_ERROR_H

/* Both print one line "pmctl: ..." to standard error. */
void error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A progress line for a terminal: the next message overwrites it. */
void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
