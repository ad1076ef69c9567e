// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/exit.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/record.h"
#include "run/run.h"
#include "run/session.h"

/* Registers, and a call chain in the kernel. */
#define SAMPLE_WORDS	96

/* Without -e the first of these events that this machine has is sampled. */
static const char *const default_events[] = {
	"cycles", "instructions", "ref-cycles", "branches", "cache-references",
};

/* Without any of these events time is sampled, which needs no PMU. */
#define CLOCK_EVENT	"cpu-clock"

/* Allocates one event. 1: allocated; 0: refused, and removed again; -1: error. */
static int try_event(struct record_run *run, const char *name)
{
	struct session *session = &run->session;
	struct spec_list specs = { 0 };
	char why[256];
	int result;

	spec_parse(name, &specs, why, sizeof(why));
	specs.specs[0].modifiers = run->options.modifiers;
	result = run_resolve_events(session, &specs);
	spec_list_free(&specs);
	if (result || session_allocate(session))
		return -1;
	if (session->counter_count)
		return 1;
	event_free(&session->events[0]);
	free(session->events);
	free(session->grants);
	session->events = NULL;
	session->grants = NULL;
	session->event_count = 0;
	return 0;
}

static int allocate_default(struct record_run *run)
{
	run->session.lenient = true;
	for (size_t i = 0; i < sizeof(default_events) / sizeof(default_events[0]); i++) {
		int result = try_event(run, default_events[i]);

		if (result)
			return result < 0 ? -1 : 0;
	}
	if (try_event(run, CLOCK_EVENT) != 1) {
		/* Try the first one again, to print the module's message. */
		run->session.lenient = false;
		return try_event(run, default_events[0]) < 0 ? -1 : 0;
	}
	if (run->session.hardware.cpu.problem[0])
		note("%s", run->session.hardware.cpu.problem);
	note("no event of a PMU can be sampled: sampling time (" CLOCK_EVENT ")");
	return 0;
}

static int allocate(struct record_run *run)
{
	struct session *session = &run->session;
	const struct run_options *common = &run->options.common;

	if (common->default_events) {
		if (allocate_default(run))
			return -1;
	} else if (run_resolve_events(session, &common->specs) || session_allocate(session)) {
		return -1;
	}
	if (session->counter_count)
		return 0;
	/* The reason was printed for each event. */
	if (session->hardware.cpu.problem[0])
		note("%s", session->hardware.cpu.problem);
	return -1;
}

static int open_log(struct record_run *run)
{
	if (run->options.overwrite) {
		retain_begin(&run->retained, (size_t)run->options.overwrite << 20);
		return 0;
	}
	if (record_output_open(run))
		return -1;
	log_write_hold(&run->log);
	return 0;
}

/* Bytes of a sample with a copy of the stack; 0: samples are small. */
static size_t sample_size(const struct record_run *run)
{
	size_t stack = run->options.sampling.user_stack;

	if (!stack)
		return 0;
	return sizeof(struct hwpmc_log_sample) + stack + SAMPLE_WORDS * sizeof(uint64_t);
}

static int prepare(void *context)
{
	struct record_run *run = context;
	struct session *session = &run->session;

	session->flags = run_flags(&run->options.common) | run->options.flags;
	session->sampling = run->options.sampling;
	run->begin = (uint64_t)clock_now();
	log_throttle_init(&run->throttle);
	/* The rings are opened first, so that ALLOCATE records are in the log. */
	if (run_open_session(session, &run->options.common) ||
	    rings_open(&run->rings, session->fd, run->options.buffer, sample_size(run)) ||
	    allocate(run))
		return -1;
	return open_log(run);
}

static int start(struct record_run *run)
{
	if (session_start(&run->session))
		return -1;
	run->started = true;
	return 0;
}

/* MB in all logs. */
static double written(const struct record_run *run)
{
	return (double)(run->written + (run->log.fd >= 0 ? run->log.bytes : 0)) / 1e6;
}

