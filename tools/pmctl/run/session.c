// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/device.h"
#include "base/error.h"
#include "base/memory.h"
#include "run/session.h"

static int print_error(const char *what)
{
	char why[HWPMC_SENTENCE_MAX];

	device_sentence(errno, why, sizeof(why));
	error("%s: %s", what, why);
	return -1;
}

static struct hwpmc_ids all_ids(struct session *session)
{
	return (struct hwpmc_ids){
		.size = sizeof(struct hwpmc_ids),
		.count = session->counter_count,
		.ids = (uintptr_t)session->ids,
	};
}

int session_start(struct session *session)
{
	struct hwpmc_ids ids = all_ids(session);

	if (!ids.count || !device_call(session->fd, HWPMC_IOC_START, &ids))
		return 0;
	/* The target has already exited, which is not an error. */
	if (errno == ESRCH)
		return 0;
	return print_error("cannot start counting");
}

int session_stop(struct session *session)
{
	struct hwpmc_ids ids = all_ids(session);

	if (!ids.count || !device_call(session->fd, HWPMC_IOC_STOP, &ids))
		return 0;
	return print_error("cannot stop counting");
}

void session_release(struct session *session)
{
	struct hwpmc_ids ids = all_ids(session);

	/* If this fails, closing the device releases them. */
	if (ids.count)
		device_call(session->fd, HWPMC_IOC_RELEASE, &ids);
	session->counter_count = 0;
}

int session_try_attach(struct session *session, pid_t pid, bool thread, char *why, size_t size)
{
	struct hwpmc_attach attach = { .size = sizeof(attach), .pid = pid };
	unsigned int done = 0;
	int result;

	attach.flags = thread ? HWPMC_ATTACH_TID : 0;
	for (; done < session->counter_count; done++) {
		attach.id = session->ids[done];
		attach.target = 0;
		if (device_call(session->fd, HWPMC_IOC_ATTACH, &attach))
			break;
	}
	if (done == session->counter_count)
		return 0;
	result = errno;
	device_sentence(result, why, size);
	attach.target = 0;
	while (done--) {
		attach.id = session->ids[done];
		device_call(session->fd, HWPMC_IOC_DETACH, &attach);
	}
	return result;
}

int session_attach(struct session *session, pid_t pid, bool thread)
{
	char why[HWPMC_SENTENCE_MAX];

	if (!session_try_attach(session, pid, thread, why, sizeof(why)))
		return 0;
	error("cannot attach to %s %d: %s", thread ? "thread" : "process", (int)pid, why);
	return -1;
}

static int read_all(struct session *session, struct hwpmc_target_value *targets,
		    unsigned int *target_count)
{
	unsigned int count = session->counter_count;
	uint64_t *values = xcalloc(count, sizeof(*values));
	struct hwpmc_times *times = xcalloc(count, sizeof(*times));
	struct hwpmc_rw rw = {
		.size = sizeof(rw),
		.flags = HWPMC_RW_OLD,
		.count = count,
		.ids = (uintptr_t)session->ids,
		.values = (uintptr_t)values,
		.times = (uintptr_t)times,
		.times_size = sizeof(*times),
		.targets = (uintptr_t)targets,
		.target_size = sizeof(*targets),
		.target_count = target_count ? *target_count : 0,
	};
	int result = count ? device_call(session->fd, HWPMC_IOC_RW, &rw) : 0;

	for (unsigned int i = 0; !result && i < count; i++) {
		session->counters[i].value = values[i];
		session->counters[i].times = times[i];
	}
	if (target_count)
		*target_count = count ? rw.target_count : 0;
	free(values);
	free(times);
	return result;
}

int session_read(struct session *session)
{
	if (read_all(session, NULL, NULL))
		return print_error("cannot read the counters");
	return 0;
}

int session_read_targets(struct session *session, struct hwpmc_target_value **targets,
			 unsigned int *count)
{
	unsigned int room = 64;

	/* New threads may be added between two calls: retry with more room. */
	for (*targets = NULL;; room = *count + *count / 4 + 16) {
		*targets = xrealloc(*targets, room, sizeof(**targets));
		*count = room;
		if (!read_all(session, *targets, count))
			return 0;
		if (errno != ENOSPC || *count <= room)
			break;
	}
	print_error("cannot read the counters");
	free(*targets);
	*targets = NULL;
	return -1;
}

const struct event *session_event(const struct session *session, uint32_t id)
{
	for (unsigned int i = 0; i < session->counter_count; i++)
		if (session->ids[i] == id)
			return &session->events[session->counters[i].event];
	return NULL;
}

int session_sampled(struct session *session, struct hwpmc_sampled *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (unsigned int i = 0; i < session->counter_count; i++) {
		struct hwpmc_sampled one = {
			.size = sizeof(one),
			.id = session->ids[i],
			/* What was skipped is counted by CPU, for all PMCs of a probe. */
			.cpu = session->counters[i].cpu,
		};

		if (device_call(session->fd, HWPMC_IOC_SAMPLED, &one))
			return print_error("cannot read the statistics of the samples");
		sum->taken += one.taken;
		sum->recorded += one.recorded;
		sum->lost += one.lost;
		sum->reported += one.reported;
		sum->throttles += one.throttles;
		sum->events += one.events;
		sum->skipped += one.skipped;
		sum->throttled += one.throttled;
	}
	return 0;
}

void session_flush(struct session *session)
{
	struct hwpmc_log flush = { .size = sizeof(flush) };

	/* If this fails a DROP record may be missing; counts are not affected. */
	device_call(session->fd, HWPMC_IOC_LOG_FLUSH, &flush);
}

uint64_t session_lost(struct session *session)
{
	struct hwpmc_stats stats = { .size = sizeof(stats) };

	return device_call(session->fd, HWPMC_IOC_STATS, &stats) ? 0 : stats.owner_fork_failures;
}

void session_free(struct session *session)
{
	for (unsigned int i = 0; i < session->event_count; i++)
		event_free(&session->events[i]);
	free(session->events);
	free(session->grants);
	free(session->counters);
	free(session->ids);
	cpulist_free(&session->cpus);
	hardware_free(&session->hardware);
	if (session->fd >= 0)
		close(session->fd);
	memset(session, 0, sizeof(*session));
	session->fd = -1;
}
