// SPDX-License-Identifier: GPL-2.0-only
#include "probe/histogram.h"

/* Returns the number of steps; the last one may be narrower. */
static unsigned int steps(const struct histogram *histogram)
{
	uint64_t range = (uint64_t)histogram->max - (uint64_t)histogram->min;
	uint64_t step = (uint64_t)histogram->step;

	return (unsigned int)(range / step + (range % step ? 1 : 0));
}

unsigned int histogram_buckets(const struct histogram *histogram)
{
	return histogram->step ? steps(histogram) + 2 : HISTOGRAM_POWERS;
}

static unsigned int power_of(int64_t value)
{
	if (value <= 0)
		return value ? 0 : 1;
	return 65 - (unsigned int)__builtin_clzll((unsigned long long)value);
}

unsigned int histogram_index(const struct histogram *histogram, int64_t value)
{
	if (!histogram->step)
		return power_of(value);
	if (value < histogram->min)
		return 0;
	if (value >= histogram->max)
		return steps(histogram) + 1;
	return 1 + (unsigned int)(((uint64_t)value - (uint64_t)histogram->min) /
				  (uint64_t)histogram->step);
}

static struct histogram_bucket power_bucket(unsigned int index)
{
	if (!index)
		return (struct histogram_bucket){ INT64_MIN, -1 };
	if (index == 1)
		return (struct histogram_bucket){ 0, 0 };
	return (struct histogram_bucket){ (int64_t)(1ULL << (index - 2)),
					  (int64_t)((1ULL << (index - 1)) - 1) };
}

struct histogram_bucket histogram_bucket(const struct histogram *histogram, unsigned int index)
{
	struct histogram_bucket bucket;

	if (!histogram->step)
		return power_bucket(index);
	if (!index)
		return (struct histogram_bucket){ INT64_MIN, histogram->min - 1 };
	if (index > steps(histogram))
		return (struct histogram_bucket){ histogram->max, INT64_MAX };
	/* Unsigned, since the range may exceed a signed number. */
	bucket.from = (int64_t)((uint64_t)histogram->min +
				(index - 1) * (uint64_t)histogram->step);
	bucket.to = histogram->max - 1;
	if (index < steps(histogram))
		bucket.to = bucket.from + histogram->step - 1;
	return bucket;
}
