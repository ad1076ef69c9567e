/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_STAT_FILE_H
#define PMCTL_STAT_FILE_H

#include "run/stat_print.h"

/* The default name of what stat record writes. */
#define STAT_FILE	"pmctl.stat"

/* The format of stat record: everything that another format shows, as JSON, one object per line. */
extern const struct stat_printer_ops stat_file_ops;

/*
 * Prints the results of @path by @printer, whose @ops, @out and @separator are set. 0, or -1 after
 * a message on standard error.
 */
int stat_file_print(const char *path, struct stat_printer *printer);

#endif