static void show_progress(const struct record_run *run)
{
	char samples[NUMBER_MAX];

	if (run->progress)
		progress("[ %s samples, %.1f MB ]", number_grouped(run->samples, samples),
			 written(run));
}

static int drain(struct record_run *run)
{
	if (record_log_drain(run))
		return -1;
	/* The reader of a pipe, or a collector, gets records as soon as possible. */
	if (record_output_is_stdout(run) || run->options.log_to)
		log_write_flush(&run->log);
	show_progress(run);
	return 0;
}

/* Begins another log if it is time for that. */
static int switch_log(struct record_run *run, struct wait_times *times)
{
	const struct switching *switching = &run->options.switching;
	bool full = switching->bytes && run->log.bytes + run->log.used >= switching->bytes;
	bool over = times->next >= 0 && clock_now() >= times->next;

	if (over)
		times->next = clock_now() + switching->ms * NS_PER_MS;
	return full || over || run->wait.snapshot ? record_log_switch(run) : 0;
}

/* 0: the run ended by itself or by a signal; 1: by --duration; -1: error. */
static int sample(struct record_run *run)
{
	const struct run_options *common = &run->options.common;
	struct wait_times times = { -1, -1, -1 };
	int64_t now = clock_now();

	if (common->delay > 0)
		times.start = now + common->delay * NS_PER_MS;
	if (common->timeout)
		times.end = now + common->timeout * NS_PER_MS;
	if (run->options.switching.ms)
		times.next = now + run->options.switching.ms * NS_PER_MS;
	while (!wait_until(&run->wait, wait_soonest(&times))) {
		now = clock_now();
		if (times.start >= 0 && now >= times.start) {
			times.start = -1;
			if (start(run))
				return -1;
		}
		if (drain(run) || switch_log(run, &times))
			return -1;
		if (times.end >= 0 && now >= times.end)
			return 1;
	}
	return 0;
}

/* Stops the PMCs, and reads all samples and the DROP records of lost samples. */
static int stop(struct record_run *run)
{
	if (run->started && session_stop(&run->session))
		return -1;
	if (record_log_drain(run))
		return -1;
	session_flush(&run->session);
	return record_log_drain(run);
}

/* @number rounded to 1, 2 or 5 times a power of ten: up, or down. */
static uint64_t rounded(double number, bool up)
{
	static const unsigned int steps[] = { 1, 2, 5 };
	uint64_t power = 1, last = 1;

	for (unsigned int i = 0; power < UINT64_MAX / 100; i++) {
		uint64_t step = steps[i % 3] * power;

		if ((double)step >= number)
			return up || (double)step <= number ? step : last;
		last = step;
		if (i % 3 == 2)
			power *= 10;
	}
	return last;
}

/*
 * The CPU has time for as many samples as were taken. So choose a period with which as many samples
 * would represent all events, with a reserve of a factor of two.
 */
static void show_throttled(const struct record_run *run)
{
	double share = run->events ? (double)run->throttled_events / (double)run->events : 0.0;
	double sampled = share < 0.999 ? 1.0 - share : 0.001;
	double count = (double)run->options.sampling.count;

	if (run->options.flags & HWPMC_F_FREQUENCY)
		note("%.1f%% of the events occurred while sampling was throttled: reports show them as "
		     "[throttled]; take fewer samples (-F %llu)", 100 * share,
		     (unsigned long long)rounded(count * sampled / 2, false));
	else
		note("%.1f%% of the events occurred while sampling was throttled: reports show them as "
		     "[throttled]; take a longer period (-c %llu)", 100 * share,
		     (unsigned long long)rounded(count / sampled * 2, true));
}

/* Tasks that were created, and for which the module had no memory or no row. */
static void show_missed(struct record_run *run)
{
	uint64_t missed = session_lost(&run->session);

	if (missed)
		note("%llu %s could not be followed and %s not in the log: the kernel's log (dmesg) has the reason",
		     (unsigned long long)missed,
		     missed == 1 ? "child or thread" : "children or threads",
		     missed == 1 ? "is" : "are");
}

