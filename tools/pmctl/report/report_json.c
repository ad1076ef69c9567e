// SPDX-License-Identifier: GPL-2.0-only
/* A report as one JSON value. */
#include <inttypes.h>
#include <jansson.h>

#include "base/escape.h"
#include "report/report.h"

#define DEPTH_MAX	1000	/* jansson's own limit is 2048 */

static void add(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

/* A text from 2^53 on: JSON readers may round larger numbers. */
static json_t *whole(uint64_t number)
{
	return number >> 53 ? json_sprintf("%" PRIu64, number) : json_integer((json_int_t)number);
}

static json_t *name(const struct report *report, uint32_t id)
{
	return escape_json(intern_text(&report->profile->names, id));
}

static void add_frame(const struct report *report, json_t *object, uint32_t id)
{
	const struct frame *frame = profile_frame(report->profile, id);

	add(object, "symbol", name(report, frame->symbol));
	add(object, "dso", name(report, frame->object));
	if (frame->source)
		add(object, "srcline", name(report, frame->source));
	if (frame->flags & FRAME_INLINED)
		add(object, "inlined", json_true());
	if (frame->flags & FRAME_KERNEL)
		add(object, "kernel", json_true());
}

static json_t *branches(const struct report *report, const struct profile_event *event,
			uint32_t node, int depth)
{
	const struct branches *below = &report->table.branches;
	json_t *list = json_array();

	for (uint32_t i = below->first[node]; i < below->first[node + 1]; i++) {
		uint32_t child = below->children[i];
		double percent = report_percent(event, below->total[child]);
		json_t *object;

		if (percent < report_options_graph_limit(report->options) || depth == DEPTH_MAX)
			break;
		object = json_object();
		add_frame(report, object, tree_node(&report->table.graph, child).what);
		add(object, "percent", json_real(percent));
		add(object, "events", whole(below->total[child]));
		add(object, "samples", whole(below->samples[child]));
		if (below->first[child] != below->first[child + 1])
			add(object, "children", branches(report, event, child, depth + 1));
		json_array_append_new(list, object);
	}
	return list;
}

static void add_key(const struct report *report, json_t *object,
		    const struct table_row *row, enum sort_key key)
{
	const struct group *group = profile_group(report->profile, row->key.group);
	char buf[32];

	switch (key) {
	case SORT_PID:
		add(object, "pid", json_integer((int32_t)group->pid));
		break;
	case SORT_TID:
		add(object, "tid", json_integer((int32_t)group->tid));
		break;
	case SORT_CPU:
		add(object, "cpu", json_integer(group->cpu));
		break;
	default:
		add(object, report_options_sort_name(key),
		    escape_json(report_field(report->profile, row, key, buf)));
	}
}

static json_t *row(const struct report *report, const struct profile_event *event,
		   const struct table_row *row)
{
	const struct report_options *options = report->options;
	json_t *object = json_object();

	add(object, "percent", json_real(report_percent(event, row->self)));
	add(object, "events", whole(row->self));
	add(object, "samples", whole(row->self_samples));
	if (options->children) {
		add(object, "total-percent", json_real(report_percent(event, row->total)));
		add(object, "total-events", whole(row->total));
		add(object, "total-samples", whole(row->total_samples));
	}
	for (unsigned int i = 0; i < options->sort_count; i++)
		add_key(report, object, row, options->sort[i]);
	if (report_options_sorted_by(options, SORT_SYMBOL))
		add(object, "kernel", json_boolean(row->key.flags & FRAME_KERNEL));
	if (row->root != NODE_NONE)
		add(object, options->graph == GRAPH_CALLERS ? "callers" : "callees",
		    branches(report, event, row->root, 0));
	return object;
}

static json_t *section(const struct report *report, uint32_t number)
{
	const struct profile_event *event = &report->profile->events[number];
	uint32_t first, count = report_rows(report, number, &first);
	json_t *object = json_object(), *rows = json_array();

	add(object, "event", name(report, event->name));
	add(object, "samples", whole(event->samples));
	add(object, "events", whole(event->events));
	add(object, "lost", whole(event->lost));
	add(object, "lost-events", whole(event->lost_events));
	add(object, "throttled", whole(event->throttled));
	add(object, "throttled-events", whole(event->throttled_events));
	for (uint32_t i = first; i < first + count; i++)
		json_array_append_new(rows, row(report, event, &report->table.rows[i]));
	add(object, "rows", rows);
	return object;
}

void report_json(const struct report *report)
{
	const struct profile *profile = report->profile;
	json_t *object = json_object(), *events = json_array();

	add(object, "host", name(report, profile->host));
	add(object, "release", name(report, profile->release));
	add(object, "machine", name(report, profile->machine));
	add(object, "command", name(report, profile->command));
	for (uint32_t i = 0; i < profile->event_count; i++)
		if (report_shows_event(report, i))
			json_array_append_new(events, section(report, i));
	add(object, "events", events);
	json_dumpf(object, report->out, JSON_REAL_PRECISION(8));
	fputc('\n', report->out);
	json_decref(object);
}
