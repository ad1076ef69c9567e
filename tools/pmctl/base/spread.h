/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_SPREAD_H
#define PMCTL_SPREAD_H

/**
 * struct spread - running mean and variance of values (Welford)
 * @count: number of values
 * @mean: their mean
 * @squares: sum of the squared distances from the mean
 */
struct spread {
	unsigned long count;
	double mean;
	double squares;
};

void spread_add(struct spread *spread, double value);
/* Standard error of the mean, in percent of the mean: perf's "+-". */
double spread_percent(const struct spread *spread);
/* Standard error of the mean. */
double spread_error(const struct spread *spread);

#endif
