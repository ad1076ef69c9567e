// SPDX-License-Identifier: GPL-2.0-only
/* One run of pmctl stat. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/exit.h"
#include "run/hook.h"
#include "run/run.h"
#include "run/session.h"
#include "run/stat.h"

static int start(struct stat_run *run)
{
	if (session_start(&run->session))
		return -1;
	run->counting = true;
	/* Only the first start counts: --control may start the PMCs again later. */
	if (run->start < 0)
		run->start = clock_now();
	return 0;
}

static int pause_counting(struct stat_run *run)
{
	if (run->counting && session_stop(&run->session))
		return -1;
	run->counting = false;
	return 0;
}

static enum aggregate_by aggregate_by(const struct run_options *options)
{
	if (options->per_thread)
		return TALLY_THREADS;
	switch (options->per_group) {
	case TOPOLOGY_CORE:
		return TALLY_CORES;
	case TOPOLOGY_SOCKET:
		return TALLY_SOCKETS;
	case TOPOLOGY_NODE:
		return TALLY_NODES;
	default:
		return options->no_aggr ? TALLY_CPUS : TALLY_SUM;
	}
}

static int take(struct stat_run *run)
{
	return aggregate_take(&run->aggregate, &run->session, aggregate_by(&run->options));
}

/* Seconds since the start, measured by the kernel at the same instant as the counts. */
static double taken_at(const struct stat_run *run)
{
	const struct session *session = &run->session;

	if (session->counter_count)
		return (double)session->counters[0].times.enabled / NS_PER_SECOND;
	return (double)(clock_now() - run->start) / NS_PER_SECOND;
}

static int show_interval(struct stat_run *run)
{
	if (take(run))
		return -1;
	stat_rows(run, taken_at(run));
	fflush(run->printer.out);
	run->intervals++;
	return 0;
}

/* The interval for printing the lines of -W and -E, in ns. */
#define TICK	(100 * NS_PER_MS)

/* The interval of searches for new targets of -T, -u and -G, in ns. */
#define LOOK	(100 * NS_PER_MS)

/* Deadlines of a run; negative: none. */
struct times {
	int64_t start;
	int64_t interval;
	int64_t end;
	int64_t tick;
	int64_t look;
};

static int64_t soonest(const struct times *times)
{
	int64_t all[] = { times->start, times->interval, times->end, times->tick, times->look };
	int64_t least = -1;

	for (unsigned int i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] >= 0 && (least < 0 || all[i] < least))
			least = all[i];
	return least;
}

static void begin_intervals(const struct stat_run *run, struct times *times)
{
	if (run->options.interval)
		times->interval = run->start + run->options.interval * NS_PER_MS;
}

/* Sets the next interval that is in the future: missed ones are skipped. */
static void next_interval(const struct stat_run *run, struct times *times)
{
	int64_t step = run->options.interval * NS_PER_MS;

	times->interval += ((clock_now() - times->interval) / step + 1) * step;
}

/* Whether --interval-count intervals were printed. */
static bool intervals_end(const struct stat_run *run)
{
	return run->options.interval_count && run->intervals >= run->options.interval_count;
}

/* Handles deadlines that have passed. 1: the end of --timeout or --interval-count; -1: error. */
static int due(struct stat_run *run, struct times *times)
{
	int64_t now = clock_now();

	if (times->start >= 0 && now >= times->start) {
		times->start = -1;
		if (start(run))
			return -1;
		begin_intervals(run, times);
	}
	if (run->rings.count) {
		times->tick = now + TICK;
		if (stat_log_drain(run))
			return -1;
	}
	if (times->look >= 0 && now >= times->look) {
		if (follow_more(&run->follow, &run->session, run->counting))
			return -1;
		times->look = clock_now() + LOOK;
	}
	if (times->end >= 0 && now >= times->end)
		return 1;
	if (times->interval >= 0 && now >= times->interval) {
		if (show_interval(run))
			return -1;
		next_interval(run, times);
		if (intervals_end(run))
			return 1;
	}
	return 0;
}

