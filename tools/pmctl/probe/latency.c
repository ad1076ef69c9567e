// SPDX-License-Identifier: GPL-2.0-only
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "probe/latency.h"

struct latency_entry {
	int tid;
	uint64_t time;
};

static int compare(const void *left, const void *right)
{
	const struct latency_entry *a = left, *b = right;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

void latency_enter(struct latency *latency, int tid, uint64_t time)
{
	struct latency_entry *entry = xcalloc(1, sizeof(*entry)), **found;

	entry->tid = tid;
	entry->time = time;
	found = tfind(entry, &latency->open, compare);
	if (found) {
		latency->no_return++;
		(*found)->time = time;
		free(entry);
	} else if (latency->count >= latency->limit ||
		   !tsearch(entry, &latency->open, compare)) {
		latency->no_return++;
		free(entry);
	} else {
		latency->count++;
	}
}

bool latency_leave(struct latency *latency, int tid, uint64_t time, int64_t *ns)
{
	struct latency_entry wanted = { .tid = tid }, **found, *entry;

	found = tfind(&wanted, &latency->open, compare);
	if (!found) {
		latency->no_entry++;
		return false;
	}
	entry = *found;
	*ns = (int64_t)(time - entry->time);
	tdelete(&wanted, &latency->open, compare);
	latency->count--;
	free(entry);
	return true;
}

void latency_free(struct latency *latency)
{
	tdestroy(latency->open, free);
	latency->open = NULL;
}

const char *latency_text(double ns, char *buf)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned int unit = 0;

	while (unit < 3 && ns >= 999.5) {
		ns /= 1000;
		unit++;
	}
	snprintf(buf, LATENCY_TEXT_MAX, "%.*f %s", !unit || ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2,
		 ns, units[unit]);
	return buf;
}
