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
#include "run/pidfd.h"
#include "run/wait.h"

/* A thread has no pidfd before Linux 6.9: how long one may be gone unnoticed. */
#define THREAD_TICK	(200 * NS_PER_MS)

void watch_close(struct watch *watch)
{
	for (unsigned int i = 0; i < watch->pidfd_count; i++)
		if (watch->pidfds[i] >= 0)
			close(watch->pidfds[i]);
	free(watch->pidfds);
	watch->pidfds = NULL;
	watch->pidfd_count = 0;
}

void watch_open(struct watch *watch, const struct run_options *options, int device, bool rings)
{
	unsigned int count = options->processes.count;

	watch->rings = rings ? device : -1;
	watch->device = -1;
	watch->threads = NULL;
	/* A program decides how long it takes, whatever becomes of the targets. */
	if (options->command)
		return;
	watch->device = count || options->threads.count ? device : -1;
	watch->threads = &options->threads;
	watch->pidfds = xcalloc(count, sizeof(int));
	for (unsigned int i = 0; i < count; i++) {
		watch->pidfds[i] = pidfd_of(options->processes.pid[i]);
		watch->pidfd_count = i + 1;
		if (watch->pidfds[i] >= 0 || errno == ESRCH)
			continue;
		/* No pidfds to be had: the device alone tells. */
		watch_close(watch);
		return;
	}
}

static bool processes_gone(const struct watch *watch)
{
	for (unsigned int i = 0; i < watch->pidfd_count; i++)
		if (watch->pidfds[i] >= 0)
			return false;
	return watch->pidfd_count > 0;
}

static bool threads_gone(const struct watch *watch)
{
	if (!watch->threads)
		return false;
	for (unsigned int i = 0; i < watch->threads->count; i++)
		if (!kill(watch->threads->pid[i], 0) || errno != ESRCH)
			return false;
	return watch->threads->count > 0;
}

/*
 * ^C at the terminal went to the program as well: it has the say. A signal from
 * elsewhere is for us, and so is a second ^C.
 */
static bool ends(struct watch *watch, const struct signalfd_siginfo *info)
{
	bool programs_too = info->ssi_signo == SIGINT && info->ssi_code == SI_KERNEL;

	if (info->ssi_signo == SIGCHLD)
		return watch->child->pid && child_reap(watch->child, false);
	watch->signal = (int)info->ssi_signo;
	if (!programs_too || !watch->child->pid || watch->interrupted)
		return true;
	watch->interrupted = true;
	return false;
}

static bool drain(struct watch *watch)
{
	struct signalfd_siginfo info;

	while (read(watch->signals, &info, sizeof(info)) == sizeof(info))
		if (ends(watch, &info))
			return true;
	return false;
}

/* A negative descriptor is passed over by poll(). */
static void fill(const struct watch *watch, struct pollfd *ready)
{
	ready[0] = (struct pollfd){ .fd = watch->signals, .events = POLLIN };
	ready[1] = (struct pollfd){ .fd = watch->device };
	ready[2] = (struct pollfd){ .fd = watch->child->pid ? watch->child->pidfd : -1,
				    .events = POLLIN };
	ready[3] = (struct pollfd){ .fd = watch->rings, .events = POLLIN };
	for (unsigned int i = 0; i < watch->pidfd_count; i++)
		ready[4 + i] = (struct pollfd){ .fd = watch->pidfds[i], .events = POLLIN };
}

static bool look(struct watch *watch, const struct pollfd *ready)
{
	watch->ready = ready[3].revents & POLLIN;
	/* Nobody is followed any more: that would be told without end. */
	if (ready[3].revents & (POLLHUP | POLLERR | POLLNVAL))
		watch->rings = -1;
	if (ready[0].revents && drain(watch))
		return true;
	if (ready[2].revents && child_reap(watch->child, false))
		return true;
	for (unsigned int i = 0; i < watch->pidfd_count; i++) {
		if (!ready[4 + i].revents)
			continue;
		close(watch->pidfds[i]);
		watch->pidfds[i] = -1;
	}
	return (ready[1].revents & (POLLHUP | POLLERR | POLLNVAL)) || processes_gone(watch) ||
	       threads_gone(watch);
}

static int64_t sooner(const struct watch *watch, int64_t deadline)
{
	int64_t tick = clock_now() + THREAD_TICK;

	if (!watch->threads || !watch->threads->count || (deadline >= 0 && deadline < tick))
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

bool watch_until(struct watch *watch, int64_t deadline)
{
	nfds_t count = 4 + watch->pidfd_count;
	struct pollfd *ready = xcalloc(count, sizeof(*ready));
	bool ended = false;

	watch->ready = false;
	do {
		fill(watch, ready);
		if (sleep_until(ready, count, sooner(watch, deadline)) >= 0)
			ended = look(watch, ready);
		else if (errno != EINTR)
			ended = true;
	} while (!ended && !watch->ready && (deadline < 0 || clock_now() < deadline));
	free(ready);
	return ended;
}
