// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "run/stat_print.h"

const char *stat_print_unit(const struct event *event)
{
	return event->kind == KIND_TASK_CLOCK || event->kind == KIND_OFF_CPU ? "msec" : "";
}

const char *stat_print_number(const struct event *event, uint64_t value, bool grouped, int decimals,
			      char *buf)
{
	if (*stat_print_unit(event))
		number_msec(value, grouped, decimals, buf);
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
