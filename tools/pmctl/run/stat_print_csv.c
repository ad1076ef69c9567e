// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results for programs. Each row has the same fields: [time,] [CPU or thread,]
 * value, unit, event, modifiers, variance, runtime, percent running, metric, its
 * unit. What there is not is empty.
 */
#include <inttypes.h>
#include <stdarg.h>

#include "base/escape.h"
#include "base/number.h"
#include "run/stat_print.h"

static void field(const struct report *report, const char *text)
{
	escape_csv(report->out, report->separator, text);
	fputs(report->separator, report->out);
}

/* Numbers too go through the quoting: the separator may be a '.'. */
static void number_field(const struct report *report, bool there, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void number_field(const struct report *report, bool there, const char *format, ...)
{
	char text[64] = "";
	va_list args;

	va_start(args, format);
	if (there)
		vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	field(report, text);
}

static void row(const struct report *report, const struct row *row)
{
	bool counted = row->grant == GRANT_YES;
	char number[NUMBER_MAX];
	const char *unit = row->metric.unit ? row->metric.unit : "";
	char percent_unit[64];

	if (row->seconds >= 0)
		number_field(report, true, "%.9f", row->seconds);
	if (row->place->label)
		field(report, row->place->label);
	field(report, row_value(row, false, number));
	field(report, "");
	field(report, row->event->name);
	field(report, modifier_letters(row->event->modifiers));
	number_field(report, counted && row->variance >= 0, "%.2f%%", row->variance);
	number_field(report, counted, "%" PRIu64, row->running);
	number_field(report, counted, "%.2f", row_percent_running(row));
	number_field(report, row->metric.unit, "%.*f", row->metric.digits, row->metric.value);
	snprintf(percent_unit, sizeof(percent_unit), "%s%s", row->metric.percent ? "% " : "", unit);
	escape_csv(report->out, report->separator, percent_unit);
	fputc('\n', report->out);
}

const struct report_ops report_csv = { .row = row };
