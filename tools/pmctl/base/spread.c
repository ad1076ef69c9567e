// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "base/spread.h"

void spread_add(struct spread *spread, double value)
{
	double off = value - spread->mean;

	spread->count++;
	spread->mean += off / (double)spread->count;
	spread->squares += off * (value - spread->mean);
}

double spread_error(const struct spread *spread)
{
	double count = (double)spread->count;

	if (spread->count < 2)
		return 0.0;
	return sqrt(spread->squares / (count - 1) / count);
}

double spread_percent(const struct spread *spread)
{
	if (spread->mean == 0.0)
		return 0.0;
	return 100.0 * spread_error(spread) / fabs(spread->mean);
}
