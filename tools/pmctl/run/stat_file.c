// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of pmctl stat record: a line with the title, one for each row of results, and one for
 * what is below them, each a JSON object. Read by pmctl stat report.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/memory.h"
#include "run/stat_file.h"

#define VERSION	1

static void put(const struct stat_printer *printer, json_t *object)
{
	json_dumpf(object, printer->out, JSON_REAL_PRECISION(17));
	fputc('\n', printer->out);
	json_decref(object);
}

static void begin(const struct stat_printer *printer)
{
	put(printer, json_pack("{s:i, s:o, s:I, s:b}", "pmctl-stat", VERSION, "title",
			       escape_json(printer->title), "runs", (json_int_t)printer->runs,
			       "intervals", printer->intervals));
}

static json_t *scope_of(const struct scope *scope)
{
	return json_pack("{s:i, s:i, s:o, s:i}", "kind", (int)scope->kind, "number", scope->number,
			 "label", escape_json(scope->label ? scope->label : ""), "cpus",
			 (int)scope->cpus);
}

static json_t *metric_of_row(const struct metric *metric)
{
	if (!metric->unit)
		return json_null();
	return json_pack("{s:f, s:s, s:b, s:i}", "value", metric->value, "unit", metric->unit,
			 "percent", metric->percent, "digits", metric->digits);
}

static void row(const struct stat_printer *printer, const struct stat_row *row)
{
	put(printer, json_pack("{s:f, s:o, s:o, s:i, s:b, s:i, s:I, s:f, s:I, s:I, s:o}",
			       "seconds", row->seconds, "scope", scope_of(row->scope), "event",
			       escape_json(row->event->name), "modifiers",
			       (int)row->event->modifiers, "time",
			       row->event->kind == KIND_TASK_CLOCK, "grant", (int)row->grant,
			       "value", (json_int_t)row->value, "variance", row->variance,
			       "running", (json_int_t)row->running, "enabled",
			       (json_int_t)row->enabled, "metric", metric_of_row(&row->metric)));
}

static void end(const struct stat_printer *printer, const struct stat_ending *ending)
{
	put(printer, json_pack("{s:I, s:f, s:f, s:b, s:f, s:f}", "elapsed",
			       (json_int_t)ending->elapsed.count, "mean", ending->elapsed.mean,
			       "squares", ending->elapsed.squares, "usage", ending->has_usage,
			       "user", ending->user, "sys", ending->sys));
}

const struct stat_printer_ops stat_file_ops = { .begin = begin, .row = row, .end = end };

static int read_title(json_t *object, struct stat_printer *printer)
{
	int version, intervals;
	const char *title;
	json_int_t runs;

	if (json_unpack(object, "{s:i, s:s, s:I, s:b}", "pmctl-stat", &version, "title", &title,
			"runs", &runs, "intervals", &intervals) || version != VERSION)
		return -1;
	printer->title = xstrdup(title);
	printer->runs = (long)runs;
	printer->intervals = intervals;
	if (printer->ops->begin)
		printer->ops->begin(printer);
	return 0;
}

static int read_scope(json_t *object, struct scope *scope)
{
	const char *label;
	int kind, cpus;

	if (json_unpack(object, "{s:i, s:i, s:s, s:i}", "kind", &kind, "number", &scope->number,
			"label", &label, "cpus", &cpus) ||
	    kind < SCOPE_ALL || kind > SCOPE_THREAD || cpus < 0)
		return -1;
	scope->kind = (enum scope_kind)kind;
	scope->cpus = (unsigned int)cpus;
	scope->label = *label ? (char *)label : NULL;
	return 0;
}

static int read_metric(json_t *object, struct metric *metric)
{
	int percent;

	if (json_is_null(object))
		return 0;
	if (json_unpack(object, "{s:F, s:s, s:b, s:i}", "value", &metric->value, "unit",
			&metric->unit, "percent", &percent, "digits", &metric->digits) ||
	    metric->digits < 0 || metric->digits > 9)
		return -1;
	metric->percent = percent;
	return 0;
}

static int read_row(json_t *object, const struct stat_printer *printer)
{
	struct scope scope = { .kind = SCOPE_ALL };
	struct event event = { .kind = KIND_OTHER };
	struct stat_row row = { .scope = &scope, .event = &event };
	json_int_t value, running, enabled;
	json_t *in_scope, *metric;
	int modifiers, time, grant;
	const char *name;

	if (json_unpack(object, "{s:F, s:o, s:s, s:i, s:b, s:i, s:I, s:F, s:I, s:I, s:o}",
			"seconds", &row.seconds, "scope", &in_scope, "event", &name, "modifiers",
			&modifiers, "time", &time, "grant", &grant, "value", &value, "variance",
			&row.variance, "running", &running, "enabled", &enabled, "metric",
			&metric) ||
	    grant < GRANT_YES || grant > GRANT_NOT_COUNTED || read_scope(in_scope, &scope) ||
	    read_metric(metric, &row.metric))
		return -1;
	event.name = (char *)name;
	event.modifiers = (unsigned int)modifiers;
	event.kind = time ? KIND_TASK_CLOCK : KIND_OTHER;
	row.grant = (enum grant)grant;
	row.value = (uint64_t)value;
	row.running = (uint64_t)running;
	row.enabled = (uint64_t)enabled;
	printer->ops->row(printer, &row);
	return 0;
}

static int read_ending(json_t *object, const struct stat_printer *printer)
{
	struct stat_ending ending = { .has_usage = false };
	json_int_t count;
	int usage;

	if (json_unpack(object, "{s:I, s:F, s:F, s:b, s:F, s:F}", "elapsed", &count, "mean",
			&ending.elapsed.mean, "squares", &ending.elapsed.squares, "usage", &usage,
			"user", &ending.user, "sys", &ending.sys) || count < 0)
		return -1;
	ending.elapsed.count = (unsigned int)count;
	ending.has_usage = usage;
	if (printer->ops->end)
		printer->ops->end(printer, &ending);
	return 0;
}

/* Handles a line. 1: it was the last one; -1: it is wrong. */
static int read_line(const char *line, struct stat_printer *printer)
{
	json_t *object = json_loads(line, 0, NULL);
	int result = -1;

	if (object && !printer->title)
		result = read_title(object, printer);
	else if (object && json_object_get(object, "elapsed"))
		result = read_ending(object, printer) ? -1 : 1;
	else if (object)
		result = read_row(object, printer);
	json_decref(object);
	return result;
}

int stat_file_print(const char *path, struct stat_printer *printer)
{
	FILE *file = fopen(path, "re");
	unsigned int number = 0;
	char *line = NULL;
	size_t room = 0;
	int result = 0;

	if (!file) {
		error("cannot read '%s': %s; 'pmctl stat record' writes it", path, strerror(errno));
		return -1;
	}
	while (!result && getline(&line, &room, file) > 0) {
		number++;
		result = read_line(line, printer);
	}
	if (result < 0)
		error("line %u of '%s' is not of a file of 'pmctl stat record'", number, path);
	else if (!result)
		error("'%s' has no end: 'pmctl stat record' has not finished it", path);
	free(line);
	fclose(file);
	return result == 1 ? 0 : -1;
}
