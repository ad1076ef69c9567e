/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the samples of a log add up to. First they are kept by place: where in
 * which file. A place becomes names only when all of the log has been read:
 * build-ids stand at its end, and each place is looked up once.
 */
#ifndef PMCTL_PROFILE_H
#define PMCTL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "report/tree.h"
#include "symbol/processes.h"
#include "symbol/symbols.h"

/* What samples are told apart by, besides their chains; 0 where they are not. */
struct group {
	uint32_t event;
	uint32_t comm;		/* in names */
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
};

enum { GROUP_COMM = 1, GROUP_PID = 2, GROUP_TID = 4, GROUP_CPU = 8 };

/**
 * struct profile_event - one event: all PMCs that count it
 * @name: in names
 * @samples: how many there were, whatever was asked for
 * @events: that they stand for
 * @lost: records that found no room
 * @lost_events: that they stood for
 * @throttled: how often
 */
struct profile_event {
	uint32_t name;
	uint64_t samples;
	uint64_t events;
	uint64_t lost;
	uint64_t lost_events;
	uint64_t throttled;
};

/**
 * struct profile_request - which samples, and in what detail
 * @groups: GROUP_*: what to tell apart
 * @root: stands before the paths of all files
 * @inlines: tell inlined functions
 * @sources: tell source lines
 * @wanted: whether a sample is; or NULL
 * @context: @wanted's own
 */
struct profile_request {
	unsigned int groups;
	const char *root;
	bool inlines;
	bool sources;
	bool (*wanted)(void *context, const char *comm, const struct hwpmc_log_sample *sample);
	void *context;
};

struct profile_pmc;
struct place_cache;

/**
 * struct profile - see above
 * @request: what was asked for
 * @names: all texts
 * @symbols: files and their symbols
 * @processes: who was where, while the log is read
 * @unwind: of user stacks that were copied
 * @before_unwind: called before the first stack is unwound: build-ids may stand further
 *	back in the log; or NULL
 * @context: of @before_unwind
 * @places: struct place
 * @groups: struct group
 * @chains: of places, outermost first; roots are groups
 * @pmcs: by PMC, while the log is read
 * @pmc_count: how many
 * @events: by name, when it has been read
 * @event_count: how many
 * @frames: struct frame
 * @tree: of frames, outermost first; roots are groups
 * @release: uname -r, -m, -n and the command, from the log; ""
 * @samples: all that were read
 * @lost: records of no PMC that found no room
 * @cut: of these, with call chains that the kernel cut off
 * @cache: places of addresses that were looked up lately
 * @moves: grows when addresses may mean something else
 */
struct profile {
	struct profile_request request;
	struct intern names;
	struct symbols symbols;
	struct processes processes;
	struct unwind *unwind;
	void (*before_unwind)(struct profile *profile);
	void *context;
	struct intern places;
	struct intern groups;
	struct tree chains;
	struct profile_pmc *pmcs;
	uint32_t pmc_count;
	struct profile_event *events;
	uint32_t event_count;
	struct intern frames;
	struct tree tree;
	uint32_t release;
	uint32_t machine;
	uint32_t host;
	uint32_t command;
	uint64_t samples;
	uint64_t lost;
	uint64_t cut;
	struct place_cache *cache;
	uint64_t moves;
};

void profile_init(struct profile *profile, const struct profile_request *request);
void profile_free(struct profile *profile);
/* In the order of time: log_merge_next(). */
void profile_take(struct profile *profile, const struct hwpmc_log_header *record);
/* Learns a build-id before its time. For @before_unwind. */
void profile_build_id(struct profile *profile, const struct hwpmc_log_build_id *record);
/* All has been read: makes @events, @frames and @tree. */
void profile_resolve(struct profile *profile);

static inline const struct frame *profile_frame(const struct profile *profile, uint32_t id)
{
	return intern_at(&profile->frames, id);
}

static inline const struct group *profile_group(const struct profile *profile, uint32_t id)
{
	return intern_at(&profile->groups, id);
}

/* Shared by profile.c and profile_pmc.c. */

/**
 * struct profile_pmc - a PMC of the log
 * @id: its handle
 * @class_id: of ALLOCATE, for want of a name
 * @code: likewise
 * @event: what came of it; its name in names, 0 without
 */
struct profile_pmc {
	uint32_t id;
	uint32_t class_id;
	uint64_t code;
	struct profile_event event;
};

/* The number of PMC @id in profile->pmcs. */
uint32_t profile_pmc(struct profile *profile, uint32_t id);
/* ALLOCATE, EVENT, DROP, THROTTLE. */
void profile_pmc_take(struct profile *profile, const struct hwpmc_log_header *record);
/* Makes profile->events. Return: the event of each PMC, to be freed. */
uint32_t *profile_pmc_events(struct profile *profile);

#endif
