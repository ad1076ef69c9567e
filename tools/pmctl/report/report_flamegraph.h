/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_REPORT_FLAMEGRAPH_H
#define PMCTL_REPORT_FLAMEGRAPH_H

#include "report/report.h"

/* Draws to a file: 0, or -1 after a sentence. "-" is standard output. */
int flamegraph_write(const struct profile_report *report, const char *path);

#endif
