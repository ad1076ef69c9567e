// SPDX-License-Identifier: GPL-2.0-only
/* What all ways to show a report have in common. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "report/report.h"

double profile_percent(const struct profile_event *event, uint64_t part)
{
	return event->events ? 100.0 * (double)part / (double)event->events : 0.0;
}

bool profile_shows(const struct profile_report *report, uint32_t event)
{
	const struct profile *profile = report->profile;

	return patterns_match(&report->options->events,
			      intern_text(&profile->names, profile->events[event].name));
}

void profile_note_empty(const struct profile_report *report)
{
	const struct profile *profile = report->profile;
	FILE *list;
	char *text;
	size_t size;

	list = open_memstream(&text, &size);
	if (!list)
		return;
	for (uint32_t i = 0; i < profile->event_count; i++)
		fprintf(list, "%s%s", i ? ", " : "",
			intern_text(&profile->names, profile->events[i].name));
	fclose(list);
	note("no sample matches what was asked for; the events of the log are: %s", text);
	free(text);
}

uint32_t profile_entries(const struct profile_report *report, uint32_t event, uint32_t *first)
{
	const struct profile_event *of = &report->profile->events[event];
	const struct entries *entries = &report->entries;
	uint32_t at = 0, count = 0;

	while (at < entries->count &&
	       profile_group(report->profile, entries->list[at].key.group)->event < event)
		at++;
	*first = at;
	/* The smallest come last: what only has the filtered is nothing. */
	for (; at < entries->count; at++, count++) {
		const struct entry *entry = &entries->list[at];
		uint64_t weight = entry_weight(entry, report->options);

		if (profile_group(report->profile, entry->key.group)->event != event ||
		    !(report->options->children ? entry->total_samples : entry->self_samples) ||
		    profile_percent(of, weight) < report->options->limit)
			break;
	}
	return count;
}

double profile_graph_limit(const struct profile_options *options)
{
	if (options->limit_given)
		return options->limit;
	/* People want to see the wood, programs all trees; but of callees there are too many. */
	return options->json && options->graph != GRAPH_CALLEES ? 0.0 : 0.5;
}

const char *profile_object(const struct profile *profile, uint32_t object)
{
	return path_last(intern_text(&profile->names, object));
}

const char *profile_field(const struct profile *profile, const struct entry *entry,
			  enum sort_key key, char buf[32])
{
	const struct group *group = profile_group(profile, entry->key.group);
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
		return intern_text(names, entry->key.object);
	case SORT_SYMBOL:
		return intern_text(names, entry->key.symbol);
	case SORT_SRCLINE:
		return entry->key.source ? intern_text(names, entry->key.source) : "??:0";
	default:
		return "";
	}
}
