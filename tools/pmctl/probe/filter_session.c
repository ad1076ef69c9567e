// SPDX-License-Identifier: GPL-2.0-only
/* stat and record need the prototypes of probes only for their conditions. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "event/btf.h"
#include "event/prototype_find.h"
#include "probe/filter_session.h"

static int check_probes(const struct session *session)
{
	for (unsigned int i = 0; i < session->event_count; i++) {
		const struct event *event = &session->events[i];

		if (event->code_count && event->codes[0].name)
			continue;
		error("--filter needs probes, such as syscall:read:entry; '%s' is not a probe",
		      event->name);
		return -1;
	}
	return 0;
}

static int resolve(struct session *session, const struct filter *filter, struct probe_event *list)
{
	const struct operand_events events = { .list = list, .count = session->event_count };

	for (unsigned int i = 0; i < session->event_count; i++)
		if (filter_resolve(filter, &events, i, &session->events[i]))
			return -1;
	return 0;
}

static int set_conditions(struct session *session, const void *filter)
{
	unsigned int count = session->event_count;
	struct probe_event *list;
	struct btf *btf;
	int result;

	if (check_probes(session))
		return -1;
	list = xcalloc(count, sizeof(*list));
	btf = btf_open();
	for (unsigned int i = 0; i < count; i++) {
		list[i].name = session->events[i].name;
		prototype_find(btf, list[i].name, &list[i].prototype);
	}
	result = resolve(session, filter, list);
	for (unsigned int i = 0; i < count; i++)
		prototype_free(&list[i].prototype);
	btf_close(btf);
	free(list);
	return result;
}

void filter_session_use(struct session *session, const struct filter *filter)
{
	session->filter = filter;
	session->set_conditions = filter->count ? set_conditions : NULL;
}
