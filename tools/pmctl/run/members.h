/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_MEMBERS_H
#define PMCTL_MEMBERS_H

#include "run/pid_set.h"

/*
 * Adds the processes of the cgroup at @path and of all its descendants. 0, or -1 after a message. A
 * removed cgroup has none.
 */
int members_of_cgroup(const char *path, struct pid_set *found);

#endif
