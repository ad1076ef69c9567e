// SPDX-License-Identifier: GPL-2.0-only
/* A whole measurement by perf_event: a group for each CPU or thread, and a file for each event. */
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "bench.h"

static int fds[SESSION_EVENTS * THREADS];

static void open_group(struct session *s, pid_t tid, int cpu, int *group)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_RAW, .config = EV_INSTRUCTIONS,
		.read_format = PERF_FORMAT_GROUP, .disabled = 1,
	};

	for (unsigned int i = 0; i < SESSION_EVENTS; i++) {
		group[i] = syscall(SYS_perf_event_open, &attr, tid, cpu, i ? group[0] : -1,
				   PERF_FLAG_FD_CLOEXEC);
		if (group[i] < 0)
			die("perf_event_open: %s", strerror(errno));
		attr.disabled = 0;
		s->calls++;
		s->fds++;
	}
}

static void session_open(struct session *s)
{
	for (unsigned int i = 0; i < s->count; i++)
		open_group(s, s->pid ? s->tids[i] : -1, s->pid ? -1 : (int)i,
			   fds + i * SESSION_EVENTS);
}

static void session_start(struct session *s)
{
	for (unsigned int i = 0; i < s->count; i++) {
		if (ioctl(fds[i * SESSION_EVENTS], PERF_EVENT_IOC_ENABLE, 0))
			die("enable: %s", strerror(errno));
		s->calls++;
	}
}

static void session_read(struct session *s)
{
	uint64_t values[1 + SESSION_EVENTS];

	for (unsigned int i = 0; i < s->count; i++) {
		if (read(fds[i * SESSION_EVENTS], values, sizeof(values)) != sizeof(values))
			die("read: %s", strerror(errno));
		s->calls++;
	}
}

static void session_close(struct session *s)
{
	for (unsigned int i = 0; i < s->count * SESSION_EVENTS; i++) {
		close(fds[i]);
		s->calls++;
	}
}

const struct session_ops session_perf = {
	.open = session_open, .start = session_start, .read = session_read, .close = session_close,
};
