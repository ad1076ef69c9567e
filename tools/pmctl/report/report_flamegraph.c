// SPDX-License-Identifier: GPL-2.0-only
/*
 * A flame graph as one SVG file without dependencies. It can be viewed and printed without its
 * script; the script adds zoom, search and keyboard navigation.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "base/utf8.h"
#include "report/report.h"
#include "report/shorten.h"
#include "report/stacks.h"

#define WIDTH		1200
#define MARGIN		10
#define ROW		18	/* distance of two rows of boxes */
#define BOX		17
#define HEAD		84
#define FOOT		34
#define LETTER		7.23	/* width of a letter of 12px monospace, about equal in all fonts */
#define TITLE_MAX	78	/* letters that fit beside the search field */
#define DEPTH_MAX	2000	/* higher boxes are not drawn */
#define LIMIT		0.01	/* percent: narrower boxes would be invisible */
#define NARROW		1.0	/* pixels: narrower boxes do not make the picture higher */

static const char script[] =
#include "flamegraph_script.inc"
	;

/*
 * Programs have warm colours, libraries are green, the kernel is blue: colour-blind readers can
 * distinguish them. All colours are light because the text on them is black.
 */
static const char style[] =
	"svg{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
	"#title{font-size:16px;font-weight:bold}"
	"text{fill:#111}.note{fill:#555}"
	"#boxes text{pointer-events:none}"
	"#boxes g{cursor:pointer;outline:none}"
	"#boxes g:hover rect,#boxes g:focus rect{stroke:#000;stroke-width:1.5}"
	"#boxes g.faded{opacity:.55}"
	"#boxes g.found rect{fill:#d946ef}"
	"#reset{cursor:pointer;text-decoration:underline}"
	"input{font:inherit;width:100%;box-sizing:border-box;padding:3px 6px;"
	"border:1px solid #888;border-radius:3px}"
	"@media print{#search,#reset{display:none}}";

/**
 * struct drawing - a flame graph being drawn
 * @report: the report to draw
 * @stacks: its stacks
 * @branches: of the stacks
 * @changes: since an older log; NULL if there is none to compare with
 * @out: the output
 * @limit: smaller boxes are left out, in events
 * @depth: depth of the deepest box that is not narrow
 * @height: height of the picture
 */
struct drawing {
	const struct report *report;
	struct stacks stacks;
	struct branches branches;
	const struct stacks_changes *changes;
	FILE *out;
	uint64_t limit;
	unsigned int depth;
	unsigned int height;
};

/* NULL: the graph shows none. */
static const struct profile_event *event_of(const struct drawing *drawing)
{
	uint32_t number = drawing->stacks.event;

	return number == NODE_NONE ? NULL : &drawing->report->profile->events[number];
}

static bool is_off_cpu(const struct drawing *drawing)
{
	return event_of(drawing) && event_of(drawing)->off_cpu;
}

static const char *name_of(const struct drawing *drawing, const struct stack_frame *frame)
{
	if (frame->kind == STACK_ROOT)
		return "all";
	return intern_text(&drawing->report->profile->names, frame->name);
}

/* A name has the same colour in all graphs. */
static unsigned int hash(const char *text)
{
	unsigned int value = 2166136261U;

	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * 16777619U;
	return value ^ value >> 15;
}

/*
 * Red has grown, blue has shrunk, grey is unchanged: by the samples of the function itself, so that
 * the function that changed has the colour and not all its callers.
 */
static void put_change_colour(const struct drawing *drawing, uint32_t node)
{
	double change = drawing->changes->self[node], largest = drawing->changes->largest;
	double part = largest > 0 ? change / largest : 0.0;
	int rest = (int)lround(240 - 150 * fabs(part));

	/* Blue has more green, because the text is black. */
	fprintf(drawing->out, "rgb(%d,%d,%d)", part > 0 ? 250 : rest,
		part < 0 ? rest + (240 - rest) / 3 : rest, part < 0 ? 250 : rest);
}

