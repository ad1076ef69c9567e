// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_event's part of the benchmark of slopes, as perf stat uses it: events that are inherited, or
 * an event for each thread.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "slope.h"

#define THREADS_MOST	10000

static int *fds;
static unsigned int fd_count;

static int open_one(unsigned int index, pid_t pid, bool inherit, bool disabled)
{
	bool hardware = index < SLOPE_HARDWARE;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = hardware ? PERF_TYPE_RAW : PERF_TYPE_SOFTWARE,
		.config = hardware ? EV_INSTRUCTIONS : PERF_COUNT_SW_CONTEXT_SWITCHES,
		.inherit = inherit,
		.disabled = disabled,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("perf_event_open: %s", strerror(errno));
	return fd;
}

static void make_room(unsigned int count)
{
	struct rlimit limit = { .rlim_cur = count + 1000, .rlim_max = count + 1000 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("setrlimit: %s", strerror(errno));
	free(fds);
	fds = calloc(count, sizeof(*fds));
	if (!fds)
		die("out of memory");
	/* Write to the array now, so that no page fault is measured. */
	memset(fds, -1, count * sizeof(*fds));
}

static void close_all(void)
{
	while (fd_count)
		close(fds[--fd_count]);
}

static void perf_follow(unsigned int count, pid_t pid)
{
	make_room(count);
	for (fd_count = 0; fd_count < count; fd_count++)
		fds[fd_count] = open_one(fd_count, pid, true, false);
}

static void perf_prepare(void)
{
	int last;

	make_room(THREADS_MOST);
	/* Enlarge the table of descriptors now, so that it does not grow in the measured code. */
	last = fcntl(0, F_DUPFD, THREADS_MOST + 500);
	if (last < 0)
		die("fcntl: %s", strerror(errno));
	close(last);
}

static void perf_attach(pid_t pid, const pid_t *tids, unsigned int count)
{
	(void)pid;
	for (fd_count = 0; fd_count < count; fd_count++)
		fds[fd_count] = open_one(0, tids[fd_count], false, true);
}

static void control(unsigned long request)
{
	for (unsigned int i = 0; i < fd_count; i++)
		if (ioctl(fds[i], request, 0))
			die("ioctl: %s", strerror(errno));
}

static void perf_start(void)
{
	control(PERF_EVENT_IOC_ENABLE);
}

static void perf_stop(void)
{
	control(PERF_EVENT_IOC_DISABLE);
}

static void perf_read(void)
{
	uint64_t value, sum = 0;

	for (unsigned int i = 0; i < fd_count; i++) {
		if (read(fds[i], &value, sizeof(value)) != sizeof(value))
			die("read: %s", strerror(errno));
		sum += value;
	}
	if (sum)
		die("threads that sleep have counted %llu", (unsigned long long)sum);
}

static int perf_other(pid_t pid)
{
	return open_one(0, pid, false, false);
}

const struct slope slope_perf = {
	.name		= "perf",
	.follow		= perf_follow,
	.unfollow	= close_all,
	.prepare	= perf_prepare,
	.attach		= perf_attach,
	.start		= perf_start,
	.read		= perf_read,
	.stop		= perf_stop,
	.detach		= close_all,
	.other		= perf_other,
};
