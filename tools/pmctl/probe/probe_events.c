// SPDX-License-Identifier: GPL-2.0-only
/* The events of a run: their prototypes, the parts that each record needs, and their PMCs. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "event/prototype_find.h"
#include "probe/probe.h"
#include "run/run.h"

static int check_probes(const struct spec_list *specs)
{
	for (unsigned int i = 0; i < specs->count; i++) {
		if (specs->specs[i].kind == SPEC_PROBE)
			continue;
		error("'%s' is not a probe, such as syscall:openat:entry; 'pmctl record' samples it",
		      specs->specs[i].text);
		return -1;
	}
	return 0;
}

static void find_prototypes(struct probe_run *run)
{
	run->btf = btf_open();
	run->event_count = run->session.event_count;
	run->events = xcalloc(run->event_count, sizeof(*run->events));
	for (unsigned int i = 0; i < run->event_count; i++) {
		run->events[i].name = run->session.events[i].name;
		prototype_find(run->btf, run->events[i].name, &run->events[i].prototype);
	}
}

static int resolve_aggregations(struct probe_run *run)
{
	struct probe_options *options = &run->options;

	for (unsigned int i = 0; i < options->aggregation_count; i++)
		if (aggregation_resolve(&options->aggregations[i], run->events, run->event_count,
					(uint32_t)options->max_keys))
			return -1;
	return 0;
}

static int resolve_filter(struct probe_run *run)
{
	const struct operand_events events = { .list = run->events, .count = run->event_count };

	for (unsigned int i = 0; i < run->event_count; i++)
		if (filter_resolve(&run->options.filter, &events, i, &run->session.events[i]))
			return -1;
	return 0;
}

/* Finds the argument of @event that --string selects. */
static int find_string(struct probe_run *run, unsigned int index)
{
	struct operand_events one = {
		.list = run->events, .count = run->event_count, .from = index, .to = index,
	};
	unsigned int *string = &run->events[index].string;
	struct operand operand;
	char why[512];
	int result = operand_find(&operand, run->options.string, false, &one, why, sizeof(why));

	if (result)
		error("--string, for '%s': %s", run->events[index].name, why);
	else if (operand.kind == OPERAND_RETVAL)
		*string = HWPMC_PROBE_STRING_RETVAL;
	else if (operand.kind == OPERAND_ARGUMENT)
		*string = (unsigned int)operand.index[index] + 1;
	else
		error("--string: '%s' is neither an argument nor retval", run->options.string);
	operand_free(&operand);
	run->session.events[index].string = *string;
	return *string ? 0 : -1;
}

static int resolve_string(struct probe_run *run)
{
	if (!run->options.string)
		return 0;
	for (unsigned int i = 0; i < run->event_count; i++)
		if (find_string(run, i))
			return -1;
	return 0;
}

/* Returns the number of arguments that the records of an event need. */
static unsigned int arguments_of(const struct probe_run *run, unsigned int event)
{
	const struct probe_options *options = &run->options;
	unsigned int most = 0;

	if (options->args && !options->aggregation_count)
		return run->events[event].prototype.count;
	if (run->events[event].string && run->events[event].string <= HWPMC_PROBE_ARGS_MAX)
		return run->events[event].string;
	for (unsigned int i = 0; i < options->aggregation_count; i++) {
		unsigned int needed = aggregation_arguments(&options->aggregations[i], event);

		most = needed > most ? needed : most;
	}
	return most;
}

static bool need(const struct probe_options *options, enum operand_kind kind)
{
	for (unsigned int i = 0; i < options->aggregation_count; i++)
		if (aggregation_has_key(&options->aggregations[i], kind))
			return true;
	return false;
}

static unsigned int flags_of(const struct probe_options *options)
{
	bool lines = !options->aggregation_count;
	unsigned int flags = run_flags(&options->common);

	if ((lines && options->comm) || need(options, OPERAND_COMM))
		flags |= HWPMC_F_COMM;
	if ((lines && options->stacks) || need(options, OPERAND_KSTACK))
		flags |= HWPMC_F_CALLCHAIN;
	if ((lines && options->stacks) || need(options, OPERAND_USTACK))
		flags |= HWPMC_F_USERCALLCHAIN;
	return flags;
}

static void note_unknown(const struct probe_run *run)
{
	for (unsigned int i = 0; i < run->event_count; i++)
		if (!run->events[i].prototype.known && run->session.events[i].args)
			note("the number of arguments of '%s' is unknown: values beyond the last "
			     "argument are random", run->events[i].name);
}

static void take_ids(struct probe_run *run)
{
	intern_init(&run->ids, sizeof(uint32_t));
	for (unsigned int i = 0; i < run->session.counter_count; i++)
		intern_id(&run->ids, &run->session.ids[i]);
}

int probe_events_allocate(struct probe_run *run)
{
	struct session *session = &run->session;

	if (check_probes(&run->options.common.specs) ||
	    run_resolve_events(session, &run->options.common.specs))
		return -1;
	find_prototypes(run);
	if (resolve_aggregations(run) || resolve_filter(run) || resolve_string(run))
		return -1;
	for (unsigned int i = 0; i < run->event_count; i++)
		session->events[i].args = arguments_of(run, i);
	session->flags = flags_of(&run->options);
	session->sampling = (struct sampling){ .on = true, .count = 1 };
	if (session->flags & HWPMC_F_CALLCHAIN)
		stack_names_read_kernel(&run->names);
	if (session_allocate(session))
		return -1;
	/* The reason was printed for each event that was refused. */
	for (unsigned int i = 0; i < session->event_count; i++)
		if (session->grants[i] != GRANT_YES)
			return -1;
	take_ids(run);
	note_unknown(run);
	return 0;
}

void probe_events_free(struct probe_run *run)
{
	for (unsigned int i = 0; i < run->event_count; i++)
		prototype_free(&run->events[i].prototype);
	free(run->events);
	btf_close(run->btf);
	intern_free(&run->ids);
}