static void put_colour(const struct drawing *drawing, const struct stack_frame *frame)
{
	static const struct {
		int hue, range, saturation;
	} palette[] = {
		[STACK_ROOT] = { 0, 1, 0 },	  [STACK_COMM] = { 0, 1, 0 },
		[STACK_USER] = { 8, 32, 92 },	  [STACK_LIBRARY] = { 135, 24, 48 },
		[STACK_KERNEL] = { 200, 26, 78 },
		[STACK_INLINED] = { 56, 14, 72 }, [STACK_NAMELESS] = { 0, 1, 6 },
	};
	unsigned int value = hash(name_of(drawing, frame));
	unsigned int hue = (unsigned int)palette[frame->kind].hue +
			   value % (unsigned int)palette[frame->kind].range;
	unsigned int light = frame->kind == STACK_ROOT || frame->kind == STACK_COMM ?
				     86 : 66 + value / 64 % 10;

	fprintf(drawing->out, "hsl(%u,%d%%,%u%%)", hue, palette[frame->kind].saturation, light);
}

static void put_label(const struct drawing *drawing, const char *name, double width)
{
	size_t room = width > 10 ? (size_t)((width - 6) / LETTER) : 0;
	char *label;

	if (room < 3)
		return;
	label = shorten_name(name, room);
	escape_xml(drawing->out, label);
	free(label);
}

static void put_tip(const struct drawing *drawing, uint32_t node, const char *name)
{
	const struct stack_frame *frame = stacks_frame(&drawing->stacks, node);
	const struct profile *profile = drawing->report->profile;
	uint64_t all = drawing->branches.total[0], total = drawing->branches.total[node];
	char events[REPORT_AMOUNT_MAX], samples[NUMBER_MAX];

	escape_xml(drawing->out, name);
	if (frame->object) {
		fputs(" (", drawing->out);
		escape_xml(drawing->out, path_last(intern_text(&profile->names, frame->object)));
		fputs(frame->kind == STACK_INLINED ? ", inlined)" : ")", drawing->out);
	}
	/* There is an event, since it has boxes. */
	fprintf(drawing->out, ": %.2f%%, %s, %s samples",
		all ? 100.0 * (double)total / (double)all : 0.0,
		report_amount(event_of(drawing), total, events),
		number_grouped(drawing->branches.samples[node], samples));
	if (drawing->changes)
		fprintf(drawing->out, "; %+.2f points, itself %+.2f", drawing->changes->total[node],
			drawing->changes->self[node]);
}

/* @left: events of the boxes to its left. The unit of data-x and data-w is a millionth. */
static void put_box(const struct drawing *drawing, uint32_t node, uint64_t left,
		    unsigned int depth)
{
	double all = (double)drawing->branches.total[0], scale = (WIDTH - 2 * MARGIN) / all;
	double x = MARGIN + (double)left * scale;
	double width = (double)drawing->branches.total[node] * scale;
	/* Narrow boxes above the picture are not shown unless the script zooms. */
	bool hidden = depth > drawing->depth;
	unsigned int y = drawing->height - FOOT - (hidden ? 1 : depth + 1) * ROW;
	const struct stack_frame *frame = stacks_frame(&drawing->stacks, node);
	const char *name = name_of(drawing, frame);
	FILE *out = drawing->out;

	fprintf(out, "<g data-x=\"%.4f\" data-w=\"%.4f\" data-d=\"%u\" data-n=\"",
		(double)left * 1e6 / all, (double)drawing->branches.total[node] * 1e6 / all, depth);
	escape_xml(out, name);
	fputs(hidden ? "\" style=\"display:none\"><title>" : "\"><title>", out);
	put_tip(drawing, node, name);
	fprintf(out, "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" rx=\"1.5\" fill=\"",
		x, y, width > 0.6 ? width - 0.5 : 0.3, BOX);
	if (drawing->changes)
		put_change_colour(drawing, node);
	else
		put_colour(drawing, frame);
	fprintf(out, "\"/><text x=\"%.2f\" y=\"%u\">", x + 3, y + 13);
	put_label(drawing, name, width);
	fputs("</text></g>\n", out);
}

/* Boxes are sorted by name, so that two graphs can be compared. */
static int by_name(const void *left, const void *right, void *context)
{
	const struct drawing *drawing = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = strcmp(name_of(drawing, stacks_frame(&drawing->stacks, a)),
			   name_of(drawing, stacks_frame(&drawing->stacks, b)));

	return order ? order : a < b ? -1 : 1;
}

