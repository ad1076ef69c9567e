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

/* A task on CPU 1, which the other user's calls must not interrupt. */
struct busy {
	const char *name;
	void (*work)(void *arg);
	struct worker worker;
};

/* Another user makes calls on CPU 0. It follows itself and a task that sleeps. */
static void call_there(void *arg)
{
	struct busy *busy = arg;
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
	/* A second after an ATTACH the probe of sched_switch is removed, which interrupts all CPUs. */
	if (!SOON(!dev_stats(user_fd).switch_probe))
		die("the probe of sched_switch remains");
	worker_begin(&busy->worker);
	while (!*progress)
		nap(1);
	before = cpu_calls(1);
	for (i = 0; i < rounds; i++) {
		errors += !!dev_start(user_fd, id);
		dev_value(user_fd, id);
		errors += !!dev_stop(user_fd, id);
		yield_cpu();
	}
	calls = cpu_calls(1) - before;
	check(!errors, "%u START, READ and STOP beside %s", rounds, busy->name);
	/* The kernel itself sends function calls to CPU 1 at times. */
	check(calls < 5 + rounds / 100, "they interrupt CPU 1 %lu times", calls);
	worker_end(&sleeper);
}

static void beside(int fd, struct busy *busy)
{
	uint32_t id = counter(fd, -1, HWPMC_F_DESCENDANTS);
	uint64_t count;

	busy->worker = worker_start(busy->work, NULL);
	if (dev_attach(fd, id, busy->worker.pid, 0) || dev_start(fd, id))
		die("attach: %s", dev_sentence(fd));
	*progress = 0;
	as_user("the other user", 1000, 0, call_there, busy);
	count = dev_value(fd, id);
	check(count, "%s counted %llu meanwhile", busy->name, (unsigned long long)count);
	worker_end(&busy->worker);
	dev_release(fd, id);
}

int main(int argc, char **argv)
{
	struct busy pair = { .name = "a followed pair that switches", .work = switch_there };
	struct busy runs = { .name = "a followed task that runs", .work = spin_there };
	int fd;

	scale_down(argc, argv);
	time_limit(300);
	fd = dev_open();
	progress = shared(sizeof(*progress));
	pin(0, 0);
	beside(fd, &pair);
	beside(fd, &runs);
	return result();
}
