// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "run/stat_print.h"

const char *stat_print_unit(const struct event *event)
{
	return event->kind == KIND_TASK_CLOCK ? "msec" : "";
}

/* Rounded to nearest; @decimals is 6 or less. */
static void print_msec(uint64_t ns, bool grouped, int decimals, char *buf)
{
	uint64_t scale = 1, units;
	size_t length;

	for (int i = 0; i < decimals; i++)
		scale *= 10;
	units = (uint64_t)((double)ns * (double)scale / (double)NS_PER_MS + 0.5);
	if (grouped)
		number_grouped(units / scale, buf);
	else
		snprintf(buf, NUMBER_MAX, "%" PRIu64, units / scale);
	length = strlen(buf);
	if (decimals)
		snprintf(buf + length, NUMBER_MAX - length, ".%0*" PRIu64, decimals, units % scale);
}

const char *stat_print_number(const struct event *event, uint64_t value, bool grouped, int decimals,
			      char *buf)
{
	if (*stat_print_unit(event))
		print_msec(value, grouped, decimals, buf);
	else if (grouped)
		number_grouped(value, buf);
	else
		snprintf(buf, NUMBER_MAX, "%" PRIu64, value);
	return buf;
}

const char *stat_print_value(const struct stat_row *row, bool grouped, int decimals, char *buf)
{
	switch (row->grant) {
	case GRANT_NOT_SUPPORTED:
		return "<not supported>";
	case GRANT_NOT_COUNTED:
		return "<not counted>";
	default:
		return stat_print_number(row->event, row->value, grouped, decimals, buf);
	}
}

double stat_print_percent_running(const struct stat_row *row)
{
	return row->enabled ? 100.0 * (double)row->running / (double)row->enabled : 100.0;
}

const char *stat_print_name(const struct event *event, char *buf)
{
	const char *letters = modifier_letters(event->modifiers);

	snprintf(buf, STAT_NAME_MAX, "%s%s%s", event->name, *letters ? ":" : "", letters);
	return buf;
}
