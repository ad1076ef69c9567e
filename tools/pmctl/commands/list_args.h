/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_LIST_ARGS_H
#define PMCTL_LIST_ARGS_H

#include <stdbool.h>

/* Shows the arguments and the return value of a probe. Returns the exit status. */
int list_args(const char *event, bool json);

#endif
