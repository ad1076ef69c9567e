/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of the machine under test: settings of the kernel. */
#ifndef HWPMC_TEST_FILE_H
#define HWPMC_TEST_FILE_H

#include <stdbool.h>

/* Writes @text to a file that exists, by one write(). Returns whether that worked. */
bool file_write(const char *path, const char *text);
/* The same; exits with a failed case on error. */
void file_set(const char *path, const char *text);

#endif /* HWPMC_TEST_FILE_H */
