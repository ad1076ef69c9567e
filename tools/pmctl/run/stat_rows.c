// SPDX-License-Identifier: GPL-2.0-only
/* Turns values into rows of results. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "run/stat.h"

/* With -r the mean of all runs, else the value. */
static double cell_value(const struct stat_run *run, const struct aggregate_cell *cell)
{
	return run->options.repeat > 1 ? cell->spread.mean : (double)cell->value;
}

static bool cell_counted(const struct stat_run *run, const struct aggregate_cell *cell)
{
	return run->options.repeat > 1 ? cell->spread.count > 0 : cell->enabled > 0;
}

/* The time of cell_value(): with -r the mean of all runs. */
static uint64_t cell_time(const struct stat_run *run, const struct aggregate_cell *cell,
			  uint64_t one, uint64_t all)
{
	if (run->options.repeat == 1)
		return one;
	return cell->spread.count ? all / cell->spread.count : 0;
}

static uint64_t cell_running(const struct stat_run *run, const struct aggregate_cell *cell)
{
	return cell_time(run, cell, cell->running, cell->all_running);
}

static uint64_t cell_enabled(const struct stat_run *run, const struct aggregate_cell *cell)
{
	return cell_time(run, cell, cell->enabled, cell->all_enabled);
}

static struct measured *measure(const struct stat_run *run, const struct scope *scope)
{
	struct measured *all = xcalloc(run->session.event_count, sizeof(*all));

	for (unsigned int i = 0; i < run->session.event_count; i++) {
		const struct aggregate_cell *cell = &scope->cells[i];

		all[i] = (struct measured){
			.event = &run->session.events[i],
			.counted = run->session.grants[i] == GRANT_YES && cell_counted(run, cell),
			.value = stat_bias_without(run, i, cell_value(run, cell)),
		};
	}
	return all;
}

/*
 * CPU time in which an event was counted. For a CPU it is the elapsed time. For a program it is
 * known at its end, if the program was counted from start to end and is the only target.
 */
static double cpu_seconds(const struct stat_run *run, const struct aggregate_cell *cell)
{
	const struct run_options *options = &run->options;

	if (options->system_wide)
		return (double)cell_running(run, cell) / NS_PER_SECOND;
	if (options->interval || options->delay || options->timeout || options->no_inherit ||
	    options->per_thread || !run->ending.has_usage)
		return 0.0;
	return (run->ending.user + run->ending.sys) / (double)run->ending.elapsed.count;
}

static enum grant grant_of(const struct stat_run *run, unsigned int event, bool counted)
{
	enum grant grant = run->session.grants[event];

	return grant == GRANT_YES && !counted ? GRANT_NOT_COUNTED : grant;
}

/* Only means and values without the bias are rounded: others may need all 64 bits. */
static uint64_t shown_value(const struct stat_run *run, unsigned int event,
			    const struct aggregate_cell *cell)
{
	if (run->options.repeat == 1 && !run->bias)
		return cell->value;
	return (uint64_t)llround(stat_bias_without(run, event, cell_value(run, cell)));
}

static void scope_rows(struct stat_run *run, const struct scope *scope, double seconds)
{
	unsigned int count = run->session.event_count;
	struct measured *all = measure(run, scope);

	for (unsigned int i = 0; i < count; i++) {
		const struct aggregate_cell *cell = &scope->cells[i];
		double cpu = cpu_seconds(run, cell);
		struct stat_row row = {
			.seconds = seconds,
			.scope = scope,
			.event = &run->session.events[i],
			.grant = grant_of(run, i, all[i].counted),
			.value = shown_value(run, i, cell),
			.variance = run->options.repeat > 1 ? spread_percent(&cell->spread) : -1.0,
			.running = cell_running(run, cell),
			.enabled = cell_enabled(run, cell),
			.metric = metric_of(all, count, i, cpu),
		};

		run->printer.ops->row(&run->printer, &row);
	}
	free(all);
}

void stat_rows(struct stat_run *run, double seconds)
{
	for (unsigned int i = 0; i < run->aggregate.scope_count; i++) {
		const struct scope *scope = &run->aggregate.scopes[i];

		if (scope->seen)
			scope_rows(run, scope, seconds);
	}
}
