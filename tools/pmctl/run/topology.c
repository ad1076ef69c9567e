// SPDX-License-Identifier: GPL-2.0-only
/* Finds in sysfs which CPUs belong to one core, one socket or one node. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/topology.h"

#define CPU_DIR	"/sys/devices/system/cpu/cpu%d"

/* Reads a number below topology/ of a CPU; 0 if there is none. */
static int read_number(int cpu, const char *name)
{
	char path[128];
	int number = 0;
	FILE *file;

	snprintf(path, sizeof(path), CPU_DIR "/topology/%s", cpu, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	/* -1: the firmware has no number. */
	if (fscanf(file, "%d", &number) != 1 || number < 0)
		number = 0;
	fclose(file);
	return number;
}

static int read_node(int cpu)
{
	const struct dirent *entry;
	char path[128];
	int node = 0;
	DIR *directory;

	snprintf(path, sizeof(path), CPU_DIR, cpu);
	directory = opendir(path);
	while (directory && (entry = readdir(directory)))
		if (sscanf(entry->d_name, "node%d", &node) == 1)
			break;
	if (directory)
		closedir(directory);
	return node;
}

static char *label_of(int cpu, enum topology_by by)
{
	int socket;

	if (by == TOPOLOGY_NODE)
		return xasprintf("N%d", read_node(cpu));
	socket = read_number(cpu, "physical_package_id");
	if (by == TOPOLOGY_SOCKET)
		return xasprintf("S%d", socket);
	return xasprintf("S%d-D%d-C%d", socket, read_number(cpu, "die_id"),
			 read_number(cpu, "core_id"));
}

/* Returns the group with that label; takes ownership of the label. */
static unsigned int group_of(struct topology *topology, char *label)
{
	unsigned int i;

	for (i = 0; i < topology->count; i++) {
		if (strcmp(topology->groups[i].label, label) != 0)
			continue;
		free(label);
		return i;
	}
	topology->groups = xrealloc(topology->groups, i + 1, sizeof(*topology->groups));
	topology->groups[i] = (struct topology_group){ .label = label };
	topology->count = i + 1;
	return i;
}

void topology_read(struct topology *topology, const struct cpulist *cpus, enum topology_by by)
{
	/* The numbers in @cpus are ascending. */
	int last = cpus->cpu[cpus->count - 1];

	topology->group_of = xcalloc((size_t)last + 1, sizeof(*topology->group_of));
	for (unsigned int i = 0; i < cpus->count; i++) {
		int cpu = cpus->cpu[i];

		topology->group_of[cpu] = group_of(topology, label_of(cpu, by));
		topology->groups[topology->group_of[cpu]].cpus++;
	}
}

void topology_free(struct topology *topology)
{
	for (unsigned int i = 0; i < topology->count; i++)
		free(topology->groups[i].label);
	free(topology->groups);
	free(topology->group_of);
	memset(topology, 0, sizeof(*topology));
}
