// SPDX-License-Identifier: GPL-2.0-only
/* Functions that all formats of a report share. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/report.h"

double report_percent(const struct profile_event *event, uint64_t part)
{
	return event->events ? 100.0 * (double)part / (double)event->events : 0.0;
}

const char *report_amount(const struct profile_event *event, uint64_t events,
			  char buf[REPORT_AMOUNT_MAX])
{
	char number[NUMBER_MAX];

	if (event->off_cpu)
		snprintf(buf, REPORT_AMOUNT_MAX, "%s ms", number_msec(events, true, 2, number));
	else
		snprintf(buf, REPORT_AMOUNT_MAX, "%s events", number_grouped(events, number));
	return buf;
}

static void line(FILE *out, const char *what, const char *text)
{
	if (!*text)
		return;
	fprintf(out, "# %s: ", what);
	utf8_put(out, text);
	fputc('\n', out);
}

void report_machine(const struct profile *profile, FILE *out)
{
	const struct intern *names = &profile->names;
	char *kernel = xasprintf("Linux %s %s", intern_text(names, profile->release),
				 intern_text(names, profile->machine));

	line(out, "host", intern_text(names, profile->host));
	if (profile->release)
		line(out, "kernel", kernel);
	line(out, "command", intern_text(names, profile->command));
	free(kernel);
}

bool report_shows_event(const struct report *report, uint32_t event)
{
	const struct profile *profile = report->profile;

	return patterns_match(&report->options->events,
					 intern_text(&profile->names, profile->events[event].name));
}

static bool shows_any_event(const struct report *report)
{
	for (uint32_t i = 0; i < report->profile->event_count; i++)
		if (report_shows_event(report, i))
			return true;
	return false;
}

/*
 * Returns the options that leave no sample: each one without a match, or those that do not match
 * together.
 */
static void put_reason(const struct report *report, FILE *out)
{
	static const char *const filters[FILTER_COUNT] = {
		[FILTER_COMM] = "--comm", [FILTER_PID] = "--pid",   [FILTER_TID] = "--tid",
		[FILTER_TIME] = "--time", [FILTER_CPU] = "--cpu",
	};
	const struct report_options *options = report->options;
	const char *separator = "";

	for (unsigned int i = 0; i < FILTER_COUNT; i++)
		if (!(report->matched >> i & 1)) {
			fprintf(out, "%s%s", separator, filters[i]);
			separator = " or ";
		}
	if (!shows_any_event(report))
		fprintf(out, "%s--event", separator);
	else if (!*separator && (options->dsos.count || options->symbols.count))
		fputs(options->dsos.count && options->symbols.count ? "--dso with --symbol" :
		      options->dsos.count ? "--dso" : "--symbol", out);
	else if (!*separator)
		fputs("all the options together", out);
}

void report_note_small(const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct report_options *options = report->options;

	for (uint32_t i = 0; i < profile->event_count; i++) {
		uint32_t first;

		if (!report_shows_event(report, i) || report_rows(report, i, &first) ||
		    first == report->table.count ||
		    profile_group(profile, report->table.rows[first].key.group)->event != i)
			continue;
		note("event '%s': all lines are left out, --percent-limit is %g and the largest has %.2f%%",
		     intern_text(&profile->names, profile->events[i].name), options->limit,
		     report_percent(&profile->events[i],
				    table_row_weight(&report->table.rows[first], options)));
	}
}

void report_note_empty(const struct report *report)
{
	const struct profile *profile = report->profile;
	FILE *list;
	char *text;
	size_t size;

	list = open_memstream(&text, &size);
	if (!list)
		return;
	put_reason(report, list);
	for (uint32_t i = 0; i < profile->event_count; i++)
		fprintf(list, "%s%s", i ? ", " : "; the events in the log are: ",
			intern_text(&profile->names, profile->events[i].name));
	fclose(list);
	note("no sample matches %s", text);
	free(text);
}

uint32_t report_rows(const struct report *report, uint32_t event, uint32_t *first)
{
	const struct profile_event *of = &report->profile->events[event];
	const struct table *table = &report->table;
	uint32_t at = 0, count = 0;

	while (at < table->count &&
	       profile_group(report->profile, table->rows[at].key.group)->event < event)
		at++;
	*first = at;
	/* Rows are sorted: stop at the first that is too small or has no samples left. */
	for (; at < table->count; at++, count++) {
		const struct table_row *row = &table->rows[at];
		uint64_t weight = table_row_weight(row, report->options);

		if (profile_group(report->profile, row->key.group)->event != event ||
		    !(report->options->children ? row->total_samples : row->self_samples) ||
		    report_percent(of, weight) < report->options->limit)
			break;
	}
	return count;
}

const char *report_field(const struct profile *profile, const struct table_row *row,
			 enum sort_key key, char buf[32])
{
	const struct group *group = profile_group(profile, row->key.group);
	const struct intern *names = &profile->names;

	switch (key) {
	case SORT_COMM:
		return intern_text(names, group->comm);
	case SORT_PID:
		snprintf(buf, 32, "%" PRId32, (int32_t)group->pid);
		return buf;
	case SORT_TID:
		snprintf(buf, 32, "%" PRId32, (int32_t)group->tid);
		return buf;
	case SORT_CPU:
		snprintf(buf, 32, "%" PRIu32, group->cpu);
		return buf;
	case SORT_DSO:
		return intern_text(names, row->key.object);
	case SORT_SYMBOL:
		return intern_text(names, row->key.symbol);
	case SORT_SRCLINE:
		return row->key.source ? intern_text(names, row->key.source) : "??:0";
	default:
		return "";
	}
}