/* Prints why samples are missing. */
static void show_lost(const struct record_run *run, const struct hwpmc_sampled *sum)
{
	char number[NUMBER_MAX];

	if (sum->lost > sum->throttled)
		note("samples were lost because the buffers were full; record with larger buffers (-m %llu) "
		     "or fewer samples (-F, -c)",
		     (unsigned long long)run->rings.made.data_size / 512);
	if (sum->throttled)
		note("%s samples of probes were not taken because sampling was throttled; take a longer "
		     "period (-c) or fewer events (--filter)",
		     number_grouped(sum->throttled, number));
	if (sum->throttles && (run->throttled_events || !sum->throttled))
		show_throttled(run);
}

static char *place(const struct record_run *run)
{
	if (record_output_is_stdout(run))
		return xstrdup("standard output");
	if (run->number > 1)
		return xasprintf("%u logs up to %s", run->number, run->path);
	return xstrdup(run->path);
}

static void show_result(struct record_run *run, const struct hwpmc_sampled *sum)
{
	char *where = place(run);
	char samples[NUMBER_MAX], lost[NUMBER_MAX], throttles[NUMBER_MAX];
	char number[NUMBER_MAX], excluded[NUMBER_MAX + 32] = "";

	if (run->excluded)
		snprintf(excluded, sizeof(excluded), "%s of pmctl itself left out, ",
			 number_grouped(run->excluded, number));
	show_lost(run, sum);
	show_missed(run);
	note("%s samples, %s lost, %sthrottled %s times; %.1f MB in %s",
	     number_grouped(sum->recorded - run->excluded, samples),
	     number_grouped(sum->lost, lost), excluded,
	     number_grouped(sum->throttles, throttles), written(run), where);
	free(where);
}

static int finish(struct record_run *run, bool timed_out)
{
	struct hwpmc_sampled sum;
	int result = stop(run);

	if (!result)
		result = session_sampled(&run->session, &sum);
	child_end(&run->child, run->wait.signals, timed_out ? -1 : END_GRACE_MS);
	run->result = run_exit_status(&run->child, timed_out);
	/* Also after an error: the log is completed with the records so far. */
	if (record_log_end(run))
		return -1;
	if (!result)
		show_result(run, &sum);
	return result;
}

static int go(void *context)
{
	struct record_run *run = context;
	const struct run_options *common = &run->options.common;
	int how;

	/* If the log is on standard output, the program writes to standard error. */
	if (run_fork(&run->child, common, record_output_is_stdout(run) ? STDERR_FILENO : -1))
		return -1;
	wait_open(&run->wait, common, run->session.fd, true);
	record_log_begin(run);
	/* Writes the ALLOCATE records, which contain the periods that samples omit. */
	if (record_log_drain(run))
		return -1;
	if (run_attach(&run->session, common, &run->child))
		return -1;
	/* Before sampling begins, so that this work is not sampled. */
	if (!common->command && run->log.fd >= 0)
		log_write_release(&run->log);
	if ((!common->delay && start(run)) || run_exec(&run->child, common, &run->result))
		return -1;
	/* After exec: if the command cannot be run, an existing log is kept. */
	if (common->command && run->log.fd >= 0)
		log_write_release(&run->log);
	how = sample(run);
	if (!finish(run, how == 1) && how >= 0)
		return 0;
	run->result = EXIT_OWN;
	return -1;
}

void record_execute(struct record_run *run)
{
	static const struct run_steps steps = { .prepare = prepare, .go = go };

	run->progress = isatty(STDERR_FILENO);
	run->wait.takes_snapshots = run->options.switching.at_signal || run->options.overwrite;
	if (run_execute(&steps, run, &run->wait, &run->child) && run->result == 0)
		run->result = EXIT_OWN;
	/* The run failed before it started: the log is still open. */
	if (run->log.fd >= 0)
		log_write_close(&run->log);
}

void record_free(struct record_run *run)
{
	record_log_free(run);
	rings_close(&run->rings);
	session_release(&run->session);
	session_free(&run->session);
	run_options_free(&run->options.common);
	free(run->words);
}
