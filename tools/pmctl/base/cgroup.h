/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CGROUP_H
#define PMCTL_CGROUP_H

#include <stdint.h>

/*
 * The directory of cgroup @name (cgroup v2): its path below the root of the hierarchy, as
 * /proc/PID/cgroup has it, or that of its directory. Free it. NULL after a message on standard
 * error.
 */
char *cgroup_find(const char *name);

/* The id by which the kernel knows cgroup @name, see cgroup_find(). 0, or -1 after a message. */
int cgroup_id(const char *name, uint64_t *id);

#endif
