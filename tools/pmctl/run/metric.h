/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_METRIC_H
#define PMCTL_METRIC_H

#include <stdbool.h>

#include "event/event.h"

/**
 * struct metric - a value derived from two counts, or from a count and time
 * @value: the value
 * @unit: its unit: "insn per cycle", "of all branches", "GHz"; NULL: there is no metric
 * @percent: @value is in percent
 * @digits: number of digits to show after the point
 */
struct metric {
	double value;
	const char *unit;
	bool percent;
	int digits;
};

/**
 * struct measured - the input of a metric: one count
 * @event: what was counted
 * @counted: whether @value is valid
 * @value: the number
 */
struct measured {
	const struct event *event;
	bool counted;
	double value;
};

/* Returns the metric of @all[@index]. @seconds: CPU time in which it was counted, 0 if unknown. */
struct metric metric_of(const struct measured *all, unsigned int count, unsigned int index,
			double seconds);

#endif
