// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "base/number.h"
#include "run/stat_print.h"

const char *stat_print_value(const struct stat_row *row, bool grouped, char *buf)
{
	switch (row->grant) {
	case GRANT_NOT_SUPPORTED:
		return "<not supported>";
	case GRANT_NOT_COUNTED:
		return "<not counted>";
	default:
		break;
	}
	if (grouped)
		return number_grouped(row->value, buf);
	snprintf(buf, NUMBER_MAX, "%" PRIu64, row->value);
	return buf;
}

double stat_print_percent_running(const struct stat_row *row)
{
	return row->enabled ? 100.0 * (double)row->running / (double)row->enabled : 0.0;
}
