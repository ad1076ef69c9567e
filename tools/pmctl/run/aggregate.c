// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "run/aggregate.h"
#include "run/session.h"

static char *thread_label(int tid)
{
	char path[64], comm[64] = "";
	FILE *file;

	if (!tid)
		return xstrdup("(exited)");
	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	file = fopen(path, "re");
	if (file) {
		if (fgets(comm, sizeof(comm), file))
			comm[strcspn(comm, "\n")] = '\0';
		utf8_scrub(comm);
		fclose(file);
	}
	return *comm ? xasprintf("%s-%d", comm, tid) : xasprintf("%d", tid);
}

static char *scope_label(const struct aggregate *aggregate, enum scope_kind kind, int number)
{
	switch (kind) {
	case SCOPE_THREAD:
		return thread_label(number);
	case SCOPE_CPU:
		return xasprintf("CPU%d", number);
	case SCOPE_CORE:
	case SCOPE_SOCKET:
	case SCOPE_NODE:
		return xstrdup(aggregate->topology.groups[number].label);
	default:
		return NULL;
	}
}

static struct scope *scope_of(struct aggregate *aggregate, enum scope_kind kind, int number)
{
	struct scope *scope;

	for (unsigned int i = 0; i < aggregate->scope_count; i++) {
		scope = &aggregate->scopes[i];
		if (scope->kind == kind && scope->number == number)
			return scope;
	}
	aggregate->scopes = xrealloc(aggregate->scopes, aggregate->scope_count + 1, sizeof(*scope));
	scope = &aggregate->scopes[aggregate->scope_count++];
	*scope = (struct scope){
		.kind = kind,
		.number = number,
		.label = scope_label(aggregate, kind, number),
		.cells = xcalloc(aggregate->event_count, sizeof(struct aggregate_cell)),
	};
	return scope;
}

/* Adds the current values to @last, before the counters are read again. */
static void cell_begin_reading(struct aggregate_cell *cell)
{
	cell->last.value += cell->value;
	cell->last.enabled += cell->enabled;
	cell->last.running += cell->running;
	cell->value = 0;
	cell->enabled = 0;
	cell->running = 0;
}

static void begin_reading(struct aggregate *aggregate)
{
	for (unsigned int i = 0; i < aggregate->scope_count; i++) {
		aggregate->scopes[i].seen = false;
		for (unsigned int j = 0; j < aggregate->event_count; j++)
			cell_begin_reading(&aggregate->scopes[i].cells[j]);
	}
}

/* Returns 0 if @now is smaller, because the scope is no longer part of the reading. */
static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* Counters are read since the start; values count since the last reading. */
static void subtract_last(struct aggregate *aggregate)
{
	for (unsigned int i = 0; i < aggregate->scope_count; i++) {
		for (unsigned int j = 0; j < aggregate->event_count; j++) {
			struct aggregate_cell *cell = &aggregate->scopes[i].cells[j];

			cell->value = since(cell->value, cell->last.value);
			cell->enabled = since(cell->enabled, cell->last.enabled);
			cell->running = since(cell->running, cell->last.running);
		}
	}
}

static void add_times(struct aggregate_cell *cell, const struct counter *counter)
{
	cell->enabled += counter->times.enabled;
	cell->running += counter->times.running;
}

static const struct {
	enum scope_kind kind;
	enum topology_by group;
} tallies[] = {
	[TALLY_SUM] = { SCOPE_ALL, TOPOLOGY_NONE },
	[TALLY_CPUS] = { SCOPE_CPU, TOPOLOGY_NONE },
	[TALLY_CORES] = { SCOPE_CORE, TOPOLOGY_CORE },
	[TALLY_SOCKETS] = { SCOPE_SOCKET, TOPOLOGY_SOCKET },
	[TALLY_NODES] = { SCOPE_NODE, TOPOLOGY_NODE },
};

/* Returns the scope to which @cpu is added. */
static struct scope *scope_of_cpu(struct aggregate *aggregate, enum aggregate_by by, int cpu)
{
	enum scope_kind kind = tallies[by].kind;
	struct scope *scope;
	unsigned int group;

	if (!tallies[by].group)
		return scope_of(aggregate, kind, kind == SCOPE_CPU ? cpu : 0);
	group = aggregate->topology.group_of[cpu];
	scope = scope_of(aggregate, kind, (int)group);
	scope->cpus = aggregate->topology.groups[group].cpus;
	return scope;
}

static void sum_up(struct aggregate *aggregate, const struct session *session, enum aggregate_by by)
{
	if (tallies[by].group && !aggregate->topology.count)
		topology_read(&aggregate->topology, &session->cpus, tallies[by].group);
	if (by == TALLY_SUM)
		scope_of(aggregate, SCOPE_ALL, 0)->seen = true;
	for (unsigned int i = 0; by != TALLY_SUM && i < session->cpus.count; i++)
		scope_of_cpu(aggregate, by, session->cpus.cpu[i])->seen = true;
	for (unsigned int i = 0; i < session->counter_count; i++) {
		const struct counter *counter = &session->counters[i];
		struct scope *scope = scope_of_cpu(aggregate, by, counter->cpu);
		struct aggregate_cell *cell = &scope->cells[counter->event];

		cell->value += counter->value;
		add_times(cell, counter);
	}
}

static const struct counter *counter_of(const struct session *session, uint32_t id)
{
	for (unsigned int i = 0; i < session->counter_count; i++)
		if (session->ids[i] == id)
			return &session->counters[i];
	return NULL;
}

static bool is_alive(const struct hwpmc_target_value *target)
{
	return !(target->flags & (HWPMC_TARGET_GONE | HWPMC_TARGET_BASE)) && target->tid > 0;
}

