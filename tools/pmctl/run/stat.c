// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exit.h"
#include "run/run.h"
#include "run/session.h"
#include "run/stat.h"

/*
 * The default events: hardware events for six rows, with the events of -d first, since there may
 * not be rows for all; and software events, which need no row.
 */
#define BRANCHES "branches,branch-misses"
#define HARDWARE "cycles,instructions," BRANCHES ",cache-references,cache-misses"
#define CACHES "cycles,instructions,L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses"
#define MORE_CACHES CACHES ",L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-load-misses"
#define SOFTWARE "task-clock,context-switches,page-faults"

static const char *const default_events[] = {
	HARDWARE, CACHES "," BRANCHES, MORE_CACHES "," BRANCHES,
};

static unsigned int flags_of(const struct run_options *options)
{
	return run_flags(options) | (options->per_switch ? HWPMC_F_LOG_PROCCSW : 0) |
	       (options->per_exit || options->per_thread ? HWPMC_F_LOG_PROCEXIT : 0);
}

static int choose_events(struct run_options *options, const struct hardware *hardware)
{
	unsigned int most = sizeof(default_events) / sizeof(default_events[0]) - 1;
	unsigned int level = options->detailed < most ? options->detailed : most;

	if (!options->default_events)
		return 0;
	if (run_options_take_events(options, default_events[level]))
		return -1;
	return hardware->core ? 0 : run_options_take_events(options, SOFTWARE);
}

static int open_session(struct stat_run *run)
{
	struct session *session = &run->session;
	const struct run_options *options = &run->options;

	session->flags = flags_of(options);
	session->lenient = options->default_events;
	if (run_open_session(session, options) ||
	    choose_events(&run->options, &session->hardware) ||
	    run_resolve_events(session, &options->specs))
		return -1;
	if (!options->per_switch && !options->per_exit && !options->per_thread)
		return 0;
	return rings_open(&run->rings, session->fd, 0, 0);
}

/* If no event of the PMU could be counted, prints why the PMU is not available. */
static void explain_nothing(const struct session *session)
{
	bool missing = false;

	for (unsigned int i = 0; i < session->event_count; i++) {
		if (!hardware_class_needs_pmu(session->events[i].codes[0].class_id))
			continue;
		if (session->grants[i] == GRANT_YES)
			return;
		missing = true;
	}
	if (missing && session->hardware.cpu.problem[0])
		note("%s", session->hardware.cpu.problem);
}

/* Prints a warning if counts are too low. */
static void explain_loss(struct session *session)
{
	uint64_t lost = session_lost(session);

	if (lost)
		note("%llu children or threads were not counted for lack of memory: "
		     "the counts are too low", (unsigned long long)lost);
}

static int repeat(struct stat_run *run)
{
	for (long i = 0; i < run->options.repeat && !run->wait.signal && !run->post_failed; i++) {
		if (stat_once(run))
			return -1;
		if (run->options.repeat > 1)
			aggregate_run(&run->aggregate);
	}
	return 0;
}

static int count(struct stat_run *run)
{
	if (run->printer.intervals && run->printer.ops->begin)
		run->printer.ops->begin(&run->printer);
	if ((run->options.bias && stat_bias_measure(run)) || repeat(run))
		return -1;
	explain_nothing(&run->session);
	explain_loss(&run->session);
	if (!run->printer.intervals) {
		if (run->printer.ops->begin)
			run->printer.ops->begin(&run->printer);
		stat_rows(run, -1.0);
	}
	if (run->printer.ops->end)
		run->printer.ops->end(&run->printer, &run->ending);
	stat_bias_show(run);
	if (run->post_failed)
		run->result = EXIT_OWN;
	return 0;
}

static int execute(struct stat_run *run)
{
	if (run_open_signals(&run->wait, &run->child) || control_open(&run->control) ||
	    open_session(run) || stat_output_open(run))
		return -1;
	if (count(run)) {
		stat_output_close(run);
		return -1;
	}
	return stat_output_close(run);
}

void stat_execute(struct stat_run *run)
{
	if (execute(run) && run->result == 0)
		run->result = EXIT_OWN;
}

void stat_free(struct stat_run *run)
{
	aggregate_free(&run->aggregate);
	rings_close(&run->rings);
	control_close(&run->control);
	free(run->values);
	free(run->bias);
	session_free(&run->session);
	run_options_free(&run->options);
}
