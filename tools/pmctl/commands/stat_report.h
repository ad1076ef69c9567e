/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_STAT_REPORT_H
#define PMCTL_STAT_REPORT_H

/* pmctl stat report. Returns the exit status. */
int stat_report(int argc, char **argv);

#endif
