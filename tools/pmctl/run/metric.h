/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_METRIC_H
#define PMCTL_METRIC_H

#include <stdbool.h>

#include "event/event.h"

/**
 * struct metric - what follows from a count and another one, or from time
 * @value: the number
 * @unit: what it is: "insn per cycle", "of all branches", "GHz"; NULL: there is none
 * @percent: @value is in percent
 * @digits: worth showing behind the point
 */
struct metric {
	double value;
	const char *unit;
	bool percent;
	int digits;
};

/**
 * struct measured - one count, as metrics see it
 * @event: of what
 * @counted: false if there is no number
 * @value: the number
 */
struct measured {
	const struct event *event;
	bool counted;
	double value;
};

/*
 * What can be said of @all[@index] beside its number. @seconds: CPU time in which
 * it was counted, 0 if that is not known.
 */
struct metric metric_of(const struct measured *all, unsigned int count, unsigned int index,
			double seconds);

#endif
