// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMCs of tracepoints count as many events of a thread as the kernel's own tracing (tracefs)
 * records in the same run, in which most of them occur thousands of times.
 *
 * The calls that turn tracing on and off cause events, too, and each side misses some of them. A
 * run that does nothing else has as many, which are subtracted.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "probe.h"
#include "test.h"

#define TRACEFS		"/sys/kernel/tracing"
#define CALLS		3000
#define FORKS		20

/* Each has a tracing instance of its own, with separate buffers. */
static const struct {
	const char *system, *name;
	unsigned int least;	/* in a run */
} events[] = {
	{ "raw_syscalls", "sys_enter", 5 * CALLS },
	{ "raw_syscalls", "sys_exit", 5 * CALLS },
	{ "task", "task_rename", CALLS },
	{ "signal", "signal_generate", CALLS },
	{ "signal", "signal_deliver", CALLS },
	{ "timer", "itimer_state", CALLS },
	{ "sched", "sched_process_fork", FORKS },
};

#define EVENTS	ARRAY_SIZE(events)

static int fd;
static int switches[EVENTS];	/* files "enable" */
static uint32_t ids[EVENTS];

static int open_of(size_t i, const char *file, int flags)
{
	char path[256];
	int opened;

	snprintf(path, sizeof(path), TRACEFS "/instances/hwpmc-%zu/%s", i, file);
	opened = open(path, flags | O_CLOEXEC);
	if (opened < 0)
		die("%s: %s", path, strerror(errno));
	return opened;
}

static void put(int file, const char *text)
{
	if (write(file, text, strlen(text)) != (ssize_t)strlen(text))
		die("tracefs: '%s': %s", text, strerror(errno));
}

static void set(size_t i, const char *file, const char *text)
{
	int opened = open_of(i, file, O_WRONLY);

	put(opened, text);
	close(opened);
}

/* Traces events of this thread into a small buffer; the kernel counts those that it overwrites. */
static void make_instance(size_t i)
{
	char path[128], text[64];

	snprintf(path, sizeof(path), TRACEFS "/instances/hwpmc-%zu", i);
	if (mkdir(path, 0700))
		die("%s: %s", path, strerror(errno));
	set(i, "buffer_size_kb", "8");
	snprintf(path, sizeof(path), "events/%s/%s/filter", events[i].system, events[i].name);
	snprintf(text, sizeof(text), "common_pid == %d", (int)syscall(SYS_gettid));
	set(i, path, text);
	snprintf(path, sizeof(path), "events/%s/%s/enable", events[i].system, events[i].name);
	switches[i] = open_of(i, path, O_WRONLY);
	snprintf(path, sizeof(path), "tracepoint:%s:%s", events[i].system, events[i].name);
	ids[i] = probe_count(fd, path, HWPMC_F_THREAD);
}

static void remove_instance(size_t i)
{
	char path[128];

	close(switches[i]);
	snprintf(path, sizeof(path), TRACEFS "/instances/hwpmc-%zu", i);
	if (rmdir(path))
		die("%s: %s", path, strerror(errno));
}

/* Returns the number of events that tracing recorded so far, including overwritten ones. */
static uint64_t recorded(size_t i)
{
	unsigned long long value, sum = 0;
	char pattern[128], line[128];
	glob_t found;

	snprintf(pattern, sizeof(pattern), TRACEFS "/instances/hwpmc-%zu/per_cpu/cpu*/stats", i);
	if (glob(pattern, 0, NULL, &found))
		die("%s", pattern);
	for (size_t j = 0; j < found.gl_pathc; j++) {
		FILE *stats = fopen(found.gl_pathv[j], "re");

		while (stats && fgets(line, sizeof(line), stats)) {
			if (sscanf(line, "entries: %llu", &value) == 1 ||
			    sscanf(line, "overrun: %llu", &value) == 1)
				sum += value;
			if ((sscanf(line, "commit overrun: %llu", &value) == 1 ||
			     sscanf(line, "dropped events: %llu", &value) == 1) && value)
				die("tracing lost events: %s", line);
		}
		if (stats)
			fclose(stats);
	}
	globfree(&found);
	return sum;
}

static void nothing(int number)
{
	(void)number;
}

static void work(void)
{
	struct itimerval off = {};

	for (int i = 0; i < CALLS; i++) {
		prctl(PR_SET_NAME, i % 2 ? "odd" : "even");
		raise(SIGUSR1);
		setitimer(ITIMER_VIRTUAL, &off, NULL);
		probe_call(1);
	}
	for (int i = 0; i < FORKS; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

/* Sets @ours and @theirs to the events of one run, as PMCs and as tracing count them. */
static void run(void (*fn)(void), uint64_t *ours, uint64_t *theirs)
{
	uint64_t before[EVENTS];

	if (dev_read(fd, ids, EVENTS, before))
		die("read: %s", dev_sentence(fd));
	for (size_t i = 0; i < EVENTS; i++)
		theirs[i] = recorded(i);
	if (dev_ids(fd, HWPMC_IOC_START, ids, EVENTS))
		die("start: %s", dev_sentence(fd));
	for (size_t i = 0; i < EVENTS; i++)
		put(switches[i], "1");
	if (fn)
		fn();
	for (size_t i = 0; i < EVENTS; i++)
		put(switches[i], "0");
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, EVENTS) || dev_read(fd, ids, EVENTS, ours))
		die("stop: %s", dev_sentence(fd));
	for (size_t i = 0; i < EVENTS; i++) {
		ours[i] -= before[i];
		theirs[i] = recorded(i) - theirs[i];
	}
}

int main(void)
{
	uint64_t ours[2][EVENTS], theirs[2][EVENTS];

	alarm(60 * PATIENCE);
	signal(SIGUSR1, nothing);
	fd = dev_open();
	for (size_t i = 0; i < EVENTS; i++)
		make_instance(i);
	run(NULL, ours[0], theirs[0]);
	run(work, ours[1], theirs[1]);
	for (size_t i = 0; i < EVENTS; i++) {
		uint64_t mine = ours[1][i] - ours[0][i], its = theirs[1][i] - theirs[0][i];

		check(mine == its && its >= events[i].least && !probe_skipped(fd, ids[i]),
		      "%s:%s: %llu events, %llu by tracefs", events[i].system, events[i].name,
		      (unsigned long long)mine, (unsigned long long)its);
		remove_instance(i);
	}
	return result();
}
