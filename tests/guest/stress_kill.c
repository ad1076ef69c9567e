// SPDX-License-Identifier: GPL-2.0-only
/* "stress_kill [KILLS [VICTIMS [TARGETS]]]": owners and targets are killed during a call of the owner. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "stress.h"
#include "test.h"

static unsigned int kills = 5;		/* number of owners killed */
static unsigned int victims = 150;	/* number of targets killed */
static unsigned int targets = 100;	/* number of targets that run while an owner is killed */

/* With a low priority, so that the owner runs beside a hundred of these. */
static void run_for_ever(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (nice(19) < 0)
		_exit(1);
	for (;;)
		spin(1);
}

static void own_all(const pid_t *pids, int ready)
{
	int fd = dev_open();
	uint32_t id = dev_instructions(fd, 0);

	for (unsigned int i = 0; i < targets; i++)
		if (dev_attach(fd, id, pids[i], 0))
			die("attach: %s", dev_sentence(fd));
	if (dev_start(fd, id) || write(ready, "x", 1) != 1)
		die("start: %s", dev_sentence(fd));
	for (;;)
		dev_value(fd, id);
}

static void owner_killed(int fd)
{
	pid_t *pids = calloc(targets, sizeof(*pids)), owner;
	int ready[2];
	char c;

	if (pipe(ready))
		die("pipe: %s", strerror(errno));
	for (unsigned int i = 0; i < targets; i++)
		pids[i] = run_in_child(run_for_ever);
	for (int i = 0; i < (int)kills; i++) {
		owner = fork();
		if (!owner)
			own_all(pids, ready[1]);
		if (read(ready[0], &c, 1) != 1)
			die("the owner did not start");
		usleep(20000);	/* so that SIGKILL interrupts reads at different places */
		kill(owner, SIGKILL);
		waitpid(owner, NULL, 0);
		if (dev_stats(fd).pmcs)
			die("a PMC exists after its owner was killed");
	}
	check(true, "an owner is killed %u times while %u targets run", kills, targets);
	for (unsigned int i = 0; i < targets; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	free(pids);
	close(ready[0]);
	close(ready[1]);
	check_nothing_left(fd, "after owners and targets were killed");
}

static void *wait_thread(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void be_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 8; i++)
		pthread_create(&thread, NULL, wait_thread, NULL);
	run_for_ever();
}

#define STEP	50L	/* us */
#define STEP_MAX	1000000L

/*
 * Returns the time in us that the killer waits; if it is negative, the attacher waits. After each
 * outcome the time changes by one step towards the other outcome. The step doubles while the
 * outcome is the same. So both outcomes occur, and usually the two calls overlap.
 */
static long next_lead(long lead, bool taken)
{
	static long step;
	bool sooner = step < 0;

	if (!step || sooner != taken)
		step = taken ? -STEP : STEP;
	else if (labs(step) < STEP_MAX)
		step *= 2;
	lead += step;
	return lead < -STEP_MAX ? -STEP_MAX : lead > STEP_MAX ? STEP_MAX : lead;
}

static int attach_and_kill(int fd, uint32_t id, pid_t pid, long lead)
{
	pid_t killer = fork();
	int err;

	if (!killer) {
		if (lead > 0)
			usleep(lead);
		kill(pid, SIGKILL);
		_exit(0);
	}
	if (lead < 0)
		usleep(-lead);
	err = dev_attach(fd, id, pid, 0);
	waitpid(killer, NULL, 0);
	return err;
}

static void target_killed(int fd)
{
	uint32_t id = dev_instructions(fd, HWPMC_F_DESCENDANTS);
	unsigned int taken = 0, gone = 0, other = 0;
	long lead = 0;

	for (int i = 0; i < (int)victims; i++) {
		pid_t pid = run_in_child(be_threads);
		int err = attach_and_kill(fd, id, pid, lead);

		taken += !err;
		gone += err == -ESRCH;
		other += err && err != -ESRCH;
		if (!err && i % 3 == 0)
			dev_detach(fd, id, pid, 0);
		waitpid(pid, NULL, 0);
		lead = next_lead(lead, !err);
	}
	check(!other && taken && gone,
	      "ATTACH to targets that are killed meanwhile: %u succeed, %u get ESRCH, %u of %u another error",
	      taken, gone, other, victims);
	dev_release(fd, id);
	check_nothing_left(fd, "after targets were killed in ATTACH");
}

int main(int argc, char **argv)
{
	int fd;

	if (argc > 1)
		kills = strtoul(argv[1], NULL, 0);
	if (argc > 2)
		victims = strtoul(argv[2], NULL, 0);
	if (argc > 3)
		targets = strtoul(argv[3], NULL, 0);
	alarm(200 * PATIENCE);
	fd = dev_open();
	owner_killed(fd);
	target_killed(fd);
	return result();
}
