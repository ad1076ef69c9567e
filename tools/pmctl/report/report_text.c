// SPDX-License-Identifier: GPL-2.0-only
/* A report as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "base/utf8.h"
#include "report/cell.h"
#include "report/report.h"

#define DEPTH_MAX	128	/* of a call graph */

static const char *const titles[SORT_COUNT] = {
	[SORT_COMM] = "Command", [SORT_PID] = "Pid",	     [SORT_TID] = "Tid",
	[SORT_DSO] = "Object",	 [SORT_SYMBOL] = "Symbol",   [SORT_SRCLINE] = "Source",
	[SORT_CPU] = "CPU",
};

static const char *field(const struct report *report, const struct table_row *row,
			 enum sort_key key, char buf[32])
{
	if (key == SORT_DSO)
		return path_last(intern_text(&report->profile->names, row->key.object));
	return report_field(report->profile, row, key, buf);
}

static void head(const struct report *report)
{
	report_machine(report->profile, report->out);
	if (report->options->inlines)
		fputs("# inlined functions have their own lines; --no-inline counts them for their callers\n",
		      report->out);
}

static void event_head(const struct report *report, const struct profile_event *event)
{
	char samples[NUMBER_MAX], events[REPORT_AMOUNT_MAX], lost[NUMBER_MAX];
	FILE *out = report->out;

	fputs("#\n# event '", out);
	utf8_put(out, intern_text(&report->profile->names, event->name));
	fprintf(out, "': %s samples, %s%s, %s lost", number_grouped(event->samples, samples),
		report_amount(event, event->events, events), event->off_cpu ? " off the CPU" : "",
		number_grouped(event->lost, lost));
	if (event->lost_events)
		fprintf(out, " (%s)", report_amount(event, event->lost_events, events));
	if (event->throttled)
		fprintf(out, ", throttled %" PRIu64 " times", event->throttled);
	if (event->throttled_events)
		fprintf(out, " (%.2f%% of the events)",
			report_percent(event, event->throttled_events));
	fputs("\n#\n", out);
}

static void measure(const struct report *report, uint32_t first, uint32_t count,
		    int *widths)
{
	const struct report_options *options = report->options;
	int most = cell_most(report->width);
	char buf[32];

	for (unsigned int i = 0; i < options->sort_count; i++) {
		enum sort_key key = options->sort[i];

		widths[i] = utf8_width(titles[key]);
		for (uint32_t at = first; at < first + count; at++) {
			int width = utf8_width(field(report, &report->table.rows[at], key, buf));

			if (key == SORT_SYMBOL)
				width += 4;
			if (width > widths[i])
				widths[i] = width;
		}
		if (widths[i] > most)
			widths[i] = most;
	}
}

static void column_head(const struct report *report, const int *widths)
{
	const struct report_options *options = report->options;
	FILE *out = report->out;

	if (options->quiet)
		return;
	fputs(options->children ? "#   Total     Self" : "#    Self", out);
	if (options->show_samples)
		fprintf(out, "  %9s", "Samples");
	for (unsigned int i = 0; i < options->sort_count; i++)
		fprintf(out, "  %-*s", i + 1 < options->sort_count ? widths[i] : 0,
			titles[options->sort[i]]);
	fputs("\n#\n", out);
}

/*
 * Prints the text cut to @room letters (0: not cut), and padded to @width. Returns the number of
 * letters.
 */
static int put_field(const struct report *report, const struct table_row *row, enum sort_key key,
		     int room, int width)
{
	FILE *out = report->out;
	int letters = 0;
	char buf[32];

	if (key == SORT_SYMBOL)
		letters = fprintf(out, "[%c] ", row->key.flags & FRAME_KERNEL ? 'k' : '.');
	letters += cell_put(out, field(report, row, key, buf), room ? room - letters : 0);
	if (letters < width)
		letters += fprintf(out, "%*s", width - letters, "");
	return letters;
}

static void row_line(const struct report *report, const struct profile_event *event,
		     const struct table_row *row, const int *widths)
{
	const struct report_options *options = report->options;
	FILE *out = report->out;
	int used = 0;

	if (options->children)
		used += fprintf(out, "%8.2f%%", report_percent(event, row->total));
	used += fprintf(out, "%*.2f%%", options->children ? 7 : 8,
			report_percent(event, row->self));
	if (options->show_samples)
		used += fprintf(out, "  %9" PRIu64,
				options->children ? row->total_samples : row->self_samples);
	for (unsigned int i = 0; i < options->sort_count; i++) {
		bool last = i + 1 == options->sort_count;

		used += fprintf(out, "  ");
		used += put_field(report, row, options->sort[i],
				  last ? cell_room(report->width, used) :
				  report->width ? widths[i] : 0, last ? 0 : widths[i]);
	}
	fputc('\n', out);
}

