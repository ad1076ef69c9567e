// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/exit.h"
#include "base/number.h"
#include "probe/probe.h"
#include "run/run.h"

static bool to_stdout(const struct probe_run *run)
{
	const char *output = run->options.common.output;

	return !output || !strcmp(output, "-");
}

static int open_output(struct probe_run *run)
{
	struct print *print = &run->print;
	const struct probe_options *options = &run->options;

	*print = (struct print){
		.ops = options->common.json ? &print_json : &print_text,
		.out = to_stdout(run) ? stdout : fopen(options->common.output, "we"),
		.names = &run->names,
		.events = run->events,
		.event_count = run->event_count,
		.aggregations = options->aggregations,
		.aggregation_count = options->aggregation_count,
		.args = options->args,
		.comm = options->comm,
		.stacks = options->stacks,
		.top = options->top,
	};
	if (print->out)
		return 0;
	error("cannot write '%s': %s", options->common.output, strerror(errno));
	return -1;
}

static int close_output(struct probe_run *run)
{
	FILE *out = run->print.out;
	bool failed;

	run->print.out = NULL;
	/* main() reports errors of standard output. */
	if (!out || out == stdout)
		return 0;
	failed = ferror(out);
	if (!fclose(out) && !failed)
		return 0;
	error("cannot write '%s': %s", run->options.common.output, strerror(errno));
	return -1;
}

static int prepare(void *context)
{
	struct probe_run *run = context;
	struct session *session = &run->session;

	stack_names_init(&run->names, (uint32_t)run->options.max_keys);
	/* The rings are opened first, so that all records of processes are in them. */
	if (run_open_session(session, &run->options.common) ||
	    rings_open(&run->rings, session->fd, run->options.buffer, 0))
		return -1;
	return probe_events_allocate(run) || open_output(run) ? -1 : 0;
}

static int start(struct probe_run *run)
{
	struct hwpmc_sampled before;

	/* Events that were skipped before this run belong to other runs. */
	if (session_sampled(&run->session, &before))
		return -1;
	run->ending.skipped = before.skipped;
	run->print.start = clock_now();
	if (session_start(&run->session))
		return -1;
	run->started = true;
	return 0;
}

static void show_results(struct probe_run *run)
{
	double seconds = (double)(clock_now() - run->print.start) / NS_PER_SECOND;

	run->print.ops->results(&run->print, run->options.common.interval ? seconds : -1);
	for (unsigned int i = 0; i < run->options.aggregation_count; i++)
		aggregation_reset(&run->options.aggregations[i]);
	stack_reset(&run->names);
	fflush(run->print.out);
}

static struct wait_times find_times(const struct probe_run *run)
{
	const struct run_options *common = &run->options.common;
	struct wait_times times = { -1, -1, -1 };
	int64_t now = clock_now();

	if (common->delay > 0)
		times.start = now + common->delay * NS_PER_MS;
	if (common->interval && run->options.aggregation_count)
		times.next = (run->started ? now : times.start) + common->interval * NS_PER_MS;
	if (common->timeout)
		times.end = now + common->timeout * NS_PER_MS;
	return times;
}

/* 0: the run ended by itself or by a signal; 1: by --duration; -1: error. */
static int follow(struct probe_run *run)
{
	const struct run_options *common = &run->options.common;
	struct wait_times times = find_times(run);

	while (!wait_until(&run->wait, wait_soonest(&times))) {
		int64_t now = clock_now();

		if (times.start >= 0 && now >= times.start) {
			times.start = -1;
			if (start(run))
				return -1;
		}
		if (probe_records_drain(run))
			return -1;
		if (times.next >= 0 && now >= times.next) {
			show_results(run);
			times.next += common->interval * NS_PER_MS;
		}
		if (times.end >= 0 && now >= times.end)
			return 1;
		/* The reader of the output has exited, or there is no room for it. */
		if (ferror(run->print.out))
			return 0;
	}
	return 0;
}

static void show_ending(struct probe_run *run)
{
	const struct print_ending *ending = &run->ending;
	char events[NUMBER_MAX], lost[NUMBER_MAX], throttled[NUMBER_MAX], skipped[NUMBER_MAX];

	if (ending->lost)
		note("events were lost because the buffers were full; take larger buffers (-m %llu) "
		     "or fewer events", (unsigned long long)run->rings.made.data_size / 512);
	if (ending->throttled)
		note("events were not recorded because that took more of a CPU's time than the module's "
		     "parameter max_cpu_percent allows; record fewer events (--filter), or count them "
		     "with 'pmctl stat'");
	note("%s events, %s lost, %s throttled, %s skipped",
	     number_grouped(ending->recorded, events), number_grouped(ending->lost, lost),
	     number_grouped(ending->throttled, throttled),
	     number_grouped(ending->skipped, skipped));
}

static int finish(struct probe_run *run, bool timed_out)
{
	struct hwpmc_sampled sum = { 0 };
	int result = run->started ? session_stop(&run->session) : 0;

	if (!result)
		result = probe_records_end(run) || session_sampled(&run->session, &sum) ? -1 : 0;
	child_end(&run->child, run->wait.signals, timed_out ? -1 : END_GRACE_MS);
	run->result = run_exit_status(&run->child, timed_out);
	if (result)
		return -1;
	run->ending.lost = sum.lost - sum.throttled;
	run->ending.throttled = sum.throttled;
	run->ending.skipped = run->started ? sum.skipped - run->ending.skipped : 0;
	if (run->options.aggregation_count)
		show_results(run);
	if (run->print.ops->end)
		run->print.ops->end(&run->print, &run->ending);
	if (close_output(run))
		return -1;
	/* Standard output and the messages may use the same terminal. */
	fflush(stdout);
	show_ending(run);
	return 0;
}

static int go(void *context)
{
	struct probe_run *run = context;
	const struct run_options *common = &run->options.common;
	int how;

	/* If the events are on standard output, the program writes to standard error. */
	if (run_fork(&run->child, common, to_stdout(run) ? STDERR_FILENO : -1))
		return -1;
	wait_open(&run->wait, common, run->session.fd, true);
	if (run_attach(&run->session, common, &run->child) || (!common->delay && start(run)) ||
	    run_exec(&run->child, common, &run->result))
		return -1;
	if (run->print.ops->begin)
		run->print.ops->begin(&run->print);
	how = follow(run);
	if (!finish(run, how == 1) && how >= 0)
		return 0;
	run->result = EXIT_OWN;
	return -1;
}

void probe_execute(struct probe_run *run)
{
	static const struct run_steps steps = { .prepare = prepare, .go = go };

	if (run_execute(&steps, run, &run->wait, &run->child) && run->result == 0)
		run->result = EXIT_OWN;
	close_output(run);
}

void probe_free(struct probe_run *run)
{
	for (unsigned int i = 0; i < run->options.aggregation_count; i++)
		aggregation_free(&run->options.aggregations[i]);
	free(run->options.aggregations);
	filter_free(&run->options.filter);
	order_free(&run->order);
	stack_names_free(&run->names);
	probe_events_free(run);
	rings_close(&run->rings);
	session_release(&run->session);
	session_free(&run->session);
	run_options_free(&run->options.common);
}
