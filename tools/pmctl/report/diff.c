// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "report/diff.h"

/* --- Events */

static const struct profile_event *event_of(const struct diff *diff, uint32_t log, const char *name)
{
	const struct report *report = &diff->reports[log];
	const struct profile *profile = report->profile;

	for (uint32_t i = 0; i < profile->event_count; i++)
		if (!strcmp(intern_text(&profile->names, profile->events[i].name), name) &&
		    report_shows_event(report, i))
			return &profile->events[i];
	return NULL;
}

static bool is_in_any(const struct diff *diff, uint32_t first, uint32_t end, const char *name)
{
	for (uint32_t log = first; log < end; log++)
		if (event_of(diff, log, name))
			return true;
	return false;
}

static void add_event(struct diff *diff, const char *name)
{
	struct diff_event *event;

	diff->events = xrealloc(diff->events, (size_t)diff->event_count + 1, sizeof(*diff->events));
	event = &diff->events[diff->event_count++];
	event->name = intern_id(&diff->names, name);
	event->of = xcalloc(diff->count, sizeof(void *));
	for (uint32_t log = 0; log < diff->count; log++)
		event->of[log] = event_of(diff, log, name);
}

/* The events that can be compared; a note names the others. */
static void find_events(struct diff *diff)
{
	for (uint32_t log = 0; log < diff->count; log++) {
		const struct profile *profile = diff->reports[log].profile;

		for (uint32_t i = 0; i < profile->event_count; i++) {
			const char *name = intern_text(&profile->names, profile->events[i].name);

			if (!report_shows_event(&diff->reports[log], i))
				continue;
			if (!log && is_in_any(diff, 1, diff->count, name))
				add_event(diff, name);
			else if (!log || !event_of(diff, 0, name))
				note("event '%s' is only in '%s', and is left out", name, diff->paths[log]);
		}
	}
}

static const struct diff_event *compared(const struct diff *diff, uint32_t name)
{
	for (uint32_t i = 0; i < diff->event_count; i++)
		if (diff->events[i].name == name)
			return &diff->events[i];
	return NULL;
}

/* --- Rows */

static uint32_t shared_text(struct diff *diff, const struct profile *profile, uint32_t id)
{
	return intern_id(&diff->names, intern_text(&profile->names, id));
}

static struct diff_key key_of(struct diff *diff, const struct profile *profile,
			      const struct table_row *row)
{
	const struct group *group = profile_group(profile, row->key.group);

	return (struct diff_key){
		.event = shared_text(diff, profile, profile->events[group->event].name),
		.comm = shared_text(diff, profile, group->comm),
		.symbol = shared_text(diff, profile, row->key.symbol),
		.object = shared_text(diff, profile, row->key.object),
		.source = shared_text(diff, profile, row->key.source),
		.pid = group->pid,
		.tid = group->tid,
		.cpu = group->cpu,
		.flags = row->key.flags,
	};
}

/* By log: the row of each row of its table; UINT32_MAX if its event is not compared. */
static uint32_t *number_rows(struct diff *diff, uint32_t log)
{
	const struct report *report = &diff->reports[log];
	uint32_t *numbers = xcalloc(report->table.count, sizeof(*numbers));

	for (uint32_t i = 0; i < report->table.count; i++) {
		const struct table_row *row = &report->table.rows[i];
		struct diff_key key = key_of(diff, report->profile, row);

		numbers[i] = row->self_samples && compared(diff, key.event) ?
				     intern_id(&diff->keys, &key) : UINT32_MAX;
	}
	return numbers;
}

static void count_log(struct diff *diff, uint32_t log, const uint32_t *numbers)
{
	const struct report *report = &diff->reports[log];

	for (uint32_t i = 0; i < report->table.count; i++) {
		const struct table_row *row = &report->table.rows[i];
		const struct group *group = profile_group(report->profile, row->key.group);
		struct diff_part *part;

		if (numbers[i] == UINT32_MAX)
			continue;
		part = &diff->parts[(size_t)numbers[i] * diff->count + log];
		part->events = number_sum(part->events, row->self);
		part->samples += row->self_samples;
		part->percent = report_percent(&report->profile->events[group->event],
					       part->events);
	}
}

static void make_rows(struct diff *diff)
{
	uint32_t **numbers = xcalloc(diff->count, sizeof(*numbers));

	for (uint32_t log = 0; log < diff->count; log++)
		numbers[log] = number_rows(diff, log);
	diff->parts = xcalloc((size_t)diff->keys.count * diff->count, sizeof(*diff->parts));
	for (uint32_t log = 0; log < diff->count; log++) {
		count_log(diff, log, numbers[log]);
		free(numbers[log]);
	}
	free(numbers);
}

double diff_delta(const struct diff *diff, uint32_t row, uint32_t log)
{
	return diff_part(diff, row, log)->percent - diff_part(diff, row, 0)->percent;
}

double diff_ratio(const struct diff *diff, uint32_t row, uint32_t log)
{
	uint64_t old = diff_part(diff, row, 0)->events, new = diff_part(diff, row, log)->events;

	return old ? (double)new / (double)old : INFINITY;
}

/* --- Order */

static double largest(const struct diff *diff, uint32_t row)
{
	double most = 0;

	for (uint32_t log = 1; log < diff->count; log++)
		most = fmax(most, fabs(diff_delta(diff, row, log)));
	return most;
}

static int by_delta(const void *left, const void *right, void *context)
{
	const struct diff *diff = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct diff_key *ka = diff_key(diff, a), *kb = diff_key(diff, b);
	double da = largest(diff, a), db = largest(diff, b);
	int order;

	if (ka->event != kb->event)
		return ka->event < kb->event ? -1 : 1;
	if (da != db)
		return da > db ? -1 : 1;
	/* An order that does not depend on that of the logs. */
	order = strcmp(intern_text(&diff->names, ka->symbol),
		       intern_text(&diff->names, kb->symbol));
	return order ? order : a < b ? -1 : 1;
}

static void sort_rows(struct diff *diff)
{
	diff->order = xcalloc(diff->keys.count, sizeof(*diff->order));
	for (uint32_t row = 0; row < diff->keys.count; row++)
		if (largest(diff, row) >= diff->options->limit)
			diff->order[diff->shown++] = row;
	if (diff->shown)
		qsort_r(diff->order, diff->shown, sizeof(*diff->order), by_delta, diff);
}

void diff_make(struct diff *diff)
{
	intern_init_texts(&diff->names);
	intern_init(&diff->keys, sizeof(struct diff_key));
	find_events(diff);
	make_rows(diff);
	sort_rows(diff);
}

void diff_free(struct diff *diff)
{
	for (uint32_t i = 0; i < diff->event_count; i++)
		free(diff->events[i].of);
	free(diff->events);
	free(diff->order);
	free(diff->parts);
	intern_free(&diff->keys);
	intern_free(&diff->names);
}

const char *diff_field(const struct diff *diff, uint32_t row, enum sort_key key, char buf[32])
{
	const struct diff_key *of = diff_key(diff, row);

	switch (key) {
	case SORT_COMM:
		return intern_text(&diff->names, of->comm);
	case SORT_DSO:
		return intern_text(&diff->names, of->object);
	case SORT_SYMBOL:
		return intern_text(&diff->names, of->symbol);
	case SORT_SRCLINE:
		return of->source ? intern_text(&diff->names, of->source) : "??:0";
	default:
		snprintf(buf, 32, "%" PRId32,
			 (int32_t)(key == SORT_PID ? of->pid :
				   key == SORT_TID ? of->tid : of->cpu));
		return buf;
	}
}
