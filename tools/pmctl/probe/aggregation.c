// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "probe/aggregation.h"

static const struct {
	const char *name;
	enum expression_of of;
} kinds[] = {
	[AGGREGATION_COUNT] = { "count", EXPRESSION_KEYS },
	[AGGREGATION_SUM] = { "sum", EXPRESSION_VALUE },
	[AGGREGATION_MIN] = { "min", EXPRESSION_VALUE },
	[AGGREGATION_MAX] = { "max", EXPRESSION_VALUE },
	[AGGREGATION_AVG] = { "avg", EXPRESSION_VALUE },
	[AGGREGATION_HIST] = { "hist", EXPRESSION_VALUE },
	[AGGREGATION_LHIST] = { "lhist", EXPRESSION_STEPS },
	[AGGREGATION_LATENCY] = { "latency", EXPRESSION_VALUE },
};

const char *aggregation_name(enum aggregation_kind kind)
{
	return kinds[kind].name;
}

bool aggregation_has_histogram(const struct aggregation *aggregation)
{
	return aggregation->kind >= AGGREGATION_HIST;
}

int aggregation_parse(struct aggregation *aggregation, enum aggregation_kind kind,
		      const char *text)
{
	char option[16], why[256];

	memset(aggregation, 0, sizeof(*aggregation));
	aggregation->kind = kind;
	aggregation->text = xstrdup(text);
	snprintf(option, sizeof(option), "--%s", kinds[kind].name);
	if (!expression_parse(&aggregation->expression, kinds[kind].of, option, text, why,
			      sizeof(why)))
		return 0;
	error("%s", why);
	return -1;
}

static struct operand_events events_of(const struct aggregation *aggregation,
				       const struct probe_event *events, unsigned int count)
{
	struct operand_events all = { events, count, 0, count - 1 };

	/* The keys of a latency are those of its return. */
	if (aggregation->kind == AGGREGATION_LATENCY) {
		all.to = aggregation->entry + 1;
		all.from = all.to;
	}
	return all;
}

static int resolve_word(struct operand *operand, const char *word, bool is_value,
			const struct aggregation *aggregation, const struct operand_events *events)
{
	char why[512];

	if (!operand_find(operand, word, is_value, events, why, sizeof(why)))
		return 0;
	error("--%s '%s': %s", kinds[aggregation->kind].name, aggregation->text, why);
	return -1;
}

int aggregation_resolve(struct aggregation *aggregation, const struct probe_event *events,
			unsigned int count, uint32_t limit)
{
	const struct expression *expression = &aggregation->expression;
	struct operand_events all = events_of(aggregation, events, count);

	if (expression->value && aggregation->kind != AGGREGATION_LATENCY &&
	    resolve_word(&aggregation->value, expression->value, true, aggregation, &all))
		return -1;
	for (unsigned int i = 0; i < expression->key_count; i++) {
		aggregation->key_count = i + 1;
		if (resolve_word(&aggregation->keys[i], expression->keys[i], false, aggregation,
				 &all))
			return -1;
	}
	aggregation->latency.limit = limit;
	cells_init(&aggregation->cells, limit,
		   aggregation_has_histogram(aggregation) ? &expression->steps : NULL);
	return 0;
}

void aggregation_free(struct aggregation *aggregation)
{
	for (unsigned int i = 0; i < aggregation->key_count; i++)
		operand_free(&aggregation->keys[i]);
	operand_free(&aggregation->value);
	expression_free(&aggregation->expression);
	latency_free(&aggregation->latency);
	cells_free(&aggregation->cells);
	free(aggregation->text);
	memset(aggregation, 0, sizeof(*aggregation));
}

/* Gets the value of an event. Returns whether it has one. */
static bool value_of(struct aggregation *aggregation, const struct fired *fired, int64_t *value)
{
	const struct hwpmc_log_sample *sample = &fired->record->sample;

	*value = 1;
	if (aggregation->kind == AGGREGATION_COUNT)
		return true;
	if (aggregation->kind != AGGREGATION_LATENCY)
		return operand_value(&aggregation->value, fired, value);
	if (fired->number == aggregation->entry)
		latency_enter(&aggregation->latency, sample->tid, sample->h.time);
	return fired->number == aggregation->entry + 1 &&
	       latency_leave(&aggregation->latency, sample->tid, sample->h.time, value);
}

void aggregation_take(struct aggregation *aggregation, const struct fired *fired,
		      struct stack_names *names)
{
	struct cell_key key = { 0 };
	int64_t value;

	if (!value_of(aggregation, fired, &value))
		return;
	for (unsigned int i = 0; i < aggregation->key_count; i++) {
		int result = operand_key(&aggregation->keys[i], fired, names, key.words[i]);

		aggregation->cells.cut += result < 0 ? 1 : 0;
		if (result)
			return;
	}
	cells_add(&aggregation->cells, &key, value);
}

void aggregation_reset(struct aggregation *aggregation)
{
	cells_reset(&aggregation->cells);
}

static unsigned int arguments_of(const struct operand *operand, unsigned int number)
{
	return operand->index && operand->index[number] >= 0 ?
		       (unsigned int)operand->index[number] + 1 : 0;
}

unsigned int aggregation_arguments(const struct aggregation *aggregation, unsigned int number)
{
	unsigned int most = arguments_of(&aggregation->value, number);

	for (unsigned int i = 0; i < aggregation->key_count; i++) {
		unsigned int needed = arguments_of(&aggregation->keys[i], number);

		most = needed > most ? needed : most;
	}
	return most;
}

bool aggregation_has_key(const struct aggregation *aggregation, enum operand_kind kind)
{
	for (unsigned int i = 0; i < aggregation->key_count; i++)
		if (aggregation->keys[i].kind == kind)
			return true;
	return false;
}

double aggregation_result(const struct aggregation *aggregation, const struct cell *cell)
{
	switch (aggregation->kind) {
	case AGGREGATION_SUM:
		return (double)cell->sum;
	case AGGREGATION_MIN:
		return (double)cell->min;
	case AGGREGATION_MAX:
		return (double)cell->max;
	case AGGREGATION_AVG:
		return (double)cell->sum / (double)cell->count;
	case AGGREGATION_LATENCY:
		/* The sum shows where most of the time was spent. */
		return (double)cell->sum;
	default:
		return (double)cell->count;
	}
}

static int compare(const void *left, const void *right, void *context)
{
	const struct aggregation *aggregation = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	double first = aggregation_result(aggregation, &aggregation->cells.list[a]);
	double second = aggregation_result(aggregation, &aggregation->cells.list[b]);

	if (first > second || first < second)
		return first > second ? -1 : 1;
	return a < b ? -1 : a > b;
}

uint32_t *aggregation_sorted(const struct aggregation *aggregation)
{
	uint32_t count = aggregation->cells.keys.count;
	uint32_t *sorted = xcalloc((size_t)count + 1, sizeof(*sorted));

	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i;
	qsort_r(sorted, count, sizeof(*sorted), compare, (void *)aggregation);
	return sorted;
}
