// SPDX-License-Identifier: GPL-2.0-only
/* The instructions of functions as CSV: a line for each event and instruction. */
#include <inttypes.h>
#include <stdio.h>

#include "report/annotate.h"
#include "report/csv.h"
#include "report/report.h"

static struct csv begin(const struct annotate *annotate)
{
	return (struct csv){
		.out = annotate->out,
		.separator = annotate->options->shared.separator,
	};
}

void annotate_csv_head(const struct annotate *annotate)
{
	static const char *const titles[] = {
		"event", "percent", "events", "samples", "symbol", "dso", "address",
		"instruction", "target", "srcline",
	};
	struct csv csv = begin(annotate);

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		csv_text(&csv, titles[i]);
	csv_end(&csv);
}

static void put_row(const struct annotate *annotate, const struct annotate_code *code,
		    uint32_t event, uint32_t row)
{
	const struct annotate_count *count = annotate_count(annotate, code, row, event);
	const struct function *function = annotate_function(annotate, code->function);
	const struct instruction *instruction = &code->code.list[row];
	const struct intern *names = &annotate->profile->names;
	struct csv csv = begin(annotate);

	csv_text(&csv, intern_text(names, annotate->profile->events[event].name));
	csv_number(&csv, "%.4f", annotate_percent(annotate, code, row, event));
	csv_number(&csv, "%" PRIu64, count->events);
	csv_number(&csv, "%" PRIu64, count->samples);
	csv_text(&csv, intern_text(names, function->symbol));
	csv_text(&csv, intern_text(names, function->dso));
	csv_number(&csv, "0x%" PRIx64, instruction->address);
	csv_text(&csv, instruction->text);
	if (instruction->jumps)
		csv_number(&csv, "0x%" PRIx64, instruction->target);
	else
		csv_text(&csv, intern_text(names, code->lines[row].name));
	csv_text(&csv, intern_text(names, code->lines[row].source));
	csv_end(&csv);
}

void annotate_csv(const struct annotate *annotate, const struct annotate_code *code)
{
	for (uint32_t event = 0; event < annotate->profile->event_count; event++) {
		if (!annotate_has_event(annotate, code->function, event))
			continue;
		for (uint32_t row = 0; row < code->code.count; row++)
			if (annotate_percent(annotate, code, row, event) >=
			    annotate->options->shared.limit)
				put_row(annotate, code, event, row);
	}
}
