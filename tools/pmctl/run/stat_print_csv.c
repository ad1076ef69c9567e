// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results as CSV, with the columns of perf stat: [time,] [CPU or thread,] or [core, socket or node,
 * number of its CPUs,] value, unit, event with
 * its modifiers, [variance with -r,] runtime, percent running, metric, unit of the metric. All
 * rows of an output have the same fields. A field without a value is empty.
 */
#include <inttypes.h>
#include <stdarg.h>

#include "base/escape.h"
#include "base/number.h"
#include "run/stat_print.h"

static void field(const struct stat_printer *printer, const char *text)
{
	escape_csv(printer->out, printer->separator, text);
	fputs(printer->separator, printer->out);
}

/* Numbers are quoted like texts: the separator may be '.'. */
static void number_field(const struct stat_printer *printer, bool there, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void number_field(const struct stat_printer *printer, bool there, const char *format, ...)
{
	char text[64] = "";
	va_list args;

	va_start(args, format);
	if (there)
		vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	field(printer, text);
}

static void row(const struct stat_printer *printer, const struct stat_row *row)
{
	char number[NUMBER_MAX], name[STAT_NAME_MAX];
	const char *unit = row->metric.unit ? row->metric.unit : "";
	char percent_unit[64];

	if (row->seconds >= 0)
		number_field(printer, true, "%16.9f", row->seconds);
	if (row->scope->label)
		field(printer, row->scope->label);
	if (row->scope->cpus)
		number_field(printer, true, "%u", row->scope->cpus);
	field(printer, stat_print_value(row, false, 2, number));
	field(printer, stat_print_unit(row->event));
	field(printer, stat_print_name(row->event, name));
	if (printer->runs > 1)
		number_field(printer, true, "%.2f%%", row->variance);
	number_field(printer, true, "%" PRIu64, row->running);
	number_field(printer, true, "%.2f", stat_print_percent_running(row));
	number_field(printer, row->metric.unit, "%.*f", row->metric.digits, row->metric.value);
	snprintf(percent_unit, sizeof(percent_unit), "%s%s", row->metric.percent ? "% " : "", unit);
	escape_csv(printer->out, printer->separator, percent_unit);
	fputc('\n', printer->out);
}

const struct stat_printer_ops stat_print_csv = { .row = row };
