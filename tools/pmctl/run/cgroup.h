/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CGROUP_H
#define PMCTL_CGROUP_H

#include "run/pid_set.h"

/*
 * The directory of cgroup @name (cgroup v2): its path below the root of the hierarchy, or that of
 * its directory. Free it. NULL after a message on standard error.
 */
char *cgroup_find(const char *name);

/*
 * Adds the processes of the cgroup at @path and of all below it. 0, or -1 after a message. A cgroup
 * that was removed has none.
 */
int cgroup_members(const char *path, struct pid_set *found);

#endif
