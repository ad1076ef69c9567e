// SPDX-License-Identifier: GPL-2.0-only
/* The instructions of functions as text, with source lines between and jumps as arrows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "report/annotate.h"
#include "report/arrows.h"
#include "report/report.h"

#define CONTEXT	3	/* instructions shown around one that --percent-limit keeps */
#define WIDTH_MIN	8	/* of a column of an event */
#define WIDTH_MAX	14
#define SAMPLES_WIDTH	9

static const char *name(const struct annotate *annotate, uint32_t id)
{
	return intern_text(&annotate->profile->names, id);
}

void annotate_text_head(const struct annotate *annotate)
{
	if (!annotate->options->shared.quiet)
		report_machine(annotate->profile, annotate->out);
}

static int width_of(const struct annotate *annotate, uint32_t event)
{
	int width = utf8_width(name(annotate, annotate->profile->events[event].name));

	return width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width;
}

static void event_line(const struct annotate *annotate, const struct annotate_code *code,
		       uint32_t number)
{
	const struct annotate_count *total = annotate_total(annotate, code->function, number);
	const struct profile_event *event = &annotate->profile->events[number];
	char part[NUMBER_MAX], all[NUMBER_MAX], samples[NUMBER_MAX];
	FILE *out = annotate->out;

	fputs("# event '", out);
	utf8_put(out, name(annotate, event->name));
	fprintf(out, "': %s of %s events (%.2f%%), %s samples\n",
		number_grouped(total->events, part), number_grouped(event->events, all),
		report_percent(event, total->events), number_grouped(total->samples, samples));
}

static void function_head(const struct annotate *annotate, const struct annotate_code *code)
{
	const struct function *function = annotate_function(annotate, code->function);
	FILE *out = annotate->out;

	fputs("#\n# ", out);
	utf8_put(out, name(annotate, function->symbol));
	fputs(" of ", out);
	utf8_put(out, name(annotate, function->dso));
	fputc('\n', out);
	for (uint32_t i = 0; i < annotate->profile->event_count; i++)
		if (annotate_has_event(annotate, code->function, i))
			event_line(annotate, code, i);
	fputs("#\n", out);
}

/* A text in a column, which is cut if it is too long. */
static void put_title(FILE *out, const char *text, int width)
{
	char *clean = utf8_clean(text);
	int given = utf8_width(clean);

	fprintf(out, " %*s%.*s", given < width ? width - given : 0, "", width, clean);
	free(clean);
}

static void column_head(const struct annotate *annotate, const struct annotate_code *code)
{
	uint32_t events = 0;
	FILE *out = annotate->out;

	for (uint32_t i = 0; i < annotate->profile->event_count; i++)
		events += annotate_has_event(annotate, code->function, i) ? 1 : 0;
	fputc('#', out);
	for (uint32_t i = 0; i < annotate->profile->event_count; i++) {
		if (!annotate_has_event(annotate, code->function, i))
			continue;
		/* The # is in the place of the first column's space. */
		put_title(out, events == 1 ? "Percent" :
			       name(annotate, annotate->profile->events[i].name),
			  width_of(annotate, i) - (i ? 0 : 1));
		if (annotate->options->shared.show_samples)
			fprintf(out, " %*s", SAMPLES_WIDTH, "Samples");
	}
	fputs("\n#\n", out);
}

/* The columns of the events; @row NO_ROW: empty ones. */
#define NO_ROW	UINT32_MAX

static void put_columns(const struct annotate *annotate, const struct annotate_code *code,
			uint32_t row)
{
	FILE *out = annotate->out;

	for (uint32_t i = 0; i < annotate->profile->event_count; i++) {
		const struct annotate_count *count;
		bool empty = row == NO_ROW;

		if (!annotate_has_event(annotate, code->function, i))
			continue;
		count = empty ? NULL : annotate_count(annotate, code, row, i);
		empty = empty || !count->samples;
		if (empty)
			fprintf(out, " %*s", width_of(annotate, i), "");
		else
			fprintf(out, " %*.2f%%", width_of(annotate, i) - 1,
				annotate_percent(annotate, code, row, i));
		if (annotate->options->shared.show_samples && empty)
			fprintf(out, " %*s", SAMPLES_WIDTH, "");
		else if (annotate->options->shared.show_samples)
			fprintf(out, " %*" PRIu64, SAMPLES_WIDTH, count->samples);
	}
	fputs(" | ", out);
}

/* Prints the source line of an instruction if it differs from that of the instruction before. */
static void put_source(const struct annotate *annotate, const struct annotate_code *code,
		       const struct arrows *arrows, uint32_t row, int digits)
{
	const struct annotate_line *line = &code->lines[row];
	char *between;

	if (!line->source || (row && line[-1].source == line->source &&
			      line[-1].inlined == line->inlined))
		return;
	between = arrows_between(arrows, row);
	put_columns(annotate, code, NO_ROW);
	fprintf(annotate->out, "%*s %s  ", digits + 1, "", between);
	utf8_put(annotate->out, name(annotate, line->source));
	if (line->inlined) {
		fputs(" (inlined ", annotate->out);
		utf8_put(annotate->out, name(annotate, line->inlined));
		fputc(')', annotate->out);
	}
	if (line->text) {
		fputs("  ", annotate->out);
		utf8_put(annotate->out, line->text);
	}
	fputc('\n', annotate->out);
	free(between);
}

static void put_instruction(const struct annotate *annotate, const struct annotate_code *code,
			    const struct arrows *arrows, uint32_t row, int digits)
{
	const struct instruction *instruction = &code->code.list[row];
	char *drawn = arrows_draw(arrows, &code->code, row);
	FILE *out = annotate->out;

	put_columns(annotate, code, row);
	fprintf(out, "%*" PRIx64 ": %s  ", digits, instruction->address, drawn);
	utf8_put(out, instruction->text);
	if (code->lines[row].name) {
		fputs(" <", out);
		utf8_put(out, name(annotate, code->lines[row].name));
		fputc('>', out);
	}
	fputc('\n', out);
	free(drawn);
}

/* By instruction: whether it, or one near it, reaches --percent-limit. */
static bool *choose_rows(const struct annotate *annotate, const struct annotate_code *code)
{
	bool *shown = xcalloc(code->code.count, sizeof(*shown));

	for (uint32_t row = 0; row < code->code.count; row++) {
		uint32_t first = row > CONTEXT ? row - CONTEXT : 0;

		if (annotate_largest(annotate, code, row) < annotate->options->shared.limit)
			continue;
		for (uint32_t i = first; i <= row + CONTEXT && i < code->code.count; i++)
			shown[i] = true;
	}
	return shown;
}

static int digits_of(uint64_t number)
{
	return snprintf(NULL, 0, "%" PRIx64, number);
}

void annotate_text(const struct annotate *annotate, const struct annotate_code *code)
{
	bool *shown = choose_rows(annotate, code);
	uint32_t count = code->code.count;
	struct arrows arrows;
	int digits = digits_of(code->code.list[count - 1].address);

	arrows_make(&arrows, &code->code);
	if (!annotate->options->shared.quiet) {
		function_head(annotate, code);
		column_head(annotate, code);
	}
	for (uint32_t row = 0; row < count; row++) {
		if (shown[row]) {
			put_source(annotate, code, &arrows, row, digits);
			put_instruction(annotate, code, &arrows, row, digits);
		} else if (!row || shown[row - 1]) {
			put_columns(annotate, code, NO_ROW);
			fputs("...\n", annotate->out);
		}
	}
	fputc('\n', annotate->out);
	arrows_free(&arrows);
	free(shown);
}
