/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_INFO_H
#define PMCTL_INFO_H

#include <jansson.h>
#include <stdbool.h>

/* Everything pmctl info shows, or NULL after a sentence on standard error. */
json_t *info_gather(int fd, bool stats);

/* The same for people. */
void info_print(const json_t *info);

#endif
