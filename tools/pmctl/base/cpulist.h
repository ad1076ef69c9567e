/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_CPULIST_H
#define PMCTL_CPULIST_H

#include <stddef.h>

/**
 * struct cpulist - CPU numbers, ascending, each once
 * @count: how many
 * @cpu: the numbers
 */
struct cpulist {
	unsigned int count;
	int *cpu;
};

/* "0,2-3" as the kernel and perf write it. 0, or -1 when it is not that. */
int cpulist_parse(const char *text, struct cpulist *list);
/* The CPUs online now. 0, or -1 with errno. */
int cpulist_online(struct cpulist *list);
void cpulist_free(struct cpulist *list);

#endif
