// SPDX-License-Identifier: GPL-2.0-only
/* The instructions of functions as one JSON value. */
#include <inttypes.h>

#include "base/escape.h"
#include "report/annotate.h"
#include "report/report.h"
#include "report/values.h"

static json_t *address(uint64_t number)
{
	return json_sprintf("0x%" PRIx64, number);
}

/* The events of a function. */
static json_t *totals(const struct annotate *annotate, uint32_t function)
{
	const struct profile *profile = annotate->profile;
	json_t *list = json_array();

	for (uint32_t i = 0; i < profile->event_count; i++) {
		const struct annotate_count *total = annotate_total(annotate, function, i);
		json_t *object;

		if (!annotate_has_event(annotate, function, i))
			continue;
		object = json_object();
		values_add(object, "event", values_name(profile, profile->events[i].name));
		values_add(object, "percent",
			   json_real(report_percent(&profile->events[i], total->events)));
		values_add(object, "events", values_whole(total->events));
		values_add(object, "samples", values_whole(total->samples));
		json_array_append_new(list, object);
	}
	return list;
}

/* The events at an instruction, in the order of totals(). */
static json_t *counts(const struct annotate *annotate, const struct annotate_code *code,
		      uint32_t row)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < annotate->profile->event_count; i++) {
		const struct annotate_count *count = annotate_count(annotate, code, row, i);
		json_t *object;

		if (!annotate_has_event(annotate, code->function, i))
			continue;
		object = json_object();
		values_add(object, "percent", json_real(annotate_percent(annotate, code, row, i)));
		values_add(object, "events", values_whole(count->events));
		values_add(object, "samples", values_whole(count->samples));
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *instruction(const struct annotate *annotate, const struct annotate_code *code,
			   uint32_t row)
{
	const struct instruction *of = &code->code.list[row];
	const struct annotate_line *line = &code->lines[row];
	const struct profile *profile = annotate->profile;
	json_t *object = json_object();

	values_add(object, "address", address(of->address));
	values_add(object, "instruction", escape_json(of->text));
	if (of->jumps)
		values_add(object, "jumps-to", address(of->target));
	else if (line->name)
		values_add(object, "calls", values_name(profile, line->name));
	if (line->source)
		values_add(object, "srcline", values_name(profile, line->source));
	if (line->text)
		values_add(object, "source", escape_json(line->text));
	if (line->inlined)
		values_add(object, "inlined", values_name(profile, line->inlined));
	values_add(object, "counts", counts(annotate, code, row));
	return object;
}

/* Written function by function, since the code of one may be long. */
void annotate_json_head(const struct annotate *annotate)
{
	json_t *machine = json_object();

	values_add_machine(machine, annotate->profile);
	fputs("{\"log\": ", annotate->out);
	json_dumpf(machine, annotate->out, 0);
	json_decref(machine);
	fputs(", \"functions\": [", annotate->out);
}

void annotate_json(const struct annotate *annotate, const struct annotate_code *code)
{
	const struct function *function = annotate_function(annotate, code->function);
	const struct profile *profile = annotate->profile;
	json_t *object = json_object(), *list = json_array();

	values_add(object, "symbol", values_name(profile, function->symbol));
	values_add(object, "dso", values_name(profile, function->dso));
	values_add(object, "kernel", json_boolean(function->flags & FRAME_KERNEL));
	values_add(object, "events", totals(annotate, code->function));
	for (uint32_t row = 0; row < code->code.count; row++)
		if (annotate_largest(annotate, code, row) >= annotate->options->shared.limit)
			json_array_append_new(list, instruction(annotate, code, row));
	values_add(object, "instructions", list);
	if (annotate->shown)
		fputc(',', annotate->out);
	values_print(annotate->out, object);
}

void annotate_json_foot(const struct annotate *annotate)
{
	fputs("]}\n", annotate->out);
}
