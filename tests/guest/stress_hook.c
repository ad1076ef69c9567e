// SPDX-License-Identifier: GPL-2.0-only
/*
 * "stress_hook [ROUNDS]": attach to a task and detach from it ROUNDS times while it switches on
 * another CPU and the sched_switch probe is on. A new record may be hooked as soon as it is in the
 * table; if it were hooked twice, its task's list of notifiers would loop. A record that is no
 * longer needed is freed at the next switch.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include "test_class.h"
#include "cpu.h"
#include "pingpong.h"
#include "stress.h"
#include "test.h"

/* At most so many rounds for each ATTACH to the waiter. */
#define REPEATS	16

static unsigned long rounds = 10000;
static uint64_t volatile *switches;	/* of the followed task */

static void play(int in, int out, bool counts)
{
	char c;

	while (read(in, &c, 1) == 1 && write(out, &c, 1) == 1)
		if (counts)
			(*switches)++;
	_exit(0);
}

static pid_t player(int in, int out, bool counts)
{
	pid_t pid = fork_tied();

	if (pid)
		return pid;
	pin(0, 1);
	play(in, out, counts);
	return 0;
}

/* Both run with SCHED_OTHER, so that the CPU's kernel threads run, too. */
static void two_players(pid_t pids[2])
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		die("pipe: %s", strerror(errno));
	pids[0] = player(back[0], there[1], true);
	pids[1] = player(there[0], back[1], false);
	if (write(back[1], "", 1) != 1)
		die("pipe: %s", strerror(errno));
}

/* A task that waits for the players' CPU, so that the probe hooks it. */
static pid_t waiter(void)
{
	const struct sched_param param = {};
	pid_t pid = fork_tied();

	if (pid)
		return pid;
	pin(0, 1);
	if (sched_setscheduler(0, SCHED_IDLE, &param))
		die("SCHED_IDLE: %s", strerror(errno));
	for (;;)
		;
}

static bool still_switching(void)
{
	uint64_t before = *switches;

	return SOON(*switches > before + 100);
}

/* Waits until only the waiter's record is left. Returns whether the probe is on. */
static bool wait_one_record(int fd)
{
	struct hwpmc_stats s;

	for (int i = 0; i < 100000; i++) {
		s = dev_stats(fd);
		if (s.threads == 1)
			return s.switch_probe;
	}
	die("a task that is not followed switches, but its record is not freed");
}

/*
 * The probe is on from ATTACH to @waits until that runs. Returns how many rounds were made until then.
 * If it has run, its record is hooked until it runs again; another ATTACH would use that and not turn on
 * the probe, so wait until it is freed.
 */
static unsigned long attach_repeatedly(const int fds[2], const uint32_t ids[2], pid_t waits,
				       pid_t plays)
{
	unsigned long done = 0;

	if (dev_attach(fds[0], ids[0], waits, 0))
		die("ATTACH to a waiter: %s", dev_sentence(fds[0]));
	while (done < REPEATS && wait_one_record(fds[1])) {
		if (dev_attach(fds[1], ids[1], plays, 0) || dev_detach(fds[1], ids[1], plays, 0))
			die("attach and detach: %s", dev_sentence(fds[1]));
		done++;
	}
	dev_detach(fds[0], ids[0], waits, 0);
	if (!SOON(!dev_stats(fds[0]).threads))
		die("the waiter is not followed, but its record is not freed");
	return done;
}

int main(int argc, char **argv)
{
	int fds[2] = { dev_open(), dev_open() };
	uint32_t ids[2] = { dev_instructions(fds[0], 0), dev_instructions(fds[1], 0) };
	unsigned long tries, done = 0;
	pid_t plays[2], waits;

	if (argc > 1)
		rounds = strtoul(argv[1], NULL, 0);
	alarm(60 * PATIENCE);
	switches = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (switches == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	two_players(plays);
	waits = waiter();
	pin(0, 0);
	check(still_switching(), "two tasks switch to each other on CPU 1");
	for (tries = 0; done < rounds && tries < rounds; tries++)
		done += attach_repeatedly(fds, ids, waits, plays[0]);
	check(done >= rounds, "%lu records of one of them are created while the probe is on, which it is %lu times",
	      done, tries);
	check(still_switching(), "the two tasks still switch afterwards");
	check(SOON(!dev_stats(fds[0]).hooking), "no task waits to be hooked: %llu",
	      (unsigned long long)dev_stats(fds[0]).hooking);
	for (int i = 0; i < 2; i++) {
		kill(plays[i], SIGKILL);
		reap(plays[i]);
	}
	kill(waits, SIGKILL);
	reap(waits);
	dev_release(fds[0], ids[0]);
	close(fds[1]);
	check_nothing_left(fds[0], "after these rounds");
	return result();
}
