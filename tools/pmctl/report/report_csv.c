// SPDX-License-Identifier: GPL-2.0-only
/* A report as CSV: quoted as in RFC 4180, lines end in LF, a header line, no call graphs. */
#include <inttypes.h>

#include "report/csv.h"
#include "report/report.h"

static void head(const struct report *report, struct csv *csv)
{
	const struct report_options *options = report->options;

	csv_text(csv, "event");
	csv_text(csv, "percent");
	csv_text(csv, "events");
	csv_text(csv, "samples");
	if (options->children) {
		csv_text(csv, "total-percent");
		csv_text(csv, "total-events");
		csv_text(csv, "total-samples");
	}
	for (unsigned int i = 0; i < options->sort_count; i++)
		csv_text(csv, report_options_sort_name(options->sort[i]));
	csv_end(csv);
}

static void row(const struct report *report, struct csv *csv, const struct profile_event *event,
		const struct table_row *row)
{
	const struct report_options *options = report->options;
	char buf[32];

	csv_text(csv, intern_text(&report->profile->names, event->name));
	csv_number(csv, "%.4f", report_percent(event, row->self));
	csv_number(csv, "%" PRIu64, row->self);
	csv_number(csv, "%" PRIu64, row->self_samples);
	if (options->children) {
		csv_number(csv, "%.4f", report_percent(event, row->total));
		csv_number(csv, "%" PRIu64, row->total);
		csv_number(csv, "%" PRIu64, row->total_samples);
	}
	for (unsigned int i = 0; i < options->sort_count; i++)
		csv_text(csv, report_field(report->profile, row, options->sort[i], buf));
	csv_end(csv);
}

void report_csv(const struct report *report)
{
	struct csv csv = { .out = report->out, .separator = report->options->separator };

	head(report, &csv);
	for (uint32_t event = 0; event < report->profile->event_count; event++) {
		uint32_t first, count;

		if (!report_shows_event(report, event))
			continue;
		count = report_rows(report, event, &first);
		for (uint32_t i = first; i < first + count; i++)
			row(report, &csv, &report->profile->events[event],
			    &report->table.rows[i]);
	}
}
