// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/pid_set.h"

void pid_set_append(struct pid_set *set, pid_t pid)
{
	if (set->count == set->room) {
		set->room = set->room ? 2 * set->room : 16;
		set->pid = xrealloc(set->pid, set->room, sizeof(*set->pid));
	}
	set->pid[set->count++] = pid;
}

void pid_set_add(struct pid_set *set, pid_t pid)
{
	for (unsigned int i = 0; i < set->count; i++)
		if (set->pid[i] == pid)
			return;
	pid_set_append(set, pid);
}

static int by_number(const void *left, const void *right)
{
	pid_t a = *(const pid_t *)left, b = *(const pid_t *)right;

	return (a > b) - (a < b);
}

void pid_set_sort(struct pid_set *set)
{
	unsigned int kept = 0;

	if (!set->count)
		return;
	qsort(set->pid, set->count, sizeof(*set->pid), by_number);
	for (unsigned int i = 0; i < set->count; i++)
		if (!i || set->pid[i] != set->pid[i - 1])
			set->pid[kept++] = set->pid[i];
	set->count = kept;
}

bool pid_set_has(const struct pid_set *set, pid_t pid)
{
	return set->count && bsearch(&pid, set->pid, set->count, sizeof(pid), by_number);
}

void pid_set_free(struct pid_set *set)
{
	free(set->pid);
	memset(set, 0, sizeof(*set));
}
