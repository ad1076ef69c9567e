/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of the machine under test: settings of the kernel, and copies of the program. */
#ifndef HWPMC_TEST_FILE_H
#define HWPMC_TEST_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/* Writes @text to a file that exists, by one write(). Returns whether that worked. */
bool file_write(const char *path, const char *text);
/* The same; exits with a failed case on error. */
void file_set(const char *path, const char *text);
/* Copies this program to @path; user and group @uid own the copy, with permissions @mode. */
void file_copy_program(const char *path, uid_t uid, mode_t mode);
/* Sets file capability @cap of @path, as "setcap CAP=ep" does. Returns whether that worked. */
bool file_set_capability(const char *path, unsigned int cap);

#endif /* HWPMC_TEST_FILE_H */
