// SPDX-License-Identifier: GPL-2.0-only
/*
 * "stress_churn [SECONDS]": attach, start, read, stop and detach in a loop while the targets
 * fork, exec and exit and a CPU is unplugged and plugged. It takes longer if an owner would
 * otherwise make fewer than ROUNDS rounds.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "cpu.h"
#include "test.h"

#define BREEDERS	3
#define OWNERS		2
#define ROUNDS		6U

/* Shared by all processes. */
struct shared {
	pid_t volatile slots[BREEDERS];		/* pids of processes that exec and exit */
	unsigned int volatile rounds[OWNERS];	/* number of rounds that each owner has made */
};

static struct shared *shared_by_all;
static time_t until;
static unsigned int duration = 15;	/* seconds */

static bool on(void)
{
	if (time(NULL) < until)
		return true;
	for (unsigned int i = 0; i < OWNERS; i++)
		if (shared_by_all->rounds[i] < ROUNDS)
			return true;
	return false;
}

static void *sleep_2_ms(void *arg)
{
	(void)arg;
	usleep(2000);
	return NULL;
}

/* "exec N": executes itself N more times, each time while threads exist. */
static void exec_on(const char *self, int left)
{
	char count[16];
	pthread_t thread;

	if (!left)
		exit(0);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, sleep_2_ms, NULL);
	snprintf(count, sizeof(count), "%d", left - 1);
	execl(self, self, "exec", count, NULL);
	_exit(1);
}

/* Keeps @slot filled with the pid of a process that execs and exits. */
static void breed(const char *self, volatile pid_t *slot)
{
	while (on()) {
		pid_t pid = fork();

		if (!pid)
			execl(self, self, "exec", "5", NULL);
		*slot = pid;
		waitpid(pid, NULL, 0);
	}
	_exit(0);
}

static void toggle_cpu(void)
{
	while (on()) {
		for (int up = 0; up <= 1; up++) {
			if (!cpu_online(1, up))
				_exit(1);
			usleep(30000);
		}
	}
	_exit(0);
}

static bool expected(int err)
{
	return !err || err == -ESRCH || err == -EEXIST || err == -EBUSY;
}

static void own(pid_t volatile *slots, unsigned int count, unsigned int volatile *done)
{
	uint64_t bad = 0, rounds = 0;
	int fd = dev_open();

	while (on()) {
		uint32_t id = dev_instructions(fd, HWPMC_F_DESCENDANTS);
		int64_t sys = dev_allocate(fd, dev_class(), HWPMC_MODE_SC, rounds & 1,
					   EV_INSTRUCTIONS, 0, 0);
		uint64_t last = 0;

		for (unsigned int i = 0; i < count; i++)
			bad += !expected(dev_attach(fd, id, slots[i], 0));
		bad += !expected(dev_start(fd, id));
		if (sys > 0)
			dev_start(fd, sys);
		for (int i = 0; i < 5; i++) {
			uint64_t value = dev_value(fd, id);

			bad += value < last;
			last = value;
		}
		for (unsigned int i = 0; i < count; i++)
			bad += !expected(dev_detach(fd, id, slots[i], 0));
		bad += dev_value(fd, id) < last;
		if (sys > 0) {
			dev_value(fd, sys);
			dev_release(fd, sys);
		}
		if (rounds++ % 2) {
			bad += !!dev_release(fd, id);
		} else {
			close(fd);
			fd = dev_open();
		}
		*done = rounds;
	}
	check(rounds >= ROUNDS && !bad, "%llu rounds of an owner return no unexpected result: %llu",
	      (unsigned long long)rounds, (unsigned long long)bad);
	_exit(result());
}

int main(int argc, char **argv)
{
	pid_t breeders[BREEDERS], owners[OWNERS], toggler;
	int status, bad = 0;

	if (argc == 3 && !strcmp(argv[1], "exec"))
		exec_on(argv[0], atoi(argv[2]));
	if (argc > 1)
		duration = strtoul(argv[1], NULL, 0);
	alarm((45 + duration) * PATIENCE);
	until = time(NULL) + duration;
	shared_by_all = mmap(NULL, sizeof(*shared_by_all), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared_by_all == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	for (unsigned int i = 0; i < ARRAY_SIZE(breeders); i++) {
		breeders[i] = fork();
		if (!breeders[i])
			breed("/proc/self/exe", &shared_by_all->slots[i]);
	}
	usleep(100000);
	for (unsigned int i = 0; i < ARRAY_SIZE(owners); i++) {
		owners[i] = fork();
		if (!owners[i])
			own(shared_by_all->slots, BREEDERS, &shared_by_all->rounds[i]);
	}
	toggler = fork();
	if (!toggler)
		toggle_cpu();
	waitpid(toggler, &status, 0);
	check(!status, "a CPU is unplugged and plugged all the time");
	for (unsigned int i = 0; i < ARRAY_SIZE(owners); i++) {
		waitpid(owners[i], &status, 0);
		bad += !!status;
	}
	check(!bad, "all owners exit with status 0");
	for (unsigned int i = 0; i < ARRAY_SIZE(breeders); i++)
		waitpid(breeders[i], NULL, 0);
	return result();
}
