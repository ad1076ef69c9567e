/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CGROUP_H
#define PMCTL_CGROUP_H

#include <stdint.h>

/*
 * The id of a cgroup of version 2, by its path: below where these are mounted, as /proc/PID/cgroup
 * has it, or that of its directory. 0, or -1 after a message.
 */
int cgroup_id(const char *path, uint64_t *id);

#endif
