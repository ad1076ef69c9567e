// SPDX-License-Identifier: GPL-2.0-only
/* The median of measurements; see median.h. */
#include <stdlib.h>

#include "median.h"

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_value);
	return values[count / 2];
}
