/* SPDX-License-Identifier: GPL-2.0-only */
/* What the stress programs share. */
#ifndef HWPMC_STRESS_H
#define HWPMC_STRESS_H

#include <stdbool.h>
#include <sys/types.h>

/* One case: in the end nothing is left of anybody but this open file. */
bool check_nothing_left(int fd, const char *after);

/* A child that does @fn and exits; dies if it cannot be had. */
pid_t run_in_child(void (*fn)(void));

#endif /* HWPMC_STRESS_H */
