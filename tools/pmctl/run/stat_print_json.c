// SPDX-License-Identifier: GPL-2.0-only
/* Results as JSON: one object per line, with the keys of perf stat -j. */
#include <jansson.h>

#include "base/escape.h"
#include "base/number.h"
#include "run/stat_print.h"

static void add(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

/* Returns the key of --per-core, --per-socket or --per-node, or NULL. */
static const char *group_of(const struct scope *scope)
{
	switch (scope->kind) {
	case SCOPE_CORE:
		return "core";
	case SCOPE_SOCKET:
		return "socket";
	case SCOPE_NODE:
		return "node";
	default:
		return NULL;
	}
}

static void add_scope(json_t *object, const struct scope *scope)
{
	const char *group = group_of(scope);

	if (scope->kind == SCOPE_CPU)
		add(object, "cpu", json_sprintf("%d", scope->number));
	else if (scope->kind == SCOPE_THREAD)
		add(object, "thread", escape_json(scope->label));
	if (!group)
		return;
	add(object, group, json_string(scope->label));
	add(object, "aggregate-number", json_integer(scope->cpus));
}

static void add_counted(json_t *object, const struct stat_row *row)
{
	if (row->grant != GRANT_YES)
		return;
	if (row->variance >= 0)
		add(object, "variance", json_real(row->variance));
	add(object, "event-runtime", json_integer((json_int_t)row->running));
	add(object, "pcnt-running", json_real(stat_print_percent_running(row)));
}

static json_t *metric_unit(const struct metric *metric)
{
	return json_sprintf("%s%s", metric->percent ? "% " : "", metric->unit);
}

static void row(const struct stat_printer *printer, const struct stat_row *row)
{
	json_t *object = json_object();
	char number[NUMBER_MAX], name[STAT_NAME_MAX];

	if (row->seconds >= 0)
		add(object, "interval", json_real(row->seconds));
	add_scope(object, row->scope);
	add(object, "counter-value", json_string(stat_print_value(row, false, 6, number)));
	add(object, "unit", json_string(stat_print_unit(row->event)));
	add(object, "event", escape_json(stat_print_name(row->event, name)));
	add_counted(object, row);
	if (row->metric.unit) {
		add(object, "metric-value", json_real(row->metric.value));
		add(object, "metric-unit", metric_unit(&row->metric));
	}
	json_dumpf(object, printer->out, JSON_REAL_PRECISION(12));
	fputc('\n', printer->out);
	json_decref(object);
}

const struct stat_printer_ops stat_print_json = { .row = row };
