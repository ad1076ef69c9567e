/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HWPMC_FUZZ_REPORTS_H
#define HWPMC_FUZZ_REPORTS_H

#include <stdio.h>

#include "log/log_read.h"

/*
 * What pmctl report, annotate and diff print of open logs goes to @out, in one of their formats:
 * @format is any number. Their files are looked for below a directory that is not there.
 */
void reports_report(struct log_reader *log, unsigned int format, FILE *out);
void reports_annotate(struct log_reader *log, unsigned int format, FILE *out);
void reports_diff(struct log_reader logs[2], unsigned int format, FILE *out);

#endif
