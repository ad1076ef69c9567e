/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PID_SET_H
#define PMCTL_PID_SET_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct pid_set - processes or threads, each once
 * @count: number of ids
 * @room: allocated length of @pid
 * @pid: the ids, in the order in which they were added; pid_set_sort() sorts them
 */
struct pid_set {
	unsigned int count;
	unsigned int room;
	pid_t *pid;
};

/* Adds @pid without checking for duplicates. */
void pid_set_append(struct pid_set *set, pid_t pid);
/* Adds @pid unless it is in the set. */
void pid_set_add(struct pid_set *set, pid_t pid);
/* Sorts the ids and removes duplicates. */
void pid_set_sort(struct pid_set *set);
/* Whether @pid is in @set, which is sorted. */
bool pid_set_has(const struct pid_set *set, pid_t pid);
void pid_set_free(struct pid_set *set);

#endif