/* --- Call graphs */

struct graph {
	const struct report *report;
	const struct profile_event *event;
	double limit;
	bool more[DEPTH_MAX];	/* by depth: another branch follows below */
};

/* Returns the number of letters. */
static int indent(const struct graph *graph, int depth, const char *mark)
{
	FILE *out = graph->report->out;
	int letters = fprintf(out, "            ");

	for (int i = 0; i < depth; i++)
		letters += fprintf(out, "%s", graph->more[i] ? "|  " : "   ");
	return letters + fprintf(out, "%s", mark);
}

/* The line has @used letters. */
static void frame_name(const struct graph *graph, uint32_t node, int used)
{
	const struct profile *profile = graph->report->profile;
	uint32_t what = tree_node(&graph->report->table.graph, node).what;
	const struct frame *frame = profile_frame(profile, what);
	int width = graph->report->width;
	FILE *out = graph->report->out;

	used += frame->flags & FRAME_INLINED ? (int)strlen(" (inlined)") : 0;
	used += cell_put(out, intern_text(&profile->names, frame->symbol), cell_room(width, used));
	if (frame->source) {
		fputc(' ', out);
		cell_put(out, intern_text(&profile->names, frame->source),
			 cell_room(width, used + 1));
	}
	fputs(frame->flags & FRAME_INLINED ? " (inlined)\n" : "\n", out);
}

static uint32_t children_of(const struct graph *graph, uint32_t node, const uint32_t **list)
{
	const struct branches *branches = &graph->report->table.branches;
	uint32_t count = branches->first[node + 1] - branches->first[node], shown = 0;

	*list = branches->children + branches->first[node];
	/* The children are sorted, the largest first. */
	while (shown < count &&
	       report_percent(graph->event, branches->total[(*list)[shown]]) >= graph->limit)
		shown++;
	return shown;
}

/* A chain without branches is printed straight down, without percentages. */
static uint32_t straight(const struct graph *graph, uint32_t node, int depth)
{
	const struct branches *branches = &graph->report->table.branches;
	const uint32_t *list;

	while (children_of(graph, node, &list) == 1 &&
	       branches->total[list[0]] == branches->total[node]) {
		node = list[0];
		frame_name(graph, node, indent(graph, depth, "         "));
	}
	return node;
}

static void branch(struct graph *graph, uint32_t node, int depth)
{
	const struct branches *branches = &graph->report->table.branches;
	const uint32_t *list;
	uint32_t count = children_of(graph, node, &list);

	if (depth >= DEPTH_MAX - 1)
		return;
	for (uint32_t i = 0; i < count; i++) {
		bool last = i + 1 == count;
		int used;

		graph->more[depth] = !last;
		used = indent(graph, depth, last ? "`- " : "|- ");
		used += fprintf(graph->report->out, "%5.2f%% ",
				report_percent(graph->event, branches->total[list[i]]));
		frame_name(graph, list[i], used);
		/* The first line is at this depth, all others are one deeper. */
		branch(graph, straight(graph, list[i], depth + 1), depth + 1);
	}
}

static void call_graph(const struct report *report, const struct profile_event *event,
		       const struct table_row *row)
{
	struct graph graph = {
		.report = report,
		.event = event,
		.limit = report_options_graph_limit(report->options),
	};
	const uint32_t *list;

	if (row->root == NODE_NONE || !children_of(&graph, row->root, &list))
		return;
	branch(&graph, row->root, 0);
	fputc('\n', report->out);
}

static void section(const struct report *report, uint32_t number)
{
	const struct profile_event *event = &report->profile->events[number];
	uint32_t first, count = report_rows(report, number, &first);
	int widths[SORT_COUNT] = { 0 };

	if (!report->options->quiet)
		event_head(report, event);
	measure(report, first, count, widths);
	column_head(report, widths);
	for (uint32_t i = first; i < first + count; i++) {
		row_line(report, event, &report->table.rows[i], widths);
		call_graph(report, event, &report->table.rows[i]);
	}
	fputc('\n', report->out);
}

void report_text(const struct report *report)
{
	if (!report->options->quiet)
		head(report);
	for (uint32_t i = 0; i < report->profile->event_count; i++)
		if (report_shows_event(report, i))
			section(report, i);
}
