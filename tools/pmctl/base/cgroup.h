/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CGROUP_H
#define PMCTL_CGROUP_H

#include <stdint.h>

/*
 * Returns the directory of cgroup @name (cgroup v2), to be freed: @name is its path below the root
 * of the hierarchy, as in /proc/PID/cgroup, or the path of the directory. NULL after a message on
 * standard error.
 */
char *cgroup_find(const char *name);

/* Returns the kernel's id of cgroup @name, see cgroup_find(). 0, or -1 after a message. */
int cgroup_id(const char *name, uint64_t *id);

#endif
