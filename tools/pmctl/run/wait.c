// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "run/wait.h"

/* Threads have no pidfds before Linux 6.9: the interval for polling them. */
#define THREAD_TICK	(200 * NS_PER_MS)
/* The interval for reading rings that do not reach their watermark, in ns. */
#define RINGS_TICK	(250 * NS_PER_MS)

void wait_close(struct wait *wait)
{
	for (unsigned int i = 0; i < wait->pidfd_count; i++)
		if (wait->pidfds[i] >= 0)
			close(wait->pidfds[i]);
	free(wait->pidfds);
	wait->pidfds = NULL;
	wait->pidfd_count = 0;
}

void wait_open(struct wait *wait, const struct run_options *options, int device, bool rings)
{
	unsigned int count = options->processes.count;

	wait->rings = rings ? device : -1;
	wait->control = -1;
	wait->device = -1;
	wait->threads = NULL;
	/* With a program, the run ends when the program exits, not when the targets do. */
	if (options->command)
		return;
	wait->device = run_options_follow_tasks(options) ? device : -1;
	wait->threads = &options->threads;
	wait->pidfds = xcalloc(count, sizeof(int));
	for (unsigned int i = 0; i < count; i++) {
		wait->pidfds[i] = child_pidfd(options->processes.pid[i]);
		wait->pidfd_count = i + 1;
		if (wait->pidfds[i] >= 0 || errno == ESRCH)
			continue;
		/* No pidfds on this kernel: POLLHUP of the device ends the run. */
		wait_close(wait);
		return;
	}
}

static bool processes_gone(const struct wait *wait)
{
	for (unsigned int i = 0; i < wait->pidfd_count; i++)
		if (wait->pidfds[i] >= 0)
			return false;
	return wait->pidfd_count > 0;
}

static bool threads_gone(const struct wait *wait)
{
	if (!wait->threads)
		return false;
	for (unsigned int i = 0; i < wait->threads->count; i++)
		if (!kill(wait->threads->pid[i], 0) || errno != ESRCH)
			return false;
	return wait->threads->count > 0;
}

/*
 * Whether a signal ends the run. ^C at the terminal is also sent to the program, which decides
 * whether to exit; a second ^C, or a signal from elsewhere, ends the run.
 */
static bool ends_run(struct wait *wait, const struct signalfd_siginfo *info)
{
	bool programs_too = info->ssi_signo == SIGINT && info->ssi_code == SI_KERNEL;

	if (info->ssi_signo == SIGUSR2) {
		wait->snapshot = true;
		return false;
	}
	if (info->ssi_signo == SIGCHLD)
		return wait->child->pid && child_reap(wait->child, false);
	wait->signal = (int)info->ssi_signo;
	if (!programs_too || !wait->child->pid || wait->interrupted)
		return true;
	wait->interrupted = true;
	return false;
}

static bool drain_signals(struct wait *wait)
{
	struct signalfd_siginfo info;

	while (read(wait->signals, &info, sizeof(info)) == sizeof(info))
		if (ends_run(wait, &info))
			return true;
	return false;
}

/* Descriptors before those of -p. */
#define OTHERS	5

/* poll() ignores negative descriptors. */
static void fill_poll(const struct wait *wait, struct pollfd *ready)
{
	ready[0] = (struct pollfd){ .fd = wait->signals, .events = POLLIN };
	ready[1] = (struct pollfd){ .fd = wait->device };
	ready[2] = (struct pollfd){ .fd = wait->child->pid ? wait->child->pidfd : -1,
				    .events = POLLIN };
	ready[3] = (struct pollfd){ .fd = wait->rings, .events = POLLIN };
	ready[4] = (struct pollfd){ .fd = wait->control, .events = POLLIN };
	for (unsigned int i = 0; i < wait->pidfd_count; i++)
		ready[OTHERS + i] = (struct pollfd){ .fd = wait->pidfds[i], .events = POLLIN };
}

static bool handle_events(struct wait *wait, const struct pollfd *ready)
{
	wait->ready = ready[3].revents & POLLIN;
	wait->commanded = ready[4].revents;
	/* No target is left: each poll() would return POLLHUP at once. */
	if (ready[3].revents & (POLLHUP | POLLERR | POLLNVAL))
		wait->rings = -1;
	if (ready[0].revents && drain_signals(wait))
		return true;
	if (ready[2].revents && child_reap(wait->child, false))
		return true;
	for (unsigned int i = 0; i < wait->pidfd_count; i++) {
		if (!ready[OTHERS + i].revents)
			continue;
		close(wait->pidfds[i]);
		wait->pidfds[i] = -1;
	}
	return (ready[1].revents & (POLLHUP | POLLERR | POLLNVAL)) || processes_gone(wait) ||
	       threads_gone(wait);
}

int64_t wait_soonest(const struct wait_times *times)
{
	const int64_t deadlines[] = { times->start, times->next, times->end };
	int64_t least = clock_now() + RINGS_TICK;

	for (unsigned int i = 0; i < sizeof(deadlines) / sizeof(deadlines[0]); i++)
		if (deadlines[i] >= 0 && deadlines[i] < least)
			least = deadlines[i];
	return least;
}

static int64_t earlier_deadline(const struct wait *wait, int64_t deadline)
{
	int64_t tick = clock_now() + THREAD_TICK;

	if (!wait->threads || !wait->threads->count || (deadline >= 0 && deadline < tick))
		return deadline;
	return tick;
}

static int sleep_until(struct pollfd *ready, nfds_t count, int64_t deadline)
{
	int64_t left = deadline - clock_now();
	struct timespec timeout = { 0 };

	if (deadline < 0)
		return ppoll(ready, count, NULL, NULL);
	if (left > 0) {
		timeout.tv_sec = left / NS_PER_SECOND;
		timeout.tv_nsec = left % NS_PER_SECOND;
	}
	return ppoll(ready, count, &timeout, NULL);
}

bool wait_until(struct wait *wait, int64_t deadline)
{
	nfds_t count = OTHERS + wait->pidfd_count;
	struct pollfd *ready = xcalloc(count, sizeof(*ready));
	bool ended = false;

	wait->ready = false;
	wait->commanded = false;
	wait->snapshot = false;
	do {
		fill_poll(wait, ready);
		if (sleep_until(ready, count, earlier_deadline(wait, deadline)) >= 0)
			ended = handle_events(wait, ready);
		else if (errno != EINTR)
			ended = true;
	} while (!ended && !wait->ready && !wait->commanded && !wait->snapshot &&
		 (deadline < 0 || clock_now() < deadline));
	free(ready);
	return ended;
}
