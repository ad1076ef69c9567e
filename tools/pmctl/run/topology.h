/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_TOPOLOGY_H
#define PMCTL_TOPOLOGY_H

#include "base/cpulist.h"

enum topology_by { TOPOLOGY_NONE, TOPOLOGY_CORE, TOPOLOGY_SOCKET, TOPOLOGY_NODE };

/**
 * struct topology_group - CPUs of one core, socket or node
 * @label: "S0-D0-C1", "S0" or "N0", as perf names them
 * @cpus: how many of the CPUs that were given are in it
 */
struct topology_group {
	char *label;
	unsigned int cpus;
};

/**
 * struct topology - CPUs in groups
 * @groups: in the order of their first CPUs
 * @count: number of @groups
 * @group_of: index of the group of each CPU, by its number
 */
struct topology {
	struct topology_group *groups;
	unsigned int count;
	unsigned int *group_of;
};

/* Sorts @cpus, at least one, into groups. A number that sysfs does not have is 0. */
void topology_read(struct topology *topology, const struct cpulist *cpus, enum topology_by by);
void topology_free(struct topology *topology);

#endif
