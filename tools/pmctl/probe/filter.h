/* SPDX-License-Identifier: GPL-2.0-only */
/* --filter: conditions that events must meet; the kernel checks them before it makes a record. */
#ifndef PMCTL_FILTER_H
#define PMCTL_FILTER_H

#include "event/event.h"
#include "probe/operand.h"

/**
 * struct condition - WORD OPERATOR VALUE
 * @word: the compared word
 * @operator: ==, !=, <, > or &
 * @value: the value it is compared with
 */
struct condition {
	char *word;
	char *operator;
	char *value;
};

/**
 * struct filter - the conditions of all --filter options
 * @conditions: in the order they were typed
 * @count: number of them
 */
struct filter {
	struct condition *conditions;
	unsigned int count;
};

/* Adds the condition of --cgroup. */
void filter_add_cgroup(struct filter *filter, const char *path);
/* Adds the conditions of one --filter, which "&&" separates. 0, or -1 after a message. */
int filter_parse(struct filter *filter, const char *text);
void filter_free(struct filter *filter);

/* Sets the filters of @event, which is number @index of @events. 0, or -1 after a message. */
int filter_resolve(const struct filter *filter, const struct operand_events *events,
		   unsigned int index, struct event *event);

#endif