static void add_target(struct aggregate *aggregate, const struct session *session,
		       const struct hwpmc_target_value *target)
{
	const struct counter *counter = counter_of(session, target->id);
	struct scope *scope;

	if (!counter)
		return;
	scope = scope_of(aggregate, SCOPE_THREAD, is_alive(target) ? target->tid : 0);
	scope->seen = true;
	scope->cells[counter->event].value += target->value;
}

/*
 * The counts of a thread that exited are part of "(exited)" from now on: moves what was already
 * reported for the thread, so that it is not reported again.
 */
static void move_exited(struct aggregate *aggregate)
{
	struct scope *exited = scope_of(aggregate, SCOPE_THREAD, 0);

	for (unsigned int i = 0; i < aggregate->scope_count; i++) {
		struct scope *scope = &aggregate->scopes[i];

		if (scope->seen || scope == exited)
			continue;
		for (unsigned int j = 0; j < aggregate->event_count; j++) {
			struct aggregate_cell *cell = &scope->cells[j];

			exited->cells[j].last.value += cell->last.value;
			memset(&cell->last, 0, sizeof(cell->last));
		}
	}
}

/* The module reports one sum for all exited threads: splits it by thread. */
static void split_exited(struct aggregate *aggregate)
{
	struct scope *exited = scope_of(aggregate, SCOPE_THREAD, 0);

	for (unsigned int i = 0; i < aggregate->scope_count; i++) {
		struct scope *scope = &aggregate->scopes[i];

		/*
		 * If the thread is in the reading, its record was written a moment before the
		 * module removes the thread.
		 */
		if (!scope->has_exited || scope->seen)
			continue;
		scope->seen = true;
		for (unsigned int j = 0; j < aggregate->event_count; j++) {
			scope->cells[j].value = scope->cells[j].exited;
			exited->cells[j].value = since(exited->cells[j].value,
						       scope->cells[j].exited);
		}
	}
}

/* A thread that has exited is shown once, and the sum of the others if there are any. */
static void hide_exited(struct aggregate *aggregate)
{
	bool any = false;

	for (unsigned int i = 0; i < aggregate->scope_count; i++)
		any |= aggregate->scopes[i].has_exited;
	for (unsigned int i = 0; any && i < aggregate->scope_count; i++) {
		struct scope *scope = &aggregate->scopes[i];
		bool counted = false;

		if (scope->kind != SCOPE_THREAD || !scope->seen ||
		    (scope->number && !scope->has_exited))
			continue;
		for (unsigned int j = 0; j < aggregate->event_count; j++)
			counted |= scope->cells[j].value != 0;
		scope->seen = counted || (scope->number && !scope->was_shown);
		scope->was_shown = true;
	}
}

void aggregate_exit(struct aggregate *aggregate, const struct session *session,
		    const struct hwpmc_log_value *value, const char *comm)
{
	const struct counter *counter = counter_of(session, value->h.id);
	struct scope *scope;

	if (!counter || value->tid <= 0)
		return;
	aggregate->event_count = session->event_count;
	scope = scope_of(aggregate, SCOPE_THREAD, value->tid);
	/* The label has no name, because the thread was not running at any reading. */
	if (comm && !strchr(scope->label, '-')) {
		free(scope->label);
		scope->label = xasprintf("%s-%d", comm, value->tid);
	}
	scope->has_exited = true;
	scope->cells[counter->event].exited += value->value;
}

static int take_threads(struct aggregate *aggregate, struct session *session)
{
	struct hwpmc_target_value *targets;
	unsigned int count;

	if (session_read_targets(session, &targets, &count))
		return -1;
	/* Add this scope now: adding it in move_exited() would move the scopes during its loop. */
	scope_of(aggregate, SCOPE_THREAD, 0);
	for (unsigned int i = 0; i < count; i++)
		add_target(aggregate, session, &targets[i]);
	free(targets);
	split_exited(aggregate);
	move_exited(aggregate);
	for (unsigned int i = 0; i < aggregate->scope_count; i++) {
		struct scope *scope = &aggregate->scopes[i];

		for (unsigned int j = 0; scope->seen && j < session->counter_count; j++)
			add_times(&scope->cells[session->counters[j].event], &session->counters[j]);
	}
	return 0;
}

int aggregate_take(struct aggregate *aggregate, struct session *session, enum aggregate_by by)
{
	aggregate->event_count = session->event_count;
	begin_reading(aggregate);
	/* Without a counter no threads are reported. */
	if (by == TALLY_THREADS && session->counter_count) {
		if (take_threads(aggregate, session))
			return -1;
	} else {
		if (session_read(session))
			return -1;
		sum_up(aggregate, session, by == TALLY_THREADS ? TALLY_SUM : by);
	}
	subtract_last(aggregate);
	hide_exited(aggregate);
	return 0;
}

void aggregate_run(struct aggregate *aggregate)
{
	for (unsigned int i = 0; i < aggregate->scope_count; i++) {
		for (unsigned int j = 0; j < aggregate->event_count; j++) {
			struct aggregate_cell *cell = &aggregate->scopes[i].cells[j];

			if (cell->enabled)
				spread_add(&cell->spread, (double)cell->value);
			cell->all_enabled += cell->enabled;
			cell->all_running += cell->running;
			/* The next run allocates new counters, which start at 0. */
			memset(&cell->last, 0, sizeof(cell->last));
			cell->value = 0;
			cell->enabled = 0;
			cell->running = 0;
		}
	}
}

void aggregate_free(struct aggregate *aggregate)
{
	for (unsigned int i = 0; i < aggregate->scope_count; i++) {
		free(aggregate->scopes[i].label);
		free(aggregate->scopes[i].cells);
	}
	free(aggregate->scopes);
	topology_free(&aggregate->topology);
	memset(aggregate, 0, sizeof(*aggregate));
}
