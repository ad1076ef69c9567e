/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SHARED_OPTIONS_H
#define PMCTL_SHARED_OPTIONS_H

#include <getopt.h>

struct report_options;

/* The long options that report, annotate and diff share; for struct options_grammar. */
extern const struct option shared_options[];

void shared_options_init(struct report_options *options);
/* Takes one of the shared options. 0, or -1 after a message on standard error. */
int shared_options_take(int letter, struct report_options *options);
/* After all options: whether they contradict each other. 0, or -1 after a message. */
int shared_options_check(const struct report_options *options);
/* A number from 0 to 100. 0, or -1 without a message. */
int shared_options_percent(const char *text, double *number);

#endif
