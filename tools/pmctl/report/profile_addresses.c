// SPDX-License-Identifier: GPL-2.0-only
/* Adds up the events at each address, for pmctl annotate. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "report/profile.h"

/* What distinguishes one address from another. */
struct spot {
	uint32_t event;
	uint32_t place;
};

/* By node of profile->chains: the event of its chain. */
static uint32_t *events_of_nodes(const struct profile *profile, const uint32_t *event_of)
{
	uint32_t count = tree_count(&profile->chains);
	uint32_t *events = xcalloc(count, sizeof(*events));

	for (uint32_t id = 0; id < count; id++) {
		struct node node = tree_node(&profile->chains, id);

		events[id] = node.parent == NODE_NONE ?
				     event_of[profile_group(profile, node.what)->event] :
				     events[node.parent];
	}
	return events;
}

/* Numbers the spots. Returns the spot of each node. */
static uint32_t *number_spots(const struct profile *profile, const uint32_t *event_of,
			      struct intern *spots)
{
	uint32_t count = tree_count(&profile->chains);
	uint32_t *events = events_of_nodes(profile, event_of);
	uint32_t *spot_of = xcalloc(count, sizeof(*spot_of));

	for (uint32_t id = 0; id < count; id++) {
		struct node node = tree_node(&profile->chains, id);
		struct spot spot = { .event = events[id], .place = node.what };

		if (node.parent != NODE_NONE && profile->chains.samples[id])
			spot_of[id] = intern_id(spots, &spot);
	}
	free(events);
	return spot_of;
}

static struct profile_address *add_up(const struct profile *profile, const struct intern *spots,
				      const uint32_t *spot_of)
{
	struct profile_address *list = xcalloc(spots->count, sizeof(*list));
	const struct tree *chains = &profile->chains;

	for (uint32_t id = 0; id < spots->count; id++) {
		const struct spot *spot = intern_at(spots, id);
		const struct place *place = intern_at(&profile->places, spot->place);

		list[id].event = spot->event;
		list[id].object = place->object;
		list[id].offset = place->offset;
	}
	for (uint32_t id = 0; id < tree_count(chains); id++) {
		struct profile_address *address = &list[spot_of[id]];

		if (tree_node(chains, id).parent == NODE_NONE || !chains->samples[id])
			continue;
		address->events = number_sum(address->events, chains->self[id]);
		address->samples += chains->samples[id];
	}
	return list;
}

struct profile_address *profile_addresses(struct profile *profile, uint32_t *count)
{
	uint32_t *event_of = profile_pmc_events(profile), *spot_of;
	struct profile_address *list;
	struct intern spots;

	profile->symbols.paths.release = intern_text(&profile->names, profile->release);
	intern_init(&spots, sizeof(struct spot));
	spot_of = number_spots(profile, event_of, &spots);
	list = add_up(profile, &spots, spot_of);
	*count = spots.count;
	intern_free(&spots);
	free(spot_of);
	free(event_of);
	return list;
}
