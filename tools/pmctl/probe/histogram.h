/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_HISTOGRAM_H
#define PMCTL_HISTOGRAM_H

#include <stdint.h>

/* Negative values, 0, and a bucket for each power of two: 1, 2-3, 4-7, ... */
#define HISTOGRAM_POWERS	65
/* The most steps of a linear histogram. */
#define HISTOGRAM_STEPS_MAX	1000

/**
 * struct histogram - how values are divided into buckets
 * @step: width of a bucket; 0: powers of two
 * @min: where the steps begin; values below are in the first bucket
 * @max: where they end; values from here on are in the last bucket
 */
struct histogram {
	int64_t step;
	int64_t min;
	int64_t max;
};

/**
 * struct histogram_bucket - the values in a bucket
 * @from: the least value; INT64_MIN: no lower limit
 * @to: the largest value; INT64_MAX: no upper limit
 */
struct histogram_bucket {
	int64_t from;
	int64_t to;
};

unsigned int histogram_buckets(const struct histogram *histogram);
unsigned int histogram_index(const struct histogram *histogram, int64_t value);
struct histogram_bucket histogram_bucket(const struct histogram *histogram, unsigned int index);

#endif
