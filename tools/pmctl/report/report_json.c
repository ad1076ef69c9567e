// SPDX-License-Identifier: GPL-2.0-only
/* A report as one JSON value. */
#include "base/escape.h"
#include "report/report.h"
#include "report/values.h"

#define DEPTH_MAX	1000	/* jansson's own limit is 2048 */

static void add_frame(const struct report *report, json_t *object, uint32_t id)
{
	const struct frame *frame = profile_frame(report->profile, id);

	values_add(object, "symbol", values_name(report->profile, frame->symbol));
	values_add(object, "dso", values_name(report->profile, frame->object));
	if (frame->source)
		values_add(object, "srcline", values_name(report->profile, frame->source));
	if (frame->flags & FRAME_INLINED)
		values_add(object, "inlined", json_true());
	if (frame->flags & FRAME_KERNEL)
		values_add(object, "kernel", json_true());
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
		values_add(object, "percent", json_real(percent));
		values_add(object, "events", values_whole(below->total[child]));
		values_add(object, "samples", values_whole(below->samples[child]));
		if (below->first[child] != below->first[child + 1])
			values_add(object, "children", branches(report, event, child, depth + 1));
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
		values_add(object, "pid", json_integer((int32_t)group->pid));
		break;
	case SORT_TID:
		values_add(object, "tid", json_integer((int32_t)group->tid));
		break;
	case SORT_CPU:
		values_add(object, "cpu", json_integer(group->cpu));
		break;
	default:
		values_add(object, report_options_sort_name(key),
			   escape_json(report_field(report->profile, row, key, buf)));
	}
}

static json_t *row(const struct report *report, const struct profile_event *event,
		   const struct table_row *row)
{
	const struct report_options *options = report->options;
	json_t *object = json_object();

	values_add(object, "percent", json_real(report_percent(event, row->self)));
	values_add(object, "events", values_whole(row->self));
	values_add(object, "samples", values_whole(row->self_samples));
	if (options->children) {
		values_add(object, "total-percent", json_real(report_percent(event, row->total)));
		values_add(object, "total-events", values_whole(row->total));
		values_add(object, "total-samples", values_whole(row->total_samples));
	}
	for (unsigned int i = 0; i < options->sort_count; i++)
		add_key(report, object, row, options->sort[i]);
	if (report_options_sorted_by(options, SORT_SYMBOL))
		values_add(object, "kernel", json_boolean(row->key.flags & FRAME_KERNEL));
	if (row->root != NODE_NONE)
		values_add(object, options->graph == GRAPH_CALLERS ? "callers" : "callees",
			   branches(report, event, row->root, 0));
	return object;
}

static json_t *section(const struct report *report, uint32_t number)
{
	const struct profile_event *event = &report->profile->events[number];
	uint32_t first, count = report_rows(report, number, &first);
	json_t *object = json_object(), *rows = json_array();

	values_add(object, "event", values_name(report->profile, event->name));
	values_add(object, "samples", values_whole(event->samples));
	values_add(object, "events", values_whole(event->events));
	values_add(object, "lost", values_whole(event->lost));
	values_add(object, "lost-events", values_whole(event->lost_events));
	values_add(object, "throttled", values_whole(event->throttled));
	values_add(object, "throttled-events", values_whole(event->throttled_events));
	for (uint32_t i = first; i < first + count; i++)
		json_array_append_new(rows, row(report, event, &report->table.rows[i]));
	values_add(object, "rows", rows);
	return object;
}

void report_json(const struct report *report)
{
	const struct profile *profile = report->profile;
	json_t *object = json_object(), *events = json_array();

	values_add_machine(object, profile);
	for (uint32_t i = 0; i < profile->event_count; i++)
		if (report_shows_event(report, i))
			json_array_append_new(events, section(report, i));
	values_add(object, "events", events);
	values_print(report->out, object);
}
