/* SPDX-License-Identifier: GPL-2.0-only */
/* A value or a key of an aggregation: the meaning of its word, and its value in an event. */
#ifndef PMCTL_OPERAND_H
#define PMCTL_OPERAND_H

#include <jansson.h>
#include <stdio.h>

#include "probe/fired.h"
#include "probe/stack.h"

enum operand_kind {
	OPERAND_COMM,
	OPERAND_PID,
	OPERAND_TID,
	OPERAND_CPU,
	OPERAND_EVENT,
	OPERAND_RETVAL,
	OPERAND_KSTACK,
	OPERAND_USTACK,
	OPERAND_ARGUMENT,
};

/**
 * struct operand - a value or a key
 * @kind: enum operand_kind
 * @name: the word
 * @index: OPERAND_ARGUMENT: for each event, the index of the argument; negative: the event has no
 *	such argument
 * @type: OPERAND_ARGUMENT: the argument of the first event that has it
 */
struct operand {
	enum operand_kind kind;
	char *name;
	int *index;
	const struct argument *type;
};

/**
 * struct operand_events - the events that a word may refer to
 * @list: the events
 * @count: number of events
 * @from: only events from this one
 * @to: to this one
 */
struct operand_events {
	const struct probe_event *list;
	unsigned int count;
	unsigned int from;
	unsigned int to;
};

/*
 * Resolves @word. @is_value: it must be a number. 0, or -1 with a message in @why that suggests
 * similar words.
 */
int operand_find(struct operand *operand, const char *word, bool is_value,
		 const struct operand_events *events, char *why, size_t size);
void operand_free(struct operand *operand);

/* Gets the number of an event. Returns whether it has one. */
bool operand_value(const struct operand *operand, const struct fired *fired, int64_t *value);

/*
 * Gets the key of an event as two words. Returns 0; 1: it has none; -1: it is a new stack beyond
 * the limit.
 */
int operand_key(const struct operand *operand, const struct fired *fired,
		struct stack_names *names, uint64_t key[2]);

/* Writes a key as text; a stack as several lines. */
void operand_write(const struct operand *operand, const uint64_t key[2],
		   const struct stack_names *names, const struct operand_events *events, FILE *out);
json_t *operand_json(const struct operand *operand, const uint64_t key[2],
		     const struct stack_names *names, const struct operand_events *events);

static inline bool operand_is_stack(const struct operand *operand)
{
	return operand->kind == OPERAND_KSTACK || operand->kind == OPERAND_USTACK;
}

#endif
