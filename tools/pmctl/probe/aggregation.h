/* SPDX-License-Identifier: GPL-2.0-only */
/* --count, --hist and the other aggregations: what is computed from the events for each key. */
#ifndef PMCTL_AGGREGATION_H
#define PMCTL_AGGREGATION_H

#include "probe/cells.h"
#include "probe/expression.h"
#include "probe/latency.h"
#include "probe/operand.h"

enum aggregation_kind {
	AGGREGATION_COUNT,
	AGGREGATION_SUM,
	AGGREGATION_MIN,
	AGGREGATION_MAX,
	AGGREGATION_AVG,
	AGGREGATION_HIST,
	AGGREGATION_LHIST,
	AGGREGATION_LATENCY,
};

/**
 * struct aggregation - one option
 * @kind: which option
 * @text: its value as typed
 * @expression: the words of @text
 * @value: the value
 * @keys: the keys
 * @key_count: number of keys
 * @cells: the values of each key
 * @entry: AGGREGATION_LATENCY: the number of the event that is the entry; the next is the return
 * @latency: likewise: entries without a return so far
 */
struct aggregation {
	enum aggregation_kind kind;
	char *text;
	struct expression expression;
	struct operand value;
	struct operand keys[CELLS_KEYS_MAX];
	unsigned int key_count;
	struct cells cells;
	unsigned int entry;
	struct latency latency;
};

/* "hist", "latency", ... */
const char *aggregation_name(enum aggregation_kind kind);
bool aggregation_has_histogram(const struct aggregation *aggregation);

/* Parses the value of an option. 0, or -1 after a message on standard error. */
int aggregation_parse(struct aggregation *aggregation, enum aggregation_kind kind,
		      const char *text);
/* Resolves its words. @limit: the most keys. 0, or -1 after a message on standard error. */
int aggregation_resolve(struct aggregation *aggregation, const struct probe_event *events,
			unsigned int count, uint32_t limit);
void aggregation_free(struct aggregation *aggregation);

/* Adds an event, if the event has the value and the keys. */
void aggregation_take(struct aggregation *aggregation, const struct fired *fired,
		      struct stack_names *names);
/* Removes all values. Entries still wait for their returns. */
void aggregation_reset(struct aggregation *aggregation);

/* Returns the number of arguments of event @number that it needs. */
unsigned int aggregation_arguments(const struct aggregation *aggregation, unsigned int number);
/* Whether one of its keys is of this kind. */
bool aggregation_has_key(const struct aggregation *aggregation, enum operand_kind kind);

/* Returns the cells by value, largest first. free() it. */
uint32_t *aggregation_sorted(const struct aggregation *aggregation);
/* Returns the value that it shows of a cell: the count, sum, minimum, maximum or average. */
double aggregation_result(const struct aggregation *aggregation, const struct cell *cell);

#endif
