/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_PROBE_H
#define PMCTL_PROBE_H

#include "event/btf.h"
#include "probe/aggregation.h"
#include "probe/filter.h"
#include "probe/order.h"
#include "probe/print.h"
#include "run/child.h"
#include "run/rings.h"
#include "run/run_options.h"
#include "run/session.h"
#include "run/wait.h"

/**
 * struct probe_options - the command line of pmctl probe
 * @common: options that other commands also have
 * @aggregations: --count and the others, in their order
 * @aggregation_count: number of them
 * @filter: --filter
 * @string: --string, or NULL
 * @args: --args
 * @comm: --comm
 * @stacks: -g
 * @top: --top, 0 without
 * @max_keys: --max-keys
 * @buffer: -m in KiB, 0 without
 */
struct probe_options {
	struct run_options common;
	struct aggregation *aggregations;
	unsigned int aggregation_count;
	struct filter filter;
	const char *string;
	bool args;
	bool comm;
	bool stacks;
	long top;
	long max_keys;
	long buffer;
};

/**
 * struct probe_run - one pmctl probe
 * @options: its command line
 * @session: its PMCs
 * @ids: handle of each PMC, by its number in @session
 * @btf: types of the kernel, or NULL
 * @events: what the events of @session are
 * @event_count: number of events
 * @rings: the rings of their records
 * @order: records that wait for older ones of other rings
 * @names: of stacks and threads
 * @print: the output
 * @ending: numbers of events; until the end, @skipped is the number before the run
 * @wait: what ends the run
 * @child: the program
 * @started: the PMCs have been started
 * @result: the exit status
 */
struct probe_run {
	struct probe_options options;
	struct session session;
	struct intern ids;
	struct btf *btf;
	struct probe_event *events;
	unsigned int event_count;
	struct rings rings;
	struct order order;
	struct stack_names names;
	struct print print;
	struct print_ending ending;
	struct wait wait;
	struct child child;
	bool started;
	int result;
};

/* The run, after @options were parsed. Sets @result. */
void probe_execute(struct probe_run *run);
void probe_free(struct probe_run *run);

/*
 * Functions for probe.c, from probe_events.c and probe_records.c. They return 0, or -1 after a
 * message.
 */

/* Resolves the events and the words of the aggregations, and allocates the PMCs. */
int probe_events_allocate(struct probe_run *run);
void probe_events_free(struct probe_run *run);

/* Reads the rings, and shows the events that no other CPU's events can precede. */
int probe_records_drain(struct probe_run *run);
/* Reads the last records, after the PMCs were stopped. */
int probe_records_end(struct probe_run *run);

#endif
