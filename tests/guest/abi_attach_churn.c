// SPDX-License-Identifier: GPL-2.0-only
/*
 * "abi_attach_churn": ATTACH returns although its target creates new threads all the time. The
 * caller has the lowest priority, so its walk over the threads is preempted, and the thread from
 * which the walk continues has exited by then. The threads of the target are followed afterwards.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "cpu.h"
#include "test_class.h"

/* More threads than a walk visits before it reschedules. */
#define THREADS		300

/* A thread exits when this many others were created after it, however fast the machine is. */
#define ALIVE		(THREADS + 50)
static sem_t turns[ALIVE];
/* Threads that the target has created. */
static volatile unsigned long *created;

static void *thread(void *turn)
{
	sem_wait(turn);
	return NULL;
}

static void churn(void)
{
	pthread_attr_t attr;
	pthread_t id;

	pin(0, 1);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 32768);
	for (unsigned long i = 0;; i++) {
		if (i >= ALIVE)
			sem_post(&turns[i % ALIVE]);
		while (pthread_create(&id, &attr, thread, &turns[i % ALIVE]))
			usleep(100);
		*created = i;
	}
}

static unsigned int threads_of(pid_t pid)
{
	unsigned int threads = 0;
	char path[64], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "Threads: %u", &threads);
	if (f)
		fclose(f);
	return threads;
}

/*
 * A process of a higher priority that leaves the caller's CPU only until it next reschedules, and
 * then takes it until the threads that existed have exited.
 */
static pid_t busy(void)
{
	pid_t pid = fork_tied();

	if (pid)
		return pid;
	pin(0, 0);
	prctl(PR_SET_TIMERSLACK, 1);
	for (;;) {
		unsigned long begun = *created;

		while (*created < begun + 2 * ALIVE)
			;
		usleep(1);
	}
}

static pid_t attach(int fd, uint32_t id, pid_t target)
{
	const struct sched_param param = {};
	pid_t pid = fork_tied();

	if (pid)
		return pid;
	pin(0, 0);
	if (sched_setscheduler(0, SCHED_IDLE, &param))
		_exit(100);
	_exit(-dev_attach(fd, id, target, 0));
}

/* Whether @pid exits in time; sets *@status. */
static bool ends(pid_t pid, int *status)
{
	return SOON(waitpid(pid, status, WNOHANG) == pid);
}

static void attach_returns(int fd, uint32_t id, pid_t target)
{
	pid_t spins = busy(), caller = attach(fd, id, target);
	int status = -1;
	bool ended = ends(caller, &status);

	kill(spins, SIGKILL);
	kill(caller, SIGKILL);
	if (!ended)
		waitpid(caller, NULL, 0);
	waitpid(spins, NULL, 0);
	check(ended, "ATTACH to a process that creates threads without end returns");
	check(ended && status == 0, "and succeeds: status 0x%x", status);
}

/* All threads that exist now were created after the ATTACH. They change all the time. */
static void threads_are_followed(int fd, uint32_t id, pid_t target)
{
	struct hwpmc_target_value *list = calloc(65536, sizeof(*list));
	uint32_t count = 65536, living = 0, threads;
	uint64_t value;
	int err;

	/* Wait for tasks that ATTACH left to the probe of fork. */
	usleep(600 * 1000);
	threads = threads_of(target);
	err = dev_targets(fd, id, &value, list, &count);
	for (uint32_t i = 0; !err && i < count; i++)
		living += list[i].tid && !(list[i].flags & HWPMC_TARGET_GONE);
	check(threads > 10 && living > threads / 2,
	      "the threads that it creates are followed: %u, it has about %u", living, threads);
	free(list);
}

int main(void)
{
	int fd = class_open(60);
	uint32_t id = class_pmc(fd, 0);
	pid_t target;

	created = mmap(NULL, sizeof(*created), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (created == MAP_FAILED)
		die("no memory");
	target = fork_tied();
	if (!target)
		churn();
	if (!SOON(threads_of(target) > THREADS))
		die("the target has no more than %u threads", threads_of(target));
	attach_returns(fd, id, target);
	threads_are_followed(fd, id, target);
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	return result();
}
