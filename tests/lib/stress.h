/* SPDX-License-Identifier: GPL-2.0-only */
/* What the stress programs share. */
#ifndef HWPMC_STRESS_H
#define HWPMC_STRESS_H

#include <stdbool.h>
#include <sys/types.h>

/* One case: in the end nothing is left of anybody but this open file. */
bool clean(int fd, const char *after);

/* A child that does @fn and exits; dies if it cannot be had. */
pid_t child_that(void (*fn)(void));

#endif /* HWPMC_STRESS_H */
