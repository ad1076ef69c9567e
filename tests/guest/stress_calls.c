// SPDX-License-Identifier: GPL-2.0-only
/*
 * "stress_calls [ROUNDS]": on any CPU a thread allocates, attaches, starts, stops, writes and
 * releases PMCs of a task that switches all the time on CPU 1, half of them on the same row.
 * Meanwhile CPU 0 reads the statistics, and a PMC of that task: neither the number of calls nor the
 * count decreases.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "child.h"
#include "cpu.h"
#include "stress.h"
#include "test.h"

static unsigned long rounds = 1000;
static pid_t target;
static bool done;

static pid_t switching_task(void)
{
	pid_t pid = fork_tied();

	if (pid)
		return pid;
	pin(0, 1);
	for (;;)
		sched_yield();
}

static uint32_t switches(int fd)
{
	int64_t id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_SWITCHES, 0, 0);

	if (id < 0)
		die("ALLOCATE: %s", dev_sentence(fd));
	return id;
}

static void *change(void *unused)
{
	int fd = dev_open();

	(void)unused;
	pin(0, -1);
	for (unsigned long i = 0; i < rounds; i++) {
		uint32_t id = i % 2 ? dev_instructions(fd, 0) : switches(fd);

		if (dev_attach(fd, id, target, 0) || dev_start(fd, id) || dev_stop(fd, id) ||
		    dev_write(fd, id, i) || dev_release(fd, id))
			die("a round of calls: %s", dev_sentence(fd));
	}
	close(fd);
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void watch(int fd, uint32_t id)
{
	unsigned long readings = 0, fewer = 0, less = 0;
	uint64_t calls = 0, value = 0;

	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		uint64_t calls_now = dev_stats(fd).calls, value_now = dev_value(fd, id);

		fewer += calls_now < calls;
		less += value_now < value;
		calls = calls_now;
		value = value_now;
		readings++;
	}
	check(readings && value, "%lu readings during %lu rounds of calls", readings, rounds);
	check(!fewer, "the number of calls never decreases: %lu times", fewer);
	check(!less, "the count never decreases: %lu times", less);
}

int main(int argc, char **argv)
{
	int fd = dev_open();
	uint32_t id = switches(fd);
	pthread_t changes;
	pid_t other;

	if (argc > 1)
		rounds = strtoul(argv[1], NULL, 0);
	alarm(60 * PATIENCE);
	target = switching_task();
	other = switching_task();
	pin(0, 0);
	if (dev_attach(fd, id, target, 0) || dev_start(fd, id))
		die("START: %s", dev_sentence(fd));
	if (pthread_create(&changes, NULL, change, NULL))
		die("pthread_create");
	watch(fd, id);
	pthread_join(changes, NULL);
	kill(target, SIGKILL);
	kill(other, SIGKILL);
	reap(target);
	reap(other);
	dev_release(fd, id);
	check_nothing_left(fd, "the rounds");
	return result();
}
