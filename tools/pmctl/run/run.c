// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/device.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/signals.h"
#include "run/run.h"
#include "run/session.h"
#include "run/uprobe.h"

unsigned int run_flags(const struct run_options *options)
{
	unsigned int flags = options->no_inherit ? 0 : HWPMC_F_DESCENDANTS;

	if (options->system_wide)
		return 0;
	if (options->threads.count)
		return HWPMC_F_THREAD;
	/* pmctl attaches to its child while the child waits to execute the program. */
	return run_options_follow_tasks(options) ? flags : flags | HWPMC_F_ENABLE_ON_EXEC;
}

/* Without this check each event would be reported as not supported. */
static int check_cpus(const struct session *session)
{
	unsigned int possible = session->hardware.cpu.cpus_possible;
	int last = session->cpus.count ? session->cpus.cpu[session->cpus.count - 1] : -1;

	if (last < 0 || (unsigned int)last < possible)
		return 0;
	error("there is no CPU %d: this machine has CPUs 0 to %u", last, possible - 1);
	return -1;
}

int run_open_session(struct session *session, const struct run_options *options)
{
	session->fd = device_open();
	if (session->fd < 0 || hardware_read(session->fd, &session->hardware))
		return -1;
	session->may_skip = !options->cpu_text;
	session->cpus.count = options->cpus.count;
	session->cpus.cpu = xcalloc(options->cpus.count, sizeof(int));
	memcpy(session->cpus.cpu, options->cpus.cpu, options->cpus.count * sizeof(int));
	return check_cpus(session);
}

int run_resolve_events(struct session *session, const struct spec_list *specs)
{
	char why[512];

	session->events = xcalloc(specs->count, sizeof(*session->events));
	session->grants = xcalloc(specs->count, sizeof(*session->grants));
	for (unsigned int i = 0; i < specs->count; i++) {
		if (event_resolve(&session->hardware, &specs->specs[i], &session->events[i], why,
				  sizeof(why))) {
			error("%s", why);
			return -1;
		}
		session->event_count = i + 1;
		if (uprobe_resolve(&session->events[i], why, sizeof(why))) {
			error("%s", why);
			return -1;
		}
	}
	return session->set_conditions ? session->set_conditions(session, session->filter) : 0;
}

static int attach_all(struct session *session, const struct pid_set *set, bool threads)
{
	for (unsigned int i = 0; i < set->count; i++)
		if (session_attach(session, set->pid[i], threads))
			return -1;
	return 0;
}

/* System-wide PMCs are not attached. */
int run_attach(struct session *session, const struct run_options *options,
	       const struct child *child)
{
	if (options->system_wide)
		return 0;
	if (options->processes.count)
		return attach_all(session, &options->processes, false);
	if (options->threads.count)
		return attach_all(session, &options->threads, true);
	return session_attach(session, child->pid, false);
}

int run_exec(struct child *child, const struct run_options *options, int *result)
{
	int error_number;

	if (!child->pid)
		return 0;
	error_number = child_exec(child);
	if (!error_number)
		return 0;
	error("cannot run '%s': %s", options->command[0], strerror(error_number));
	*result = child_exec_result(error_number);
	return -1;
}

int run_exit_status(const struct child *child, bool timed_out)
{
	int result = child_result(child);

	return !child->reaped || (timed_out && result == 128 + SIGTERM) ? 0 : result;
}

int run_fork(struct child *child, const struct run_options *options, int out)
{
	if (!options->command || !child_fork(child, options->command, out))
		return 0;
	error("cannot start a process: %s", strerror(errno));
	return -1;
}

int run_open_signals(struct wait *wait, struct child *child)
{
	wait->child = child;
	wait->signals = signals_open(wait->takes_snapshots);
	if (wait->signals >= 0)
		return 0;
	error("cannot watch for signals: %s", strerror(errno));
	return -1;
}

int run_execute(const struct run_steps *steps, void *run, struct wait *wait, struct child *child)
{
	int result;

	if (run_open_signals(wait, child) || steps->prepare(run))
		return -1;
	result = steps->go(run);
	wait_close(wait);
	if (result)
		child_end(child, wait->signals, END_GRACE_MS);
	child_close(child);
	return result;
}
