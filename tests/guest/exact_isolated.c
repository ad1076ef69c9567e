// SPDX-License-Identifier: GPL-2.0-only
/*
 * "exact_isolated [DIVISOR]": START, READ and STOP by one user on CPU 0 send no interrupt to CPU 1,
 * where followed tasks of another user switch or run.
 */
#include "exact.h"

#define ROUNDS	2000U

static volatile uint64_t *progress;

static void spin_there(void *arg)
{
	(void)arg;
	pin(0, 1);
	spin_on(progress);
}

/* Two tasks on CPU 1 that wake each other: @progress counts their switches. */
static void switch_there(void *arg)
{
	int there[2], back[2];
	char c = 0;

	(void)arg;
	pin(0, 1);
	if (pipe(there) || pipe(back))
		die("pipe: %s", strerror(errno));
	if (!fork_tied())
		for (;;)
			if (read(there[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
				_exit(1);
	for (;;) {
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			_exit(1);
		++*progress;
	}
}

static void sleep_there(void *arg)
{
	(void)arg;
	pause();
}

/* Another user makes calls on CPU 0. It follows itself and a task that sleeps. */
static void call_there(void *arg)
{
	const char *beside = arg;
	unsigned int i, rounds = scaled(ROUNDS), errors = 0;
	struct worker sleeper = worker_start(sleep_there, NULL);
	unsigned long before, calls;
	uint32_t id;

	pin(0, 0);
	worker_begin(&sleeper);
	wait_asleep(sleeper.pid);
	id = counter(user_fd, -1, HWPMC_F_DESCENDANTS);
	if (dev_attach(user_fd, id, sleeper.pid, 0) || dev_attach(user_fd, id, getpid(), 0))
		die("attach: %s", dev_sentence(user_fd));
	/* After some polls the sleeper is hooked, which interrupts all CPUs. */
	nap(1000);
	before = cpu_calls(1);
	for (i = 0; i < rounds; i++) {
		errors += !!dev_start(user_fd, id);
		dev_value(user_fd, id);
		errors += !!dev_stop(user_fd, id);
		yield_cpu();
	}
	calls = cpu_calls(1) - before;
	check(!errors, "%u START, READ and STOP beside %s", rounds, beside);
	/* The kernel itself sends function calls to CPU 1 at times. */
	check(calls < 5 + rounds / 100, "they interrupt CPU 1 %lu times", calls);
	worker_end(&sleeper);
}

static void beside(int fd, void (*what)(void *arg), const char *name)
{
	struct worker worker = worker_start(what, NULL);
	uint32_t id = counter(fd, -1, HWPMC_F_DESCENDANTS);
	uint64_t last, first;

	if (dev_attach(fd, id, worker.pid, 0) || dev_start(fd, id))
		die("attach: %s", dev_sentence(fd));
	*progress = 0;
	worker_begin(&worker);
	while (!*progress)
		nap(1);
	first = dev_value(fd, id);
	as_user("the other user", 1000, 0, call_there, (void *)name);
	last = dev_value(fd, id);
	check(last > first, "%s counted %llu meanwhile", name, (unsigned long long)(last - first));
	worker_end(&worker);
	dev_release(fd, id);
}

int main(int argc, char **argv)
{
	int fd;

	scale_down(argc, argv);
	time_limit(300);
	fd = dev_open();
	progress = shared(sizeof(*progress));
	pin(0, 0);
	beside(fd, switch_there, "a followed pair that switches");
	beside(fd, spin_there, "a followed task that runs");
	return result();
}