/* The children that are large enough. They are sorted, the largest first. */
static uint32_t shown_children(const struct drawing *drawing, uint32_t node, uint32_t **list)
{
	const struct branches *branches = &drawing->branches;
	uint32_t count = branches->first[node + 1] - branches->first[node], shown = 0;

	*list = branches->children + branches->first[node];
	while (shown < count && branches->total[(*list)[shown]] >= drawing->limit)
		shown++;
	return shown;
}

static bool is_narrow(const struct drawing *drawing, uint32_t node)
{
	double share = (double)drawing->branches.total[node] / (double)drawing->branches.total[0];

	return share * (WIDTH - 2 * MARGIN) < NARROW;
}

static void measure(struct drawing *drawing, uint32_t node, unsigned int depth)
{
	uint32_t *list, count = shown_children(drawing, node, &list);

	if (depth > drawing->depth && !is_narrow(drawing, node))
		drawing->depth = depth;
	if (depth == DEPTH_MAX)
		return;
	for (uint32_t i = 0; i < count; i++)
		measure(drawing, list[i], depth + 1);
	if (count > 1)
		qsort_r(list, count, sizeof(*list), by_name, drawing);
}

/* measure() has sorted the children that are shown by name; the small ones follow them. */
static void draw(const struct drawing *drawing, uint32_t node, uint64_t left, unsigned int depth)
{
	const struct branches *branches = &drawing->branches;

	put_box(drawing, node, left, depth);
	for (uint32_t i = branches->first[node]; i < branches->first[node + 1]; i++) {
		uint32_t child = branches->children[i];

		if (branches->total[child] < drawing->limit || depth == DEPTH_MAX)
			break;
		draw(drawing, child, left, depth + 1);
		left = number_sum(left, branches->total[child]);
	}
}

/* A colour and what it means. */
struct key {
	const char *name;
	const char *colour;
};

static void put_key(const struct drawing *drawing)
{
	static const struct key changed[] = {
		{ "grew", "rgb(250,90,90)" },
		{ "as before", "rgb(240,240,240)" },
		{ "shrank", "rgb(90,140,250)" },
		{ NULL, NULL },
	}, kinds[] = {
		{ "program", "hsl(24,92%,70%)" },
		{ "library", "hsl(147,48%,70%)" },
		{ "inlined", "hsl(62,72%,70%)" },
		{ "kernel", "hsl(212,78%,72%)" },
		{ "no symbol", "hsl(0,6%,70%)" },
		{ NULL, NULL },
	};
	const struct key *keys = drawing->changes ? changed : kinds;
	int x = MARGIN;

	for (size_t i = 0; keys[i].name; i++, x += 96)
		fprintf(drawing->out,
			"<rect x=\"%d\" y=\"54\" width=\"12\" height=\"12\" rx=\"1.5\" fill=\"%s\"/>"
			"<text x=\"%d\" y=\"64\" class=\"note\">%s</text>\n",
			x, keys[i].colour, x + 17, keys[i].name);
}

static void put_title(const struct drawing *drawing)
{
	const struct profile *profile = drawing->report->profile;
	const char *command = intern_text(&profile->names, profile->command);
	char *title = xstrdup(*command ? command : "Flame graph");

	if (is_off_cpu(drawing)) {
		char *command_line = title;

		title = xasprintf("Off-CPU time: %s", command_line);
		free(command_line);
	}
	/* A longer title would overlap the search field. */
	if (strlen(title) > TITLE_MAX)
		strcpy(title + TITLE_MAX - 2, "..");
	escape_xml(drawing->out, title);
	free(title);
}

