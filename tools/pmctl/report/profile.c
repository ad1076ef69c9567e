// SPDX-License-Identifier: GPL-2.0-only
/* Turns records into call chains: first of places, then of frames. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "log/log_record.h"
#include "report/profile.h"
#include "symbol/unwind.h"

/* A cache from address to place, valid until a map changes. */
#define CACHE_SIZE	(1U << 14)

struct cached_place {
	uint64_t address;
	uint64_t moves;
	int32_t pid;
	uint32_t place;
};

struct place_cache {
	struct cached_place entries[CACHE_SIZE];
};

void profile_init(struct profile *profile, const struct profile_request *request)
{
	memset(profile, 0, sizeof(*profile));
	profile->request = *request;
	intern_init_texts(&profile->names);
	symbols_init(&profile->symbols, &profile->names, request->root);
	profile->symbols.inlines = request->inlines;
	profile->symbols.sources = request->sources;
	profile->symbols.by_object = request->by_object;
	profile->symbols.processes = &profile->processes;
	processes_init(&profile->processes);
	log_throttle_init(&profile->throttle);
	intern_init(&profile->places, sizeof(struct place));
	intern_init(&profile->groups, sizeof(struct group));
	intern_init(&profile->frames, sizeof(struct frame));
	tree_init(&profile->chains);
	tree_init(&profile->tree);
	profile->cache = xcalloc(1, sizeof(*profile->cache));
	profile->moves = 1;
	profile->unknown = (struct task_name){ .text = "[unknown]" };
	profile->swapper = (struct task_name){ .text = "swapper" };
}

void profile_free(struct profile *profile)
{
	unwind_close(profile->unwind);
	tree_free(&profile->tree);
	tree_free(&profile->chains);
	intern_free(&profile->frames);
	intern_free(&profile->groups);
	intern_free(&profile->places);
	symbols_free(&profile->symbols);
	processes_free(&profile->processes);
	log_throttle_free(&profile->throttle);
	intern_free(&profile->names);
	free(profile->pmcs);
	free(profile->events);
	free(profile->cache);
	memset(profile, 0, sizeof(*profile));
}

static struct place find_place(struct profile *profile, int pid, uint64_t address)
{
	struct symbols *symbols = &profile->symbols;
	const struct map *map;

	if (pid == PROCESSES_KERNEL)
		return (struct place){ symbols_object(symbols, SYMBOL_KERNEL, "", 0), 0, address };
	map = processes_map(&profile->processes, pid, address);
	/* All unmapped addresses are one place. */
	if (!map)
		return (struct place){ symbols_object(symbols, SYMBOL_UNKNOWN, "", 0), 0, 0 };
	if (!symbols_is_file(map->file))
		return (struct place){ symbols_object(symbols, SYMBOL_JIT, "", (uint32_t)pid),
				       0, address };
	return (struct place){ symbols_file(symbols, map->file), 0,
			       address - map->start + map->file_offset };
}

static uint32_t cache_slot(int pid, uint64_t address)
{
	uint64_t hash = (address ^ (uint64_t)(uint32_t)pid << 40) * 0x9e3779b97f4a7c15ULL;

	return (uint32_t)(hash >> 32) % CACHE_SIZE;
}

static uint32_t place_of(struct profile *profile, int pid, uint64_t address)
{
	struct cached_place *entry = &profile->cache->entries[cache_slot(pid, address)];
	struct place place;

	if (entry->address == address && entry->pid == pid && entry->moves == profile->moves)
		return entry->place;
	place = find_place(profile, pid, address);
	entry->address = address;
	entry->pid = pid;
	entry->moves = profile->moves;
	entry->place = intern_id(&profile->places, &place);
	return entry->place;
}

static uint32_t number_of(struct profile *profile, struct task_name *comm)
{
	if (!comm->number)
		comm->number = intern_id(&profile->names, comm->text);
	return comm->number;
}

static uint32_t group_of(struct profile *profile, const struct hwpmc_log_sample *sample,
			 uint32_t pmc, struct task_name *comm)
{
	unsigned int kinds = profile->request.groups;
	struct group group = {
		.event = pmc,
		.comm = kinds & GROUP_COMM ? number_of(profile, comm) : 0,
		.pid = kinds & GROUP_PID ? (uint32_t)sample->pid : 0,
		.tid = kinds & GROUP_TID ? (uint32_t)sample->tid : 0,
		.cpu = kinds & GROUP_CPU ? sample->h.cpu : 0,
	};

	/* Fast path: most samples have the group of the previous sample. */
	if (!profile->groups.count ||
	    memcmp(profile_group(profile, profile->last_group), &group, sizeof(group)) != 0)
		profile->last_group = intern_id(&profile->groups, &group);
	return profile->last_group;
}

/*
 * Returns the process of user addresses. A pid of -1 in a sample means a hidden process, not the
 * kernel.
 */
static int user_of(const struct hwpmc_log_sample *sample)
{
	return sample->pid < 0 ? INT_MIN : sample->pid;
}

static uint32_t extend(struct profile *profile, uint32_t node, int pid, uint64_t address)
{
	return tree_child(&profile->chains, node, place_of(profile, pid, address));
}

