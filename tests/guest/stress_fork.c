// SPDX-License-Identifier: GPL-2.0-only
/* "stress_fork [FORKS]": a fork storm under DESCENDANTS. */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "stress.h"
#include "test.h"

#define FORKERS	4

static unsigned long forks = 10000;

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

static void storm(void)
{
	for (int i = 0; i < FORKERS; i++)
		child_that(fork_many);
	while (wait(NULL) > 0)
		;
}

/* The gate: the storm begins when it is attached to. */
static int gate[2];

static void storm_after_gate(void)
{
	char c;

	close(gate[1]);
	if (read(gate[0], &c, 1) == 0)
		storm();
}

static void fork_storm(int fd)
{
	uint32_t id = dev_cycles(fd, HWPMC_F_DESCENDANTS);
	struct hwpmc_target_value list[64];
	uint64_t value = 0, sum = 0;
	uint32_t count = ARRAY_SIZE(list);
	pid_t pid;
	int err;

	if (pipe(gate))
		die("pipe: %s", strerror(errno));
	pid = child_that(storm_after_gate);
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
	      "%lu forks followed: %llu cycles, the sum of the parts", forks,
	      (unsigned long long)value);
	check(!dev_stats(fd).owner_fork_failures, "and no child was missed");
	dev_release(fd, id);
	clean(fd, "after the storm");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		forks = strtoul(argv[1], NULL, 0);
	alarm(250 * PATIENCE);
	fork_storm(dev_open());
	return result();
}