static void put_subtitle(const struct drawing *drawing)
{
	const struct profile *profile = drawing->report->profile;
	const struct profile_event *event = event_of(drawing);
	char samples[NUMBER_MAX], events[REPORT_AMOUNT_MAX], lost[NUMBER_MAX];

	if (!event)
		return;
	escape_xml(drawing->out, intern_text(&profile->names, event->name));
	fprintf(drawing->out, ": %s samples, %s%s",
		number_grouped(drawing->branches.samples[0], samples),
		report_amount(event, drawing->branches.total[0], events),
		event->off_cpu ? " off the CPU" : "");
	if (event->lost)
		fprintf(drawing->out, ", %s lost", number_grouped(event->lost, lost));
	if (event->throttled_events)
		fprintf(drawing->out, ", %.2f%% throttled",
			report_percent(event, event->throttled_events));
	if (drawing->changes)
		fprintf(drawing->out, "; stacks that are gone had %.2f%%", drawing->changes->gone);
	if (profile->host) {
		fputs("; on ", drawing->out);
		escape_xml(drawing->out, intern_text(&profile->names, profile->host));
		fputs(", Linux ", drawing->out);
		escape_xml(drawing->out, intern_text(&profile->names, profile->release));
	}
}

static void put_head(const struct drawing *drawing)
{
	FILE *out = drawing->out;

	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"viewBox=\"0 0 %d %u\" role=\"application\" aria-labelledby=\"title\" data-margin=\"%d\" "
		"data-row=\"%d\" data-head=\"%d\" data-foot=\"%d\" data-letter=\"%.2f\">\n<style>%s</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		"<text id=\"title\" x=\"%d\" y=\"24\">",
		WIDTH, drawing->height, WIDTH, drawing->height, MARGIN, ROW, HEAD, FOOT, LETTER,
		style, MARGIN);
	put_title(drawing);
	fprintf(out, "</text>\n<text x=\"%d\" y=\"42\" class=\"note\">", MARGIN);
	put_subtitle(drawing);
	fputs("</text>\n", out);
	put_key(drawing);
}

static void put_foot(const struct drawing *drawing)
{
	FILE *out = drawing->out;

	fprintf(out,
		"<text id=\"status\" x=\"%d\" y=\"%u\" aria-live=\"polite\">"
		"Width is the share of %s%s; callers are below their callees.</text>\n"
		"<script type=\"text/javascript\"><![CDATA[\n%s]]></script>\n</svg>\n",
		MARGIN, drawing->height - 12,
		is_off_cpu(drawing) ? "off-CPU time" : "events",
		drawing->changes ? " in the new log" : "", script);
}

static void draw_all(struct drawing *drawing)
{
	put_head(drawing);
	fputs("<g id=\"boxes\">\n", drawing->out);
	if (drawing->branches.total[0])
		draw(drawing, 0, 0, 0);
	fputs("</g>\n", drawing->out);
	put_foot(drawing);
}

static void flamegraph(const struct report *report, struct profile *profile,
		       const struct report *old, FILE *out)
{
	const struct report_options *options = report->options;
	double limit = options->limit_given ? options->limit : LIMIT;
	struct drawing drawing = { .report = report, .out = out };
	struct stacks_changes changes = { 0 };

	stacks_make(&drawing.stacks, report);
	if (old) {
		stacks_compare(&changes, &drawing.stacks, profile, old);
		drawing.changes = &changes;
	}
	branches_make(&drawing.branches, &drawing.stacks.tree, NULL);
	drawing.limit = (uint64_t)((double)drawing.branches.total[0] * limit / 100);
	if (!drawing.limit)
		drawing.limit = 1;
	measure(&drawing, 0, 0);
	drawing.height = HEAD + (drawing.depth + 1) * ROW + FOOT;
	draw_all(&drawing);
	stacks_changes_free(&changes);
	branches_free(&drawing.branches);
	stacks_free(&drawing.stacks);
}

static int draw_to(const struct report *report, struct profile *profile, const struct report *old,
		   const char *path)
{
	FILE *out;
	int lost;

	if (!strcmp(path, "-")) {
		flamegraph(report, profile, old, report->out);
		return 0;
	}
	out = fopen(path, "we");
	if (!out) {
		error("cannot write '%s': %s", path, strerror(errno));
		return -1;
	}
	flamegraph(report, profile, old, out);
	lost = ferror(out);
	lost |= fclose(out);
	if (lost)
		error("cannot write all of '%s': %s", path, strerror(errno));
	return lost ? -1 : 0;
}

int report_flamegraph(const struct report *report, const char *path)
{
	return draw_to(report, NULL, NULL, path);
}

int report_flamegraph_diff(const struct report *report, struct profile *profile,
			   const struct report *old, const char *path)
{
	return draw_to(report, profile, old, path);
}
