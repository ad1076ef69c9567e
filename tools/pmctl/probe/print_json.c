// SPDX-License-Identifier: GPL-2.0-only
/* One JSON object per line. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/memory.h"
#include "probe/print.h"

#define NS_PER_SECOND_U	((uint64_t)NS_PER_SECOND)

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void put(struct print *print, json_t *object)
{
	json_dumpf(object, print->out, JSON_REAL_PRECISION(12));
	fputc('\n', print->out);
	json_decref(object);
}

/* Numbers from 2^53 on are strings, since readers may round them. */
static json_t *number(int64_t value)
{
	if (value >> 53 == 0 || value >> 53 == -1)
		return json_integer((json_int_t)value);
	return json_sprintf("%" PRId64, value);
}

static json_t *argument_json(const struct argument *argument, uint64_t raw)
{
	char text[PROTOTYPE_TEXT_MAX];

	if (argument->kind == ARGUMENT_POINTER)
		return json_string(prototype_text(argument, raw, text));
	return number(prototype_value(argument, raw));
}

static json_t *arguments_json(const struct fired *fired)
{
	json_t *object = json_object();
	uint64_t raw;

	for (unsigned int i = 0; fired_argument(fired, i, &raw); i++) {
		const struct argument *argument = &fired->of->prototype.arguments[i];

		set(object, argument->name, argument_json(argument, raw));
	}
	return object;
}

/* Null if the module could not read it. */
static void set_string(json_t *object, const struct fired *fired)
{
	bool cut;
	const char *text = fired_string(fired, &cut);

	set(object, "string", text ? escape_json(text) : json_null());
	if (cut)
		set(object, "string-cut", json_true());
}

static json_t *stack_json(const struct print *print, const struct fired *fired, bool user)
{
	char *text = stack_text(print->names, &fired->record->sample, user), *rest = text, *line;
	json_t *lines = json_array();

	while ((line = strsep(&rest, "\n")))
		if (*line)
			json_array_append_new(lines, escape_json(line));
	free(text);
	return lines;
}

static void event(struct print *print, const struct fired *fired)
{
	const struct hwpmc_log_sample *sample = &fired->record->sample;
	const char *error = fired_error(fired);
	uint64_t time = sample->h.time;
	json_t *object = json_object();
	int64_t value;

	set(object, "time", json_sprintf("%" PRIu64 ".%09" PRIu64, time / NS_PER_SECOND_U,
					 time % NS_PER_SECOND_U));
	set(object, "cpu", json_integer(sample->h.cpu));
	set(object, "pid", json_integer(sample->pid));
	set(object, "tid", json_integer(sample->tid));
	if (print->comm)
		set(object, "comm", escape_json(print_comm(print, fired)));
	set(object, "event", escape_json(fired->of->name));
	if (print->args)
		set(object, "args", arguments_json(fired));
	if (fired->of->string)
		set_string(object, fired);
	if (fired_result(fired, &value))
		set(object, "retval", argument_json(&fired->of->prototype.result,
						    fired->record->retval));
	if (error)
		set(object, "errno", json_string(error));
	if (print->stacks) {
		set(object, "kstack", stack_json(print, fired, false));
		set(object, "ustack", stack_json(print, fired, true));
	}
	put(print, object);
}

static json_t *key_json(const struct print *print, const struct aggregation *aggregation,
			uint32_t id)
{
	struct operand_events events = { print->events, print->event_count, 0,
					 print->event_count - 1 };
	const struct cell_key *key = cells_key(&aggregation->cells, id);
	json_t *object = json_object();

	for (unsigned int i = 0; i < aggregation->key_count; i++)
		set(object, aggregation->keys[i].name,
		    operand_json(&aggregation->keys[i], key->words[i], print->names, &events));
	return object;
}

/* The buckets that are not empty. An open end is left out. */
static json_t *buckets_json(const struct aggregation *aggregation, const struct cell *cell)
{
	const struct histogram *histogram = aggregation->cells.histogram;
	json_t *list = json_array();

	for (unsigned int i = 0; i < histogram_buckets(histogram); i++) {
		struct histogram_bucket bucket = histogram_bucket(histogram, i);
		json_t *object;

		if (!cell->buckets[i])
			continue;
		object = json_object();
		if (bucket.from != INT64_MIN)
			set(object, "from", number(bucket.from));
		if (bucket.to != INT64_MAX)
			set(object, "to", number(bucket.to));
		set(object, "count", number((int64_t)cell->buckets[i]));
		json_array_append_new(list, object);
	}
	return list;
}

static void put_cell(struct print *print, const struct aggregation *aggregation, uint32_t id,
		     double seconds)
{
	const struct cell *cell = &aggregation->cells.list[id];
	json_t *object = json_object();

	if (seconds >= 0)
		set(object, "interval", json_real(seconds));
	set(object, "aggregation", json_string(aggregation_name(aggregation->kind)));
	if (aggregation->expression.value)
		set(object, "value", escape_json(aggregation->expression.value));
	set(object, "key", key_json(print, aggregation, id));
	set(object, "count", number((int64_t)cell->count));
	if (aggregation->kind != AGGREGATION_COUNT) {
		set(object, "sum", number(cell->sum));
		set(object, "min", number(cell->min));
		set(object, "max", number(cell->max));
		set(object, "avg", json_real((double)cell->sum / (double)cell->count));
	}
	if (cell->buckets)
		set(object, "buckets", buckets_json(aggregation, cell));
	put(print, object);
}

/* What is missing in an aggregation, if it is not complete. */
static void put_rest(struct print *print, const struct aggregation *aggregation, double seconds)
{
	const struct latency *latency = &aggregation->latency;
	uint32_t keys = aggregation->cells.keys.count - print_keys(print, aggregation);
	bool matches = aggregation->kind == AGGREGATION_LATENCY;
	json_t *object;

	if (!matches && !aggregation->cells.cut && !keys)
		return;
	object = json_object();
	if (seconds >= 0)
		set(object, "interval", json_real(seconds));
	set(object, "aggregation", json_string(aggregation_name(aggregation->kind)));
	set(object, "keys-not-shown", number((int64_t)keys));
	set(object, "events-of-other-keys", number((int64_t)aggregation->cells.cut));
	if (matches) {
		set(object, "entries-without-return",
		    number((int64_t)latency->no_return + latency->count));
		set(object, "returns-without-entry", number((int64_t)latency->no_entry));
	}
	put(print, object);
}

static void results(struct print *print, double seconds)
{
	for (unsigned int i = 0; i < print->aggregation_count; i++) {
		const struct aggregation *aggregation = &print->aggregations[i];
		uint32_t *sorted = aggregation_sorted(aggregation);

		for (uint32_t j = 0; j < print_keys(print, aggregation); j++)
			put_cell(print, aggregation, sorted[j], seconds);
		free(sorted);
		put_rest(print, aggregation, seconds);
	}
}

static void end(struct print *print, const struct print_ending *ending)
{
	json_t *object = json_object();

	set(object, "events", number((int64_t)ending->recorded));
	set(object, "lost", number((int64_t)ending->lost));
	set(object, "throttled", number((int64_t)ending->throttled));
	set(object, "skipped", number((int64_t)ending->skipped));
	put(print, object);
}

const struct print_ops print_json = { .event = event, .results = results, .end = end };
