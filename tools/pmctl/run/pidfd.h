/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PIDFD_H
#define PMCTL_PIDFD_H

#include <sys/types.h>

/* A descriptor that is readable when process @pid has ended, or -1. */
int pidfd_of(pid_t pid);

#endif
