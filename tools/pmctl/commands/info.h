/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_INFO_H
#define PMCTL_INFO_H

#include <jansson.h>
#include <stdbool.h>

/* Everything that pmctl info shows, or NULL after a message on standard error. */
json_t *info_gather(int fd, bool stats);

/* Prints it as text. */
void info_print(const json_t *info);

#endif
