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

static char *place_label(enum place_kind kind, int number)
{
	if (kind == PLACE_THREAD)
		return thread_label(number);
	return kind == PLACE_CPU ? xasprintf("CPU%d", number) : NULL;
}

static struct place *place_of(struct tally *tally, enum place_kind kind, int number)
{
	struct place *place;

	for (unsigned int i = 0; i < tally->place_count; i++) {
		place = &tally->places[i];
		if (place->kind == kind && place->number == number)
			return place;
	}
	tally->places = xrealloc(tally->places, tally->place_count + 1, sizeof(*place));
	place = &tally->places[tally->place_count++];
	*place = (struct place){
		.kind = kind,
		.number = number,
		.label = place_label(kind, number),
		.cells = xcalloc(tally->event_count, sizeof(struct cell)),
	};
	return place;
}

/* Everything moves from "now" to "last" before "now" is summed up anew. */
static void cell_turn(struct cell *cell)
{
	cell->last.value += cell->value;
	cell->last.enabled += cell->enabled;
	cell->last.running += cell->running;
	cell->value = 0;
	cell->enabled = 0;
	cell->running = 0;
}

static void turn(struct tally *tally)
{
	for (unsigned int i = 0; i < tally->place_count; i++) {
		tally->places[i].seen = false;
		for (unsigned int j = 0; j < tally->event_count; j++)
			cell_turn(&tally->places[i].cells[j]);
	}
}

/* A line that is not there any more reads 0, and nothing came since. */
static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* What was read is since the start; what is shown is since the last reading. */
static void settle(struct tally *tally)
{
	for (unsigned int i = 0; i < tally->place_count; i++) {
		for (unsigned int j = 0; j < tally->event_count; j++) {
			struct cell *cell = &tally->places[i].cells[j];

			cell->value = since(cell->value, cell->last.value);
			cell->enabled = since(cell->enabled, cell->last.enabled);
			cell->running = since(cell->running, cell->last.running);
		}
	}
}

static void add_times(struct cell *cell, const struct counter *counter)
{
	cell->enabled += counter->times.enabled;
	cell->running += counter->times.running;
}

static void sum_up(struct tally *tally, const struct session *session, bool by_cpu)
{
	if (!by_cpu)
		place_of(tally, PLACE_ALL, 0)->seen = true;
	for (unsigned int i = 0; by_cpu && i < session->cpus.count; i++)
		place_of(tally, PLACE_CPU, session->cpus.cpu[i])->seen = true;
	for (unsigned int i = 0; i < session->counter_count; i++) {
		const struct counter *counter = &session->counters[i];
		struct place *place = by_cpu ? place_of(tally, PLACE_CPU, counter->cpu) :
					       place_of(tally, PLACE_ALL, 0);
		struct cell *cell = &place->cells[counter->event];

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

static bool alive(const struct hwpmc_target_value *target)
{
	return !(target->flags & (HWPMC_TARGET_GONE | HWPMC_TARGET_BASE)) && target->tid;
}

static void add_target(struct tally *tally, const struct session *session,
		       const struct hwpmc_target_value *target)
{
	const struct counter *counter = counter_of(session, target->id);
	struct place *place;

	if (!counter)
		return;
	place = place_of(tally, PLACE_THREAD, alive(target) ? target->tid : 0);
	place->seen = true;
	place->cells[counter->event].value += target->value;
}

/*
 * A thread that exited is in "(exited)" now, with all that it counted before:
 * what it was seen to count already is not new there.
 */
static void bury(struct tally *tally)
{
	struct place *grave = place_of(tally, PLACE_THREAD, 0);

	for (unsigned int i = 0; i < tally->place_count; i++) {
		struct place *place = &tally->places[i];

		if (place->seen || place == grave)
			continue;
		for (unsigned int j = 0; j < tally->event_count; j++) {
			struct cell *cell = &place->cells[j];

			grave->cells[j].last.value += cell->last.value;
			memset(&cell->last, 0, sizeof(cell->last));
		}
	}
}

static int take_threads(struct tally *tally, struct session *session)
{
	struct hwpmc_target_value *targets;
	unsigned int count;

	if (session_read_targets(session, &targets, &count))
		return -1;
	/* Made now: bury() must not move the lines while it walks them. */
	place_of(tally, PLACE_THREAD, 0);
	for (unsigned int i = 0; i < count; i++)
		add_target(tally, session, &targets[i]);
	free(targets);
	bury(tally);
	for (unsigned int i = 0; i < tally->place_count; i++)
		for (unsigned int j = 0; tally->places[i].seen && j < session->counter_count; j++)
			add_times(&tally->places[i].cells[session->counters[j].event],
				  &session->counters[j]);
	return 0;
}

int tally_take(struct tally *tally, struct session *session, enum tally_by by)
{
	tally->event_count = session->event_count;
	turn(tally);
	/* Without a counter there are no threads to show either. */
	if (by == TALLY_THREADS && session->counter_count) {
		if (take_threads(tally, session))
			return -1;
	} else {
		if (session_read(session))
			return -1;
		sum_up(tally, session, by == TALLY_CPUS);
	}
	settle(tally);
	return 0;
}

void tally_run(struct tally *tally)
{
	for (unsigned int i = 0; i < tally->place_count; i++) {
		for (unsigned int j = 0; j < tally->event_count; j++) {
			struct cell *cell = &tally->places[i].cells[j];

			if (cell->enabled)
				spread_add(&cell->spread, (double)cell->value);
			cell->all_enabled += cell->enabled;
			cell->all_running += cell->running;
			/* The next run has counters of its own, which start at 0. */
			memset(&cell->last, 0, sizeof(cell->last));
			cell->value = 0;
			cell->enabled = 0;
			cell->running = 0;
		}
	}
}

void tally_free(struct tally *tally)
{
	for (unsigned int i = 0; i < tally->place_count; i++) {
		free(tally->places[i].label);
		free(tally->places[i].cells);
	}
	free(tally->places);
	memset(tally, 0, sizeof(*tally));
}
