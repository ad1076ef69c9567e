// SPDX-License-Identifier: GPL-2.0-only
/* Results for people: the way perf stat shows them. */
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "run/stat_print.h"

static void begin(const struct report *report)
{
	if (report->intervals) {
		fprintf(report->out, "#%17s %18s      %s\n", "time", "counts", "events");
		return;
	}
	fprintf(report->out, "\n Performance counter stats for %s", report->title);
	if (report->runs > 1)
		fprintf(report->out, " (%ld runs)", report->runs);
	fputs(":\n\n", report->out);
}

static void metric(FILE *out, const struct metric *metric)
{
	fprintf(out, " # %*.*f%s %s", metric->percent ? 7 : 8, metric->digits, metric->value,
		metric->percent ? "%" : "", metric->unit);
}

static void where(const struct report *report, const struct place *place)
{
	if (place->kind == PLACE_CPU)
		fprintf(report->out, "%-6s", place->label);
	else if (place->kind == PLACE_THREAD)
		fprintf(report->out, "%24s", place->label);
}

static void row(const struct report *report, const struct row *row)
{
	char number[NUMBER_MAX], name[256];
	const char *letters = modifier_letters(row->event->modifiers);
	bool more = row->metric.unit || (row->variance >= 0 && row->grant == GRANT_YES);

	if (row->seconds >= 0)
		fprintf(report->out, "%18.9f ", row->seconds);
	where(report, row->place);
	snprintf(name, sizeof(name), "%s%s%s", row->event->name, *letters ? ":" : "", letters);
	fprintf(report->out, "%18s      %-*s", row_value(row, true, number), more ? 30 : 0, name);
	if (row->metric.unit)
		metric(report->out, &row->metric);
	if (row->variance >= 0 && row->grant == GRANT_YES)
		fprintf(report->out, "%*s ( +-%6.2f%% )", row->metric.unit ? 0 : 1, "",
			row->variance);
	fputc('\n', report->out);
}

static void end(const struct report *report, const struct ending *ending)
{
	if (report->intervals)
		return;
	if (ending->elapsed.count > 1)
		fprintf(report->out,
			"\n%18.6f +- %.6f seconds time elapsed  ( +-%6.2f%% )\n\n",
			ending->elapsed.mean, spread_error(&ending->elapsed),
			spread_percent(&ending->elapsed));
	else
		fprintf(report->out, "\n%18.9f seconds time elapsed\n\n", ending->elapsed.mean);
	if (ending->has_usage && ending->elapsed.count <= 1)
		fprintf(report->out, "%18.9f seconds user\n%18.9f seconds sys\n\n", ending->user,
			ending->sys);
}

const struct report_ops report_text = { .begin = begin, .row = row, .end = end };