/*
 * Converts the address of a caller. A return address may be the first byte of the next function if
 * the call does not return, so the call instruction is looked up. An address at which a mode was
 * left is exact.
 */
static uint64_t caller(uint64_t address, bool left)
{
	return left || !address ? address : address - 1;
}

static uint32_t add_user_chain(struct profile *profile, const struct hwpmc_log_sample *sample,
			       uint32_t node)
{
	const uint64_t *chain = log_record_words(sample, sample->chain_offset);
	bool kernel = !(sample->h.flags & HWPMC_SAMPLE_USER);

	for (unsigned int i = sample->chain_user; i-- > 0;)
		node = extend(profile, node, user_of(sample),
			      caller(chain[sample->chain_kernel + i], kernel && !i));
	return node;
}

/* The result of unwinding includes the user's pc. */
static uint32_t add_unwound(struct profile *profile, const struct hwpmc_log_sample *sample,
			    uint32_t node)
{
	int last = sample->h.flags & HWPMC_SAMPLE_USER ? 1 : 0, count;
	uint64_t pcs[UNWIND_MAX];

	if (!profile->unwind) {
		profile->unwind = unwind_open(&profile->symbols, &profile->processes);
		if (profile->before_unwind)
			profile->before_unwind(profile);
	}
	count = unwind_sample(profile->unwind, sample, pcs);
	if (!unwind_is_better(sample, count))
		return add_user_chain(profile, sample, node);
	while (count-- > last)
		node = extend(profile, node, user_of(sample), pcs[count]);
	return node;
}

static uint32_t add_kernel_chain(struct profile *profile, const struct hwpmc_log_sample *sample,
				 uint32_t node)
{
	const uint64_t *chain = log_record_words(sample, sample->chain_offset);
	bool user = sample->h.flags & HWPMC_SAMPLE_USER;

	for (unsigned int i = sample->chain_kernel; i-- > 0;)
		node = extend(profile, node, PROCESSES_KERNEL, caller(chain[i], user && !i));
	return node;
}

/* The chain of a sample, from the outermost caller to its address. */
static uint32_t add_chain(struct profile *profile, const struct hwpmc_log_sample *sample,
			  uint32_t node)
{
	bool user = sample->h.flags & HWPMC_SAMPLE_USER;

	if (!profile->request.leaves) {
		if (sample->regs)
			node = add_unwound(profile, sample, node);
		else
			node = add_user_chain(profile, sample, node);
		node = add_kernel_chain(profile, sample, node);
	}
	return extend(profile, node, user ? user_of(sample) : PROCESSES_KERNEL, sample->pc);
}

/* The single place of all events that occurred while a PMC was throttled. */
static uint32_t add_throttled(struct profile *profile, uint32_t node)
{
	struct place place = {
		.object = symbols_object(&profile->symbols, SYMBOL_THROTTLED, "", 0),
	};

	return tree_child(&profile->chains, node, intern_id(&profile->places, &place));
}

static void take_sample(struct profile *profile, const struct hwpmc_log_sample *sample)
{
	uint32_t number = profile_pmc(profile, sample->h.id), node;
	struct profile_pmc *pmc = &profile->pmcs[number];
	struct task_name *comm = processes_name(&profile->processes, sample->pid, sample->tid);
	bool throttled = log_throttle_spans(&profile->throttle, sample);

	profile->samples++;
	profile->cut += sample->h.flags & HWPMC_SAMPLE_CUT ? 1 : 0;
	pmc->event.samples++;
	pmc->event.events = number_sum(pmc->event.events, sample->period);
	if (throttled)
		pmc->event.throttled_events = number_sum(pmc->event.throttled_events,
							 sample->period);
	if (!comm)
		comm = sample->pid ? &profile->unknown : &profile->swapper;
	if (profile->request.wanted &&
	    !profile->request.wanted(profile->request.context, comm->text, sample))
		return;
	node = tree_child(&profile->chains, NODE_NONE, group_of(profile, sample, number, comm));
	node = throttled ? add_throttled(profile, node) : add_chain(profile, sample, node);
	tree_add(&profile->chains, node, sample->period, 1);
}

static void take_system(struct profile *profile, const struct hwpmc_log_system *record)
{
	struct intern *names = &profile->names;

	profile->release = intern_id(names, log_record_text(record, record->release_offset));
	profile->machine = intern_id(names, log_record_text(record, record->machine_offset));
	profile->host = intern_id(names, log_record_text(record, record->host_offset));
	profile->command = intern_id(names, log_record_text(record, record->command_offset));
}

/* After these records an address of a process may belong to another place. */
static bool changes_maps(const struct hwpmc_log_header *record)
{
	switch (record->type) {
	case HWPMC_LOG_MAP_IN:
	case HWPMC_LOG_MAP_OUT:
	case HWPMC_LOG_EXEC:
		return true;
	case HWPMC_LOG_PROCESS:
	case HWPMC_LOG_FORK:
		return !(record->flags & HWPMC_TASK_THREAD);
	default:
		return false;
	}
}

