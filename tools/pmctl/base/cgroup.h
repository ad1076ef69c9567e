/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CGROUP_H
#define PMCTL_CGROUP_H

#include <stdint.h>

/*
 * Returns the directory of cgroup @name, to be freed: @name is its path below the root of the
 * hierarchy, as in /proc/PID/cgroup, or the path of the directory. Hierarchies of cgroup v2 are
 * searched before those of v1, each in the order of mounting. NULL after a message on standard
 * error.
 */
char *cgroup_find(const char *name);

/*
 * Returns the kernel's id of cgroup @name, see cgroup_find(), of v2 only: the kernel compares no
 * others. 0, or -1 after a message.
 */
int cgroup_id(const char *name, uint64_t *id);

#endif
