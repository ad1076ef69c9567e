// SPDX-License-Identifier: GPL-2.0-only
/* The difference of logs as CSV: a line for each row, with the fields of each log. */
#include <inttypes.h>
#include <math.h>

#include "report/csv.h"
#include "report/diff.h"

static struct csv begin(const struct diff *diff)
{
	return (struct csv){ .out = diff->out, .separator = diff->options->separator };
}

static void put_head(const struct diff *diff)
{
	struct csv csv = begin(diff);

	csv_text(&csv, "event");
	csv_text(&csv, "old-percent");
	csv_text(&csv, "old-events");
	csv_text(&csv, "old-samples");
	for (uint32_t log = 1; log < diff->count; log++) {
		char number[16] = "";

		if (log > 1)
			snprintf(number, sizeof(number), "%" PRIu32, log);
		csv_number(&csv, "new%s-percent", number);
		csv_number(&csv, "new%s-events", number);
		csv_number(&csv, "new%s-samples", number);
		csv_number(&csv, "delta%s", number);
		csv_number(&csv, "ratio%s", number);
	}
	for (unsigned int i = 0; i < diff->options->sort_count; i++)
		csv_text(&csv, report_options_sort_name(diff->options->sort[i]));
	csv_end(&csv);
}

static void put_part(struct csv *csv, const struct diff_part *part)
{
	csv_number(csv, "%.4f", part->percent);
	csv_number(csv, "%" PRIu64, part->events);
	csv_number(csv, "%" PRIu64, part->samples);
}

static void put_row(const struct diff *diff, uint32_t row)
{
	struct csv csv = begin(diff);
	char buf[32];

	csv_text(&csv, intern_text(&diff->names, diff_key(diff, row)->event));
	put_part(&csv, diff_part(diff, row, 0));
	for (uint32_t log = 1; log < diff->count; log++) {
		double ratio = diff_ratio(diff, row, log);

		put_part(&csv, diff_part(diff, row, log));
		csv_number(&csv, "%.4f", diff_delta(diff, row, log));
		/* Empty for a place that is new. */
		if (isinf(ratio))
			csv_text(&csv, "");
		else
			csv_number(&csv, "%.4f", ratio);
	}
	for (unsigned int i = 0; i < diff->options->sort_count; i++)
		csv_text(&csv, diff_field(diff, row, diff->options->sort[i], buf));
	csv_end(&csv);
}

void diff_csv(const struct diff *diff)
{
	put_head(diff);
	for (uint32_t at = 0; at < diff->shown; at++)
		put_row(diff, diff->order[at]);
}