static void take_process(struct profile *profile, const struct hwpmc_log_header *record)
{
	if (changes_maps(record))
		profile->moves++;
	if (profile->unwind)
		unwind_take(profile->unwind, record);
	processes_take(&profile->processes, record);
}

void profile_build_id(struct profile *profile, const struct hwpmc_log_build_id *record)
{
	uint32_t object = symbols_object(&profile->symbols, SYMBOL_FILE,
					 log_record_text(record, record->path_offset), 0);

	symbols_build_id(&profile->symbols, object, record->build_id, record->size);
}

static void take_build_id(struct profile *profile, const struct hwpmc_log_build_id *record)
{
	if (!strcmp(log_record_text(record, record->path_offset), SYMBOLS_KERNEL))
		symbols_kernel_build_id(&profile->symbols, record->build_id, record->size);
}

void profile_take(struct profile *profile, const struct hwpmc_log_header *record)
{
	switch (record->type) {
	case HWPMC_LOG_SAMPLE:
	case HWPMC_LOG_PROBE:
		take_sample(profile, (const void *)record);
		return;
	case HWPMC_LOG_SYSTEM:
		take_system(profile, (const void *)record);
		return;
	case HWPMC_LOG_ALLOCATE:
	case HWPMC_LOG_EVENT:
	case HWPMC_LOG_DROP:
	case HWPMC_LOG_THROTTLE:
		profile_pmc_take(profile, record);
		return;
	case HWPMC_LOG_BUILD_ID:
		take_build_id(profile, (const void *)record);
		processes_take(&profile->processes, record);
		return;
	default:
		take_process(profile, record);
	}
}

/* --- From places to frames */

/* The frames of all places in one array; those of a place are innermost first. */
struct frames_of {
	uint32_t *list;
	uint32_t *first;
};

static struct frames_of look_up(struct profile *profile)
{
	uint32_t places = profile->places.count, count = 0, room = 0;
	struct frames_of all = { .first = xcalloc((size_t)places + 1, sizeof(*all.first)) };
	struct frame frames[DSO_CALLS_MAX];

	for (uint32_t id = 0; id < places; id++) {
		const struct place *place = intern_at(&profile->places, id);
		int found = symbols_frames(&profile->symbols, place->object, place->offset, frames);

		if (count + (uint32_t)found > room) {
			room = 2 * (room + DSO_CALLS_MAX);
			all.list = xrealloc(all.list, room, sizeof(*all.list));
		}
		all.first[id] = count;
		for (int i = 0; i < found; i++)
			all.list[count++] = intern_id(&profile->frames, &frames[i]);
	}
	all.first[places] = count;
	return all;
}

/* Merges the groups of PMCs that count the same event. */
static uint32_t *merge_groups(struct profile *profile, const uint32_t *event_of)
{
	uint32_t count = profile->groups.count;
	uint32_t *merged = xcalloc(count, sizeof(*merged));
	struct intern groups;

	intern_init(&groups, sizeof(struct group));
	for (uint32_t id = 0; id < count; id++) {
		struct group group = *profile_group(profile, id);

		group.event = event_of[group.event];
		merged[id] = intern_id(&groups, &group);
	}
	intern_free(&profile->groups);
	profile->groups = groups;
	return merged;
}

/*
 * Successive unknown frames are merged: they come from stacks that could not be unwound. So are
 * those of an object whose addresses are one place.
 */
static uint32_t name_child(struct profile *profile, uint32_t at, uint32_t frame)
{
	uint32_t merged = FRAME_UNKNOWN | (profile->request.by_object ? FRAME_NAMELESS : 0);
	struct node above = tree_node(&profile->tree, at);

	if (above.parent != NODE_NONE && above.what == frame &&
	    profile_frame(profile, frame)->flags & merged)
		return at;
	return tree_child(&profile->tree, at, frame);
}

static void name_nodes(struct profile *profile, const uint32_t *groups,
		       const struct frames_of *frames)
{
	uint32_t count = tree_count(&profile->chains);
	uint32_t *node_of = xcalloc(count, sizeof(*node_of));
	struct tree *tree = &profile->tree;

	for (uint32_t id = 0; id < count; id++) {
		struct node node = tree_node(&profile->chains, id);
		uint32_t at;

		if (node.parent == NODE_NONE) {
			at = tree_child(tree, NODE_NONE, groups[node.what]);
		} else {
			uint32_t first = frames->first[node.what];

			at = node_of[node.parent];
			for (uint32_t i = frames->first[node.what + 1]; i-- > first;)
				at = name_child(profile, at, frames->list[i]);
		}
		node_of[id] = at;
		tree_add(tree, at, profile->chains.self[id], profile->chains.samples[id]);
	}
	free(node_of);
}

void profile_resolve(struct profile *profile)
{
	uint32_t *event_of = profile_pmc_events(profile), *groups;
	struct frames_of frames;

	profile->symbols.paths.release = intern_text(&profile->names, profile->release);
	frames = look_up(profile);
	groups = merge_groups(profile, event_of);
	name_nodes(profile, groups, &frames);
	tree_free(&profile->chains);
	free(frames.list);
	free(frames.first);
	free(groups);
	free(event_of);
}
