/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers of the stress programs. */
#ifndef HWPMC_STRESS_H
#define HWPMC_STRESS_H

#include <stdbool.h>
#include <sys/types.h>

/* A case: the module soon has no PMC, thread record, other owner or switch probe. */
bool check_nothing_left(int fd, const char *after);

/* Forks a child that runs @fn and exits. */
pid_t run_in_child(void (*fn)(void));

#endif /* HWPMC_STRESS_H */
