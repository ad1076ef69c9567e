// SPDX-License-Identifier: GPL-2.0-only
/* Results as text, in the format of perf stat. */
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "run/stat_print.h"

static void begin(const struct stat_printer *printer)
{
	if (printer->intervals) {
		fprintf(printer->out, "#%17s %18s %-4s %s\n", "time", "counts", "unit", "events");
		return;
	}
	fprintf(printer->out, "\n Performance counter stats for %s", printer->title);
	if (printer->runs > 1)
		fprintf(printer->out, " (%ld runs)", printer->runs);
	fputs(":\n\n", printer->out);
}

static void metric(FILE *out, const struct metric *metric)
{
	fprintf(out, " # %*.*f%s %s", metric->percent ? 7 : 8, metric->digits, metric->value,
		metric->percent ? "%" : "", metric->unit);
}

static void where(const struct stat_printer *printer, const struct scope *scope)
{
	if (scope->kind == SCOPE_CPU)
		fprintf(printer->out, "%-6s", scope->label);
	else if (scope->kind == SCOPE_THREAD)
		fprintf(printer->out, "%24s", scope->label);
	else if (scope->cpus)
		fprintf(printer->out, "%-12s %5u ", scope->label, scope->cpus);
}

static void row(const struct stat_printer *printer, const struct stat_row *row)
{
	char number[NUMBER_MAX], name[STAT_NAME_MAX];
	bool more = row->metric.unit || (row->variance >= 0 && row->grant == GRANT_YES);

	if (row->seconds >= 0)
		fprintf(printer->out, "%18.9f ", row->seconds);
	where(printer, row->scope);
	fprintf(printer->out, "%18s %-4s %-*s", stat_print_value(row, true, 2, number),
		stat_print_unit(row->event), more ? 30 : 0, stat_print_name(row->event, name));
	if (row->metric.unit)
		metric(printer->out, &row->metric);
	if (row->variance >= 0 && row->grant == GRANT_YES)
		fprintf(printer->out, "%*s ( +-%6.2f%% )", row->metric.unit ? 0 : 1, "",
			row->variance);
	fputc('\n', printer->out);
}

static void end(const struct stat_printer *printer, const struct stat_ending *ending)
{
	if (printer->intervals)
		return;
	if (ending->elapsed.count > 1)
		fprintf(printer->out,
			"\n%18.6f +- %.6f seconds time elapsed  ( +-%6.2f%% )\n\n",
			ending->elapsed.mean, spread_error(&ending->elapsed),
			spread_percent(&ending->elapsed));
	else
		fprintf(printer->out, "\n%18.9f seconds time elapsed\n\n", ending->elapsed.mean);
	if (ending->has_usage && ending->elapsed.count <= 1)
		fprintf(printer->out, "%18.9f seconds user\n%18.9f seconds sys\n\n", ending->user,
			ending->sys);
}

const struct stat_printer_ops stat_print_text = { .begin = begin, .row = row, .end = end };
