/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples of a log, as call chains. While the log is read, chains are stored by place: a file
 * and an offset. Places are converted to names after the end of the log, because build-ids are
 * logged at the end, and because each place is then looked up only once.
 */
#ifndef PMCTL_PROFILE_H
#define PMCTL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "log/log_throttle.h"
#include "report/tree.h"
#include "symbol/processes.h"
#include "symbol/symbols.h"

/* The keys by which samples are grouped, besides their chains; 0 for unused keys. */
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
 * @samples: number of samples, including those that a filter removes
 * @events: number of events that they represent
 * @lost: number of lost samples
 * @lost_events: number of events that those represented
 * @throttled: number of times it was throttled
 * @throttled_events: number of events meanwhile, of @events
 * @off_cpu: the events are nanoseconds that threads were off the CPU
 */
struct profile_event {
	uint32_t name;
	uint64_t samples;
	uint64_t events;
	uint64_t lost;
	uint64_t lost_events;
	uint64_t throttled;
	uint64_t throttled_events;
	bool off_cpu;
};

/**
 * struct profile_request - which samples to include, and with which details
 * @groups: GROUP_*: what to group by
 * @root: prefix of the paths of all files
 * @inlines: show inlined functions
 * @sources: show source lines
 * @by_object: addresses without a symbol are one place for each object
 * @leaves: take the address of each sample without its callers, for profile_addresses()
 * @wanted: returns whether to include a sample; or NULL
 * @context: for @wanted
 */
struct profile_request {
	unsigned int groups;
	const char *root;
	bool inlines;
	bool sources;
	bool by_object;
	bool leaves;
	bool (*wanted)(void *context, const char *comm, const struct hwpmc_log_sample *sample);
	void *context;
};

struct profile_pmc;
struct place_cache;

/**
 * struct profile - see above
 * @request: what to include
 * @names: all names
 * @symbols: files and their symbols
 * @processes: processes and maps, while the log is read
 * @throttle: which PMCs are throttled, while the log is read
 * @unwind: unwinds user stacks that were copied
 * @before_unwind: called before the first stack is unwound, to read build-ids that are
 *	logged later; or NULL
 * @context: for @before_unwind
 * @places: struct place
 * @groups: struct group
 * @last_group: the group of the last sample
 * @unknown: the name of threads whose names are not in the log
 * @swapper: the name of the idle task, likewise
 * @chains: of places, outermost first; roots are groups
 * @pmcs: by PMC, while the log is read
 * @pmc_count: number of PMCs
 * @events: by name, after the log was read
 * @event_count: number of events
 * @frames: struct frame
 * @tree: of frames, outermost first; roots are groups
 * @release: uname -r of the log; like @machine, @host and @command "" if unknown
 * @samples: number of samples that were read
 * @lost: number of lost records that are not samples
 * @cut: number of samples whose call chains the kernel truncated
 * @cache: places of addresses that were looked up recently
 * @moves: incremented when maps change
 */
struct profile {
	struct profile_request request;
	struct intern names;
	struct symbols symbols;
	struct processes processes;
	struct log_throttle throttle;
	struct unwind *unwind;
	void (*before_unwind)(struct profile *profile);
	void *context;
	struct intern places;
	struct intern groups;
	uint32_t last_group;
	struct task_name unknown;
	struct task_name swapper;
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
/* Takes records in the order of time: see log_merge_next(). */
void profile_take(struct profile *profile, const struct hwpmc_log_header *record);
/* Takes a build-id ahead of other records. For @before_unwind. */
void profile_build_id(struct profile *profile, const struct hwpmc_log_build_id *record);
/* After the last record: makes @events, @frames and @tree. */
void profile_resolve(struct profile *profile);

/**
 * struct profile_address - the events at an address
 * @event: number in profile->events
 * @object: in profile->symbols
 * @offset: in a file; else the address
 * @events: number of events
 * @samples: number of samples
 */
struct profile_address {
	uint32_t event;
	uint32_t object;
	uint64_t offset;
	uint64_t events;
	uint64_t samples;
};

/*
 * After the last record, instead of profile_resolve(): makes @events, and returns the events at
 * each address; free() it.
 */
struct profile_address *profile_addresses(struct profile *profile, uint32_t *count);

static inline const struct frame *profile_frame(const struct profile *profile, uint32_t id)
{
	return intern_at(&profile->frames, id);
}

static inline const struct group *profile_group(const struct profile *profile, uint32_t id)
{
	return intern_at(&profile->groups, id);
}

/* Shared by profile.c, profile_addresses.c and profile_pmc.c. */

/* An offset or an address in an object of symbols. */
struct place {
	uint32_t object;
	uint32_t reserved;
	uint64_t offset;
};

/**
 * struct profile_pmc - a PMC of the log
 * @id: its handle
 * @class_id: from ALLOCATE, for events without a name
 * @code: likewise
 * @event: what it counted; its name is 0 if unknown
 */
struct profile_pmc {
	uint32_t id;
	uint32_t class_id;
	uint64_t code;
	struct profile_event event;
};

/* The number of PMC @id in profile->pmcs. */
uint32_t profile_pmc(struct profile *profile, uint32_t id);
/* Takes ALLOCATE, EVENT, DROP or THROTTLE. */
void profile_pmc_take(struct profile *profile, const struct hwpmc_log_header *record);
/* Makes profile->events. Returns the event of each PMC; free() it. */
uint32_t *profile_pmc_events(struct profile *profile);

#endif
