// SPDX-License-Identifier: GPL-2.0-only
/* Maps PMCs to events: the PMCs of an event on all CPUs are one event. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/hwpmc.h>

#include "base/memory.h"
#include "base/number.h"
#include "log/log_record.h"
#include "report/profile.h"

uint32_t profile_pmc(struct profile *profile, uint32_t id)
{
	uint32_t number = profile->pmc_count;

	/* A linear search: there are few PMCs. */
	for (uint32_t i = 0; i < profile->pmc_count; i++)
		if (profile->pmcs[i].id == id)
			return i;
	profile->pmcs = xgrow(profile->pmcs, number, sizeof(*profile->pmcs));
	profile->pmcs[number] = (struct profile_pmc){ .id = id };
	profile->pmc_count++;
	return number;
}

static void take_allocate(struct profile *profile, const struct hwpmc_log_allocate *record)
{
	/* This may move profile->pmcs. */
	uint32_t number = profile_pmc(profile, record->h.id);
	struct profile_pmc *pmc = &profile->pmcs[number];

	pmc->class_id = record->class_id;
	pmc->code = record->event;
}

static void take_drop(struct profile *profile, const struct hwpmc_log_drop *record)
{
	struct profile_pmc *pmc;
	uint32_t number;

	/* Records without a PMC, such as maps. */
	if (!record->h.id) {
		profile->lost = number_sum(profile->lost, record->lost);
		return;
	}
	number = profile_pmc(profile, record->h.id);
	pmc = &profile->pmcs[number];
	pmc->event.lost = number_sum(pmc->event.lost, record->lost);
	pmc->event.lost_events = number_sum(pmc->event.lost_events, record->events);
}

void profile_pmc_take(struct profile *profile, const struct hwpmc_log_header *record)
{
	const struct hwpmc_log_event *event = (const void *)record;
	uint32_t number;

	switch (record->type) {
	case HWPMC_LOG_ALLOCATE:
		take_allocate(profile, (const void *)record);
		break;
	case HWPMC_LOG_EVENT:
		number = profile_pmc(profile, record->id);
		profile->pmcs[number].event.name = intern_id(&profile->names,
							     log_record_text(event,
									     event->name_offset));
		break;
	case HWPMC_LOG_DROP:
		take_drop(profile, (const void *)record);
		break;
	default:
		log_throttle_take(&profile->throttle, record);
		number = profile_pmc(profile, record->id);
		if (record->flags & HWPMC_THROTTLE_ON)
			profile->pmcs[number].event.throttled++;
	}
}

static uint32_t name_of(struct profile *profile, const struct profile_pmc *pmc)
{
	char text[64];

	if (pmc->event.name)
		return pmc->event.name;
	snprintf(text, sizeof(text), "r%" PRIx64 " (class %u)", pmc->code, pmc->class_id);
	return intern_id(&profile->names, text);
}

static uint32_t event_named(struct profile *profile, uint32_t name)
{
	uint32_t number = profile->event_count;

	for (uint32_t i = 0; i < number; i++)
		if (profile->events[i].name == name)
			return i;
	profile->events = xrealloc(profile->events, (size_t)number + 1, sizeof(*profile->events));
	profile->events[number] = (struct profile_event){ .name = name };
	profile->event_count++;
	return number;
}

uint32_t *profile_pmc_events(struct profile *profile)
{
	uint32_t *event_of = xcalloc(profile->pmc_count, sizeof(*event_of));

	for (uint32_t i = 0; i < profile->pmc_count; i++) {
		const struct profile_pmc *pmc = &profile->pmcs[i];
		struct profile_event *event;

		event_of[i] = event_named(profile, name_of(profile, pmc));
		event = &profile->events[event_of[i]];
		event->off_cpu = pmc->class_id == HWPMC_CLASS_SOFT &&
				 pmc->code == HWPMC_SOFT_OFF_CPU;
		event->samples += pmc->event.samples;
		event->events = number_sum(event->events, pmc->event.events);
		event->lost = number_sum(event->lost, pmc->event.lost);
		event->lost_events = number_sum(event->lost_events, pmc->event.lost_events);
		event->throttled += pmc->event.throttled;
		event->throttled_events = number_sum(event->throttled_events,
						     pmc->event.throttled_events);
	}
	return event_of;
}
