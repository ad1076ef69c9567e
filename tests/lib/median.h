/* SPDX-License-Identifier: GPL-2.0-only */
/* The median of measurements: a few that the machine disturbed do not change it. */
#ifndef HWPMC_TEST_MEDIAN_H
#define HWPMC_TEST_MEDIAN_H

#include <stddef.h>

/* Sorts @values, and returns the middle one. */
double median(double *values, size_t count);

#endif /* HWPMC_TEST_MEDIAN_H */
