// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/memory.h"
#include "base/number.h"

#define CPU_MAX		8191	/* the largest NR_CPUS of any architecture, minus one */

static int by_number(const void *first, const void *second)
{
	return *(const int *)first - *(const int *)second;
}

static void sort_once(struct cpulist *list)
{
	unsigned int kept = 0;

	qsort(list->cpu, list->count, sizeof(*list->cpu), by_number);
	for (unsigned int i = 0; i < list->count; i++)
		if (!kept || list->cpu[kept - 1] != list->cpu[i])
			list->cpu[kept++] = list->cpu[i];
	list->count = kept;
}

static int add_range(struct cpulist *list, char *range)
{
	char *dash = strchr(range, '-');
	long first, last;

	if (dash)
		*dash++ = '\0';
	if (number_parse(range, 0, CPU_MAX, &first))
		return -1;
	last = first;
	if (dash && number_parse(dash, first, CPU_MAX, &last))
		return -1;
	list->cpu = xrealloc(list->cpu, list->count + (size_t)(last - first) + 1, sizeof(int));
	while (first <= last)
		list->cpu[list->count++] = (int)first++;
	return 0;
}

int cpulist_parse(const char *text, struct cpulist *list)
{
	char *copy = xstrdup(text), *rest = copy, *range;
	int result = 0;

	memset(list, 0, sizeof(*list));
	while (!result && (range = strsep(&rest, ",")))
		result = add_range(list, range);
	free(copy);
	if (result)
		cpulist_free(list);
	else
		sort_once(list);
	return result;
}

int cpulist_online(struct cpulist *list)
{
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	char *line = NULL;
	size_t room = 0;
	int result = -1;

	if (!file)
		return -1;
	errno = EINVAL;
	if (getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		result = cpulist_parse(line, list);
	}
	free(line);
	fclose(file);
	return result;
}

bool cpulist_has(const struct cpulist *list, unsigned int cpu)
{
	for (unsigned int i = 0; i < list->count; i++)
		if (list->cpu[i] == (int)cpu)
			return true;
	return false;
}

void cpulist_free(struct cpulist *list)
{
	free(list->cpu);
	memset(list, 0, sizeof(*list));
}
