/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of an aggregation: VALUE [MIN,MAX,STEP] [by KEY[,KEY]...] */
#ifndef PMCTL_EXPRESSION_H
#define PMCTL_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/cells.h"

/* The kind of words of an aggregation. */
enum expression_of {
	EXPRESSION_KEYS,	/* --count: no value; the word "by" is optional */
	EXPRESSION_VALUE,
	EXPRESSION_STEPS,	/* --lhist: a value, and MIN,MAX,STEP */
};

/**
 * struct expression - the words of an aggregation
 * @value: the value; NULL without
 * @steps: EXPRESSION_STEPS: MIN, MAX and STEP
 * @keys: the keys
 * @key_count: number of keys
 */
struct expression {
	char *value;
	struct histogram steps;
	char *keys[CELLS_KEYS_MAX];
	unsigned int key_count;
};

/* Splits the text of @option. 0, or -1 with a message in @why that names the wrong word. */
int expression_parse(struct expression *expression, enum expression_of of, const char *option,
		     const char *text, char *why, size_t size);
void expression_free(struct expression *expression);

#endif
