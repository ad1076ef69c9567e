// SPDX-License-Identifier: GPL-2.0-only
/* stat -W, -E and --per-thread: the counts that the module logs at switches and exits. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "run/stat.h"

static const char *kind_of(const struct hwpmc_log_value *value)
{
	return value->h.type == HWPMC_LOG_SWITCH ? "switch" : "exit";
}

static double seconds_of(const struct stat_run *run, const struct hwpmc_log_value *value)
{
	int64_t since = (int64_t)value->h.time - run->start;

	return since > 0 ? (double)since / NS_PER_SECOND : 0.0;
}

static void show_text(const struct stat_run *run, const struct hwpmc_log_value *value,
		      const struct event *event)
{
	char number[NUMBER_MAX], name[STAT_NAME_MAX];

	fprintf(run->printer.out, "%18.9f CPU%-3u %7d %7d %18s %-4s %s (%s)\n",
		seconds_of(run, value), value->h.cpu, value->pid, value->tid,
		stat_print_number(event, value->value, true, 2, number), stat_print_unit(event),
		stat_print_name(event, name), kind_of(value));
}

static void show_csv(const struct stat_run *run, const struct hwpmc_log_value *value,
		     const struct event *event)
{
	const char *separator = run->printer.separator;
	FILE *out = run->printer.out;
	char numbers[5][NUMBER_MAX], name[STAT_NAME_MAX];

	snprintf(numbers[0], sizeof(numbers[0]), "%.9f", seconds_of(run, value));
	snprintf(numbers[1], sizeof(numbers[1]), "%u", value->h.cpu);
	snprintf(numbers[2], sizeof(numbers[2]), "%d", value->pid);
	snprintf(numbers[3], sizeof(numbers[3]), "%d", value->tid);
	stat_print_number(event, value->value, false, 2, numbers[4]);
	for (unsigned int i = 0; i < 5; i++) {
		escape_csv(out, separator, numbers[i]);
		fputs(separator, out);
	}
	escape_csv(out, separator, stat_print_unit(event));
	fputs(separator, out);
	escape_csv(out, separator, stat_print_name(event, name));
	fputs(separator, out);
	escape_csv(out, separator, kind_of(value));
	fputc('\n', out);
}

static void show_json(const struct stat_run *run, const struct hwpmc_log_value *value,
		      const struct event *event)
{
	char number[NUMBER_MAX], name[STAT_NAME_MAX];
	json_t *object = json_object();

	json_object_set_new(object, "time", json_real(seconds_of(run, value)));
	json_object_set_new(object, "cpu", json_sprintf("%u", value->h.cpu));
	json_object_set_new(object, "pid", json_integer(value->pid));
	json_object_set_new(object, "tid", json_integer(value->tid));
	json_object_set_new(object, "counter-value",
			    json_string(stat_print_number(event, value->value, false, 6, number)));
	json_object_set_new(object, "unit", json_string(stat_print_unit(event)));
	json_object_set_new(object, "event", escape_json(stat_print_name(event, name)));
	json_object_set_new(object, "at", json_string(kind_of(value)));
	json_dumpf(object, run->printer.out, JSON_REAL_PRECISION(12));
	fputc('\n', run->printer.out);
	json_decref(object);
}

static void show(const struct stat_run *run, const struct hwpmc_log_value *value)
{
	const struct event *event = session_event(&run->session, value->h.id);

	if (!event)
		return;
	if (run->printer.ops == &stat_print_json)
		show_json(run, value, event);
	else if (run->printer.ops == &stat_print_csv)
		show_csv(run, value, event);
	else
		show_text(run, value, event);
}

/* The name of a thread that has exited; NULL if it is not known. */
static const char *comm_of(const struct stat_run *run, const struct hwpmc_log_value *value)
{
	return run->child.pid && value->pid == run->child.pid ?
		       path_last(run->options.command[0]) : NULL;
}

static void keep(struct stat_run *run, const struct hwpmc_log_value *value)
{
	const struct event *event = session_event(&run->session, value->h.id);
	bool exited = value->h.type == HWPMC_LOG_VALUE;

	if (event && exited && run->options.per_thread)
		aggregate_exit(&run->aggregate, &run->session, value, comm_of(run, value));
	if (!event || !(exited ? run->options.per_exit : run->options.per_switch))
		return;
	if (run->value_count == run->value_room) {
		run->value_room = run->value_room ? 2 * run->value_room : 256;
		run->values = xrealloc(run->values, run->value_room, sizeof(*run->values));
	}
	run->values[run->value_count++] = *value;
}

static int by_time(const void *left, const void *right)
{
	const struct hwpmc_log_value *a = left, *b = right;

	return a->h.time < b->h.time ? -1 : a->h.time > b->h.time;
}

/*
 * Prints the records older than @time: each ring belongs to one CPU, and they are read one after
 * the other.
 */
static void show_before(struct stat_run *run, uint64_t time)
{
	size_t shown = 0;

	if (run->value_count)
		qsort(run->values, run->value_count, sizeof(*run->values), by_time);
	while (shown < run->value_count && run->values[shown].h.time < time)
		show(run, &run->values[shown++]);
	run->value_count -= shown;
	memmove(run->values, run->values + shown, run->value_count * sizeof(*run->values));
	fflush(run->printer.out);
}

static void take(const struct hwpmc_log_header *record, void *context)
{
	struct stat_run *run = context;

	if (record->type == HWPMC_LOG_SWITCH || record->type == HWPMC_LOG_VALUE)
		keep(run, (const void *)record);
	else if (record->type == HWPMC_LOG_DROP)
		run->values_lost += ((const struct hwpmc_log_drop *)record)->lost;
}

/*
 * The module reads a record's time before it writes the record. It may write the record up to this
 * long after that time, in ns.
 */
#define SLACK	(10 * NS_PER_MS)

int stat_log_drain(struct stat_run *run)
{
	uint64_t begin = (uint64_t)clock_now();

	if (rings_drain(&run->rings, take, run))
		return -1;
	show_before(run, begin - SLACK);
	return 0;
}

int stat_log_end(struct stat_run *run)
{
	if (stat_log_drain(run))
		return -1;
	session_flush(&run->session);
	if (stat_log_drain(run))
		return -1;
	show_before(run, UINT64_MAX);
	if (run->values_lost)
		note("%" PRIu64 " lines were lost because the buffers were full; "
		     "the sums are complete", run->values_lost);
	return 0;
}
