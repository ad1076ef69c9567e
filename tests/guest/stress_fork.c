// SPDX-License-Identifier: GPL-2.0-only
/* "stress_fork [FORKS [LINKS]]": DESCENDANTS follows a fork storm, and a long chain of forks. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "exact.h"
#include "stress.h"

#define FORKERS		4
#define FORK_COST	200	/* fewer user instructions than those of a fork, about 240 */

static unsigned long forks = 10000;
/*
 * Length of the chain. Each process shares pages with all its ancestors, so that the kernel's cost
 * is quadratic.
 */
static unsigned long links = 1000;

static void fork_many(void)
{
	for (int i = 0; (unsigned long)i < forks / FORKERS; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0)
			i--;
		else
			waitpid(pid, NULL, 0);
	}
}

static void storms(void)
{
	for (int i = 0; i < FORKERS; i++)
		run_in_child(fork_many);
	while (wait(NULL) > 0)
		;
}

/* The storm starts when this pipe is closed, after ATTACH. */
static int gate[2];

static void storm_after_gate(void)
{
	char c;

	close(gate[1]);
	if (read(gate[0], &c, 1) == 0)
		storms();
}

static void check_value(uint64_t value)
{
	check((int64_t)value >= (int64_t)(forks * FORK_COST), "%lld instructions are enough for all forks",
	      (long long)value);
}

static void fork_storm(int fd)
{
	uint32_t id = dev_instructions(fd, HWPMC_F_DESCENDANTS);
	struct hwpmc_target_value list[64];
	uint64_t value = 0, sum = 0;
	uint32_t count = ARRAY_SIZE(list);
	pid_t pid;
	int err;

	if (pipe(gate))
		die("pipe: %s", strerror(errno));
	pid = run_in_child(storm_after_gate);
	err = dev_attach(fd, id, pid, 0) ?: dev_start(fd, id);
	if (err)
		die("attach and start: %s", dev_sentence(fd));
	close(gate[1]);
	while (!waitpid(pid, NULL, WNOHANG)) {
		dev_value(fd, id);
		usleep(20000);
	}
	err = dev_targets(fd, id, &value, list, &count);
	for (uint32_t i = 0; !err && i < count; i++)
		sum += list[i].value;
	check(!err && value && sum == value,
	      "the parts of %lu forks sum up to the value: %lld instructions", forks, (long long)value);
	check_value(value);
	check(!dev_stats(fd).owner_fork_failures, "all children of the storm are followed");
	dev_release(fd, id);
	check_nothing_left(fd, "after the storm");
}

/* Each process forks the next; the last writes to the pipe; all sleep until they are killed. */
static void chain(void)
{
	setpgid(0, 0);
	for (unsigned long left = links; --left;) {
		pid_t pid = fork();

		if (pid < 0)
			_exit(1);
		if (pid)
			break;
		if (left == 1 && write(gate[1], "", 1) != 1)
			_exit(1);
	}
	for (;;)
		pause();
}

/* ATTACH follows all processes of a chain, and no other. */
static void attach_to_chain(int fd)
{
	uint32_t id = dev_instructions(fd, HWPMC_F_DESCENDANTS);
	unsigned long followed;
	pid_t pid;
	char c;

	/* Reaps processes whose parents were killed. */
	if (pipe(gate) || prctl(PR_SET_CHILD_SUBREAPER, 1))
		die("a chain: %s", strerror(errno));
	pid = run_in_child(chain);
	close(gate[1]);
	if (read(gate[0], &c, 1) != 1)
		die("the chain broke");
	if (dev_attach(fd, id, pid, 0))
		die("attach: %s", dev_sentence(fd));
	followed = dev_stats(fd).threads;
	check(followed == links, "ATTACH to a chain of %lu forks follows all of them: %lu", links, followed);
	kill(-pid, SIGKILL);
	while (wait(NULL) > 0)
		;
	dev_release(fd, id);
	check_nothing_left(fd, "after the chain");
}

int main(int argc, char **argv)
{
	int fd;

	if (argc > 1)
		forks = strtoul(argv[1], NULL, 0);
	if (argc > 2)
		links = strtoul(argv[2], NULL, 0);
	alarm((100 + forks / 20) * PATIENCE);
	fd = dev_open();
	fork_storm(fd);
	attach_to_chain(fd);
	return result();
}
