// SPDX-License-Identifier: GPL-2.0-only
/*
 * close() of a file with many targets takes time linear in their number, and reschedules between
 * them, so that other tasks do not wait for it. The exit of a process with many files that have
 * rings does not wait for a grace period for each. Needs -icount and one CPU.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "exact.h"

#define THREADS	800
#define TICK	50e-6

static volatile bool watching;
static volatile double longest;

static void tick_at(double when)
{
	struct timespec ts = { .tv_sec = when, .tv_nsec = (when - (time_t)when) * 1e9 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

/* A real-time task that measures how late it is scheduled. */
static void *watch(void *arg)
{
	const struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("SCHED_FIFO: %s", strerror(errno));
	for (;;) {
		double due = seconds() + (watching ? TICK : 1e-3), late;

		tick_at(due);
		late = seconds() - due;
		if (watching && late > longest)
			longest = late;
	}
	return arg;
}

static void watch_begin(void)
{
	watching = true;
	nap(5);
	longest = 0;
}

/* Returns microseconds. */
static double watch_end(void)
{
	watching = false;
	return longest * 1e6;
}

static void *sleep_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

struct crowd {
	pid_t pid;
	pid_t *tids;	/* shared */
};

static void *stand(void *arg)
{
	*(pid_t *)arg = gettid();
	return sleep_for_ever(NULL);
}

static struct crowd crowd_new(void)
{
	struct crowd crowd = { .tids = shared(THREADS * sizeof(pid_t)) };
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	crowd.pid = fork();
	if (!crowd.pid) {
		for (unsigned int i = 0; i < THREADS; i++)
			if (pthread_create(&thread, &attr, stand, &crowd.tids[i]))
				_exit(1);
		sleep_for_ever(NULL);
	}
	for (unsigned int i = 0; i < THREADS; i++)
		if (!SOON(((volatile pid_t *)crowd.tids)[i]))
			die("the threads did not start");
	return crowd;
}

/* Returns the seconds that a close() of a file with @count targets takes. */
static double closing(const struct crowd *crowd, unsigned int count)
{
	int fd = dev_open();
	uint32_t id = counter(fd, -1, 0);
	double begun;

	for (unsigned int i = 0; i < count; i++)
		if (dev_attach(fd, id, crowd->tids[i], HWPMC_ATTACH_TID))
			die("attach: %s", dev_sentence(fd));
	begun = seconds();
	close(fd);
	return seconds() - begun;
}

static void closes(const struct crowd *crowd)
{
	double half = closing(crowd, THREADS / 2), whole = closing(crowd, THREADS), late;

	check(whole < 2.5 * half, "close of a file with %u targets is linear: %.0f us, with half of them %.0f",
	      THREADS, whole * 1e6, half * 1e6);
	watch_begin();
	closing(crowd, THREADS);
	late = watch_end();
	check(late < 200, "a real-time task waits for that close %.0f us at most", late);
}

/* Returns the seconds in which a process with @count files that have rings exits. */
static double exits(unsigned int count)
{
	int ready[2];
	double begun;
	pid_t pid;
	char byte;

	if (pipe(ready))
		die("pipe: %s", strerror(errno));
	pid = fork_tied();
	if (!pid) {
		struct hwpmc_ring ring = { .data_size = sysconf(_SC_PAGESIZE) };

		for (unsigned int i = 0; i < count; i++) {
			int fd = dev_open();

			if (dev_call(fd, HWPMC_IOC_RING, &ring, sizeof(ring)))
				die("ring: %s", dev_sentence(fd));
		}
		if (write(ready[1], "r", 1) != 1)
			_exit(2);
		_exit(0);
	}
	if (read(ready[0], &byte, 1) != 1)
		die("read: %s", strerror(errno));
	begun = seconds();
	check(!reap(pid), "a process opens %u files and makes their rings", count);
	close(ready[0]);
	close(ready[1]);
	return seconds() - begun;
}

/*
 * If each close waited for a grace period, which takes two ticks or more, the exit would take a
 * second.
 */
static void rings(void)
{
	int fd = dev_open();
	struct hwpmc_stats before = dev_stats(fd), after;
	double took;

	took = exits(200);
	check(took < 0.25, "a process with 200 files that have rings exits in %.0f ms", took * 1e3);
	after = dev_stats(fd);
	check(after.owners == before.owners && after.ring_used == before.ring_used,
	      "then the files are gone (%llu are left), and their memory (%llu bytes)",
	      (unsigned long long)(after.owners - before.owners),
	      (unsigned long long)(after.ring_used - before.ring_used));
	close(fd);
}

int main(void)
{
	struct crowd crowd;
	pthread_t watcher;

	time_limit(60);
	crowd = crowd_new();
	pthread_create(&watcher, NULL, watch, NULL);
	closes(&crowd);
	kill(crowd.pid, SIGKILL);
	waitpid(crowd.pid, NULL, 0);
	rings();
	return result();
}
