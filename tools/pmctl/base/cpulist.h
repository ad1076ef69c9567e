/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CPULIST_H
#define PMCTL_CPULIST_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct cpulist - CPU numbers, ascending, without duplicates
 * @count: number of CPUs
 * @cpu: the numbers
 */
struct cpulist {
	unsigned int count;
	int *cpu;
};

/* Parses "0,2-3", the format of the kernel and perf. 0, or -1 if @text has another format. */
int cpulist_parse(const char *text, struct cpulist *list);
/* Reads the CPUs that are online. 0, or -1 with errno. */
int cpulist_online(struct cpulist *list);
bool cpulist_has(const struct cpulist *list, unsigned int cpu);
void cpulist_free(struct cpulist *list);

#endif
