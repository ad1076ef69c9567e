// SPDX-License-Identifier: GPL-2.0-only
/* A report as CSV: quoted as in RFC 4180, lines end in LF, a header line, no call graphs. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "report/report.h"

static void field(const struct report *report, bool first, const char *text)
{
	char *clean = utf8_clean(text);

	if (!first)
		fputs(report->options->separator, report->out);
	escape_csv(report->out, report->options->separator, clean);
	free(clean);
}

/* Numbers are quoted like texts: the separator may be '.'. */
static void number(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void number(const struct report *report, const char *format, ...)
{
	char text[64];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	field(report, false, text);
}

static void head(const struct report *report)
{
	const struct report_options *options = report->options;

	field(report, true, "event");
	field(report, false, "percent");
	field(report, false, "events");
	field(report, false, "samples");
	if (options->children) {
		field(report, false, "total-percent");
		field(report, false, "total-events");
		field(report, false, "total-samples");
	}
	for (unsigned int i = 0; i < options->sort_count; i++)
		field(report, false, report_options_sort_name(options->sort[i]));
	fputs("\n", report->out);
}

static void row(const struct report *report, const struct profile_event *event,
		const struct table_row *row)
{
	const struct report_options *options = report->options;
	char buf[32];

	field(report, true, intern_text(&report->profile->names, event->name));
	number(report, "%.4f", report_percent(event, row->self));
	number(report, "%" PRIu64, row->self);
	number(report, "%" PRIu64, row->self_samples);
	if (options->children) {
		number(report, "%.4f", report_percent(event, row->total));
		number(report, "%" PRIu64, row->total);
		number(report, "%" PRIu64, row->total_samples);
	}
	for (unsigned int i = 0; i < options->sort_count; i++)
		field(report, false,
		      report_field(report->profile, row, options->sort[i], buf));
	fputs("\n", report->out);
}

void report_csv(const struct report *report)
{
	head(report);
	for (uint32_t event = 0; event < report->profile->event_count; event++) {
		uint32_t first, count;

		if (!report_shows_event(report, event))
			continue;
		count = report_rows(report, event, &first);
		for (uint32_t i = first; i < first + count; i++)
			row(report, &report->profile->events[event], &report->table.rows[i]);
	}
}