static int enable(struct stat_run *run, struct times *times)
{
	bool first = run->start < 0;

	times->start = -1;
	if (start(run))
		return -1;
	if (first)
		begin_intervals(run, times);
	return 0;
}

/* Executes the commands that the FIFO has. 1: one ends the run; -1: error. */
static int obey(struct stat_run *run, struct times *times)
{
	enum control_command command;
	int result = 0;

	while (!result && (command = control_next(&run->control))) {
		if (command == CONTROL_ENABLE)
			result = enable(run, times);
		else if (command == CONTROL_DISABLE)
			result = pause_counting(run);
		else if (command == CONTROL_STOP)
			result = 1;
		if (result >= 0)
			control_ack(&run->control);
	}
	run->wait.control = run->control.fd;
	return result;
}

/*
 * 0: the run ended by itself or by a signal; 1: by --timeout, --interval-count or --control; -1:
 * error.
 */
static int count(struct stat_run *run)
{
	const struct run_options *options = &run->options;
	struct times times = { -1, -1, -1, -1, -1 };
	int64_t now = clock_now();
	int result = 0;

	if (options->delay > 0)
		times.start = now + options->delay * NS_PER_MS;
	if (options->timeout)
		times.end = now + options->timeout * NS_PER_MS;
	if (run->start >= 0)
		begin_intervals(run, &times);
	if (run->rings.count)
		times.tick = now + TICK;
	if (match_any(&options->match))
		times.look = now + LOOK;
	while (!result && !wait_until(&run->wait, soonest(&times))) {
		if (run->wait.commanded)
			result = obey(run, &times);
		if (!result)
			result = due(run, &times);
	}
	return result;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void note_ending(struct stat_run *run, int64_t stopped)
{
	const struct child *child = &run->child;

	spread_add(&run->ending.elapsed,
		   run->start < 0 ? 0.0 : (double)(stopped - run->start) / NS_PER_SECOND);
	/* The usage of a program that only sets the duration is not that of the targets. */
	run->ending.has_usage = child->reaped && !run->options.system_wide &&
				!run_options_follow_tasks(&run->options);
	if (!run->ending.has_usage)
		return;
	run->ending.user += seconds_of(child->usage.ru_utime);
	run->ending.sys += seconds_of(child->usage.ru_stime);
}

static int finish(struct stat_run *run, bool timed_out)
{
	int result = pause_counting(run);
	int64_t stopped = clock_now();

	if (!result && run->rings.count)
		result = stat_log_end(run);
	if (!result)
		result = take(run);
	if (!result && run->options.interval && run->start >= 0 && !intervals_end(run))
		stat_rows(run, taken_at(run));
	child_end(&run->child, run->wait.signals, timed_out ? -1 : END_GRACE_MS);
	note_ending(run, stopped);
	run->result = run_exit_status(&run->child, timed_out);
	if (result)
		run->result = EXIT_OWN;
	return result;
}

static int attach(struct stat_run *run)
{
	const struct run_options *options = &run->options;

	if (match_any(&options->match))
		return follow_begin(&run->follow, &run->session, &options->match);
	return run_attach(&run->session, options, &run->child);
}

static int go(struct stat_run *run)
{
	int how;

	if (attach(run))
		return -1;
	run->start = -1;
	run->counting = false;
	if (!run->options.delay && start(run))
		return -1;
	if (run_exec(&run->child, &run->options, &run->result))
		return -1;
	how = count(run);
	return how < 0 ? -1 : finish(run, how == 1);
}

int stat_once(struct stat_run *run)
{
	int result = -1;

	run->result = EXIT_OWN;
	if (hook_run("--pre", run->options.pre))
		return -1;
	if (session_allocate(&run->session))
		return -1;
	if (run_fork(&run->child, &run->options, -1))
		return -1;
	wait_open(&run->wait, &run->options, run->session.fd,
		  run->rings.count > 0);
	run->wait.control = run->control.fd;
	result = go(run);
	wait_close(&run->wait);
	if (result)
		child_end(&run->child, run->wait.signals, END_GRACE_MS);
	child_close(&run->child);
	follow_end(&run->follow);
	session_release(&run->session);
	run->post_failed = !result && hook_run("--post", run->options.post);
	return result;
}
