/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SPREAD_H
#define PMCTL_SPREAD_H

/**
 * struct spread - mean and scatter of values that come one by one (Welford)
 * @count: how many came
 * @mean: of them
 * @squares: sum of the squared distances from the mean
 */
struct spread {
	unsigned long count;
	double mean;
	double squares;
};

void spread_add(struct spread *spread, double value);
/* Standard deviation of the mean, in percent of the mean: perf's "+-". */
double spread_percent(const struct spread *spread);
/* Standard deviation of the mean. */
double spread_error(const struct spread *spread);

#endif
