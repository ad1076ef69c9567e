// SPDX-License-Identifier: GPL-2.0-only
/* The difference of logs as one JSON value. */
#include <math.h>

#include "base/escape.h"
#include "report/diff.h"
#include "report/values.h"

static json_t *logs(const struct diff *diff)
{
	json_t *list = json_array();

	for (uint32_t log = 0; log < diff->count; log++) {
		json_t *object = json_object();

		values_add(object, "file", escape_json(diff->paths[log]));
		values_add_machine(object, diff->reports[log].profile);
		json_array_append_new(list, object);
	}
	return list;
}

/* A row in each log; those after the first have the difference. */
static json_t *parts(const struct diff *diff, uint32_t row)
{
	json_t *list = json_array();

	for (uint32_t log = 0; log < diff->count; log++) {
		const struct diff_part *part = diff_part(diff, row, log);
		double ratio = diff_ratio(diff, row, log);
		json_t *object = json_object();

		values_add(object, "percent", json_real(part->percent));
		values_add(object, "events", values_whole(part->events));
		values_add(object, "samples", values_whole(part->samples));
		if (log) {
			values_add(object, "delta", json_real(diff_delta(diff, row, log)));
			values_add(object, "ratio", isinf(ratio) ? json_null() : json_real(ratio));
		}
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *row_value(const struct diff *diff, uint32_t row)
{
	json_t *object = json_object();
	char buf[32];

	for (unsigned int i = 0; i < diff->options->sort_count; i++) {
		enum sort_key key = diff->options->sort[i];

		values_add(object, report_options_sort_name(key),
			   escape_json(diff_field(diff, row, key, buf)));
	}
	if (report_options_sorted_by(diff->options, SORT_SYMBOL))
		values_add(object, "kernel",
			   json_boolean(diff_key(diff, row)->flags & FRAME_KERNEL));
	values_add(object, "logs", parts(diff, row));
	return object;
}

static json_t *event_value(const struct diff *diff, const struct diff_event *event)
{
	json_t *object = json_object(), *rows = json_array(), *totals = json_array();

	for (uint32_t log = 0; log < diff->count; log++) {
		const struct profile_event *of = event->of[log];
		json_t *total = json_object();

		values_add(total, "events", values_whole(of ? of->events : 0));
		values_add(total, "samples", values_whole(of ? of->samples : 0));
		json_array_append_new(totals, total);
	}
	for (uint32_t at = 0; at < diff->shown; at++)
		if (diff_key(diff, diff->order[at])->event == event->name)
			json_array_append_new(rows, row_value(diff, diff->order[at]));
	values_add(object, "event", escape_json(intern_text(&diff->names, event->name)));
	values_add(object, "logs", totals);
	values_add(object, "rows", rows);
	return object;
}

void diff_json(const struct diff *diff)
{
	json_t *object = json_object(), *events = json_array();

	for (uint32_t i = 0; i < diff->event_count; i++)
		json_array_append_new(events, event_value(diff, &diff->events[i]));
	values_add(object, "logs", logs(diff));
	values_add(object, "events", events);
	values_print(diff->out, object);
}
