// SPDX-License-Identifier: GPL-2.0-only
/*
 * An ATTACH does not affect CPUs that run none of its targets: it stops no CPU and sends no
 * function call to one, whether the targets run, wait for a CPU or sleep. Needs three CPUs; no task
 * is scheduled on the last one (isolcpus=domain,2), where the test counts.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "exact.h"
#include "param.h"

#define USER		1000
#define SPINS_ON	1
#define QUIET		2
#define SLEEPERS	1000
#define CPUS		3

static char stoppers[CPUS][300];	/* /proc/PID/status of the CPUs' stopper threads */

static int stopper_cpu(const char *pid)
{
	char path[300], comm[64] = "";
	int cpu = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	file = fopen(path, "r");
	if (file && fgets(comm, sizeof(comm), file))
		sscanf(comm, "migration/%d", &cpu);
	if (file)
		fclose(file);
	return cpu;
}

static void find_stoppers(void)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	int cpu, found = 0;

	while (dir && (entry = readdir(dir))) {
		cpu = stopper_cpu(entry->d_name);
		if (cpu < 0 || cpu >= CPUS)
			continue;
		snprintf(stoppers[cpu], sizeof(stoppers[cpu]), "/proc/%s/status", entry->d_name);
		found++;
	}
	if (dir)
		closedir(dir);
	if (found != CPUS)
		die("%d stopper threads were found of %d", found, CPUS);
}

/*
 * How often the CPU's stopper thread ran, for a stop of the machine or to migrate a task off this
 * CPU.
 */
static unsigned long stops(int cpu)
{
	FILE *file = fopen(stoppers[cpu], "r");
	unsigned long count = 0;
	char line[200];

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "voluntary_ctxt_switches: %lu", &count);
	if (file)
		fclose(file);
	return count;
}

struct quiet {
	unsigned long stops[CPUS], calls;
};

static struct quiet quiet_now(void)
{
	struct quiet now = { .calls = cpu_calls(QUIET) };

	for (int cpu = 0; cpu < CPUS; cpu++)
		now.stops[cpu] = stops(cpu);
	return now;
}

/* The kernel itself migrates tasks and sends function calls at times. */
#define STRAY		3

static void check_stops(const struct quiet *before, unsigned int attaches, const char *what)
{
	struct quiet now = quiet_now();
	unsigned long all = ULONG_MAX;

	/* Each stop of the machine runs the stopper of every CPU. */
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (now.stops[cpu] - before->stops[cpu] < all)
			all = now.stops[cpu] - before->stops[cpu];
	check(all < STRAY, "%u ATTACHes to %s do not stop the machine: %lu times", attaches, what, all);
}

static pid_t spinner(volatile uint64_t *progress)
{
	pid_t pid = fork_tied();

	if (!pid) {
		pin(0, SPINS_ON);
		spin_on(progress);
	}
	return pid;
}

static bool gets_on(const volatile uint64_t *progress, uint64_t by)
{
	uint64_t begun = *progress;

	return SOON(*progress - begun >= by);
}

/*
 * Attaches to a new spinning child. Returns whether the PMC counts what the child executes after
 * START.
 */
static bool one_spinner(uint32_t id, volatile uint64_t *progress)
{
	uint64_t begun, before, got, ran;
	pid_t pid;
	bool ok;

	*progress = 0;
	pid = spinner(progress);
	while (!*progress)
		usleep(100);
	ok = !dev_attach(user_fd, id, pid, 0) && !dev_start(user_fd, id);
	before = dev_value(user_fd, id);
	begun = *progress;
	ok = gets_on(progress, 10) && ok;
	ran = *progress - begun;
	got = dev_value(user_fd, id) - before;
	/* At both readings the child may have executed a part of a step. */
	ok = ok && got + 2 * SPIN_STEP >= ran * SPIN_STEP;
	ok = ok && !dev_stop(user_fd, id) && !dev_detach(user_fd, id, pid, 0);
	kill(pid, SIGKILL);
	reap(pid);
	return ok;
}

/*
 * For a target that waits for a CPU, ATTACH registers the probe of sched_switch. The module
 * unregisters it a second or two after it was last needed. Either patches the kernel's text, for
 * which the kernel calls every CPU. So a CPU without targets may be called, but only in few of the
 * rounds.
 */
static void spinners(uint32_t id, const char *what)
{
	volatile uint64_t *progress = shared(4096);
	unsigned int count, good = 0, called = 0;
	struct quiet before;
	double end;

	/* The first one may register probes. */
	one_spinner(id, progress);
	before = quiet_now();
	for (end = seconds() + 1, count = 0; seconds() < end || count < 10; count++) {
		unsigned long calls = cpu_calls(QUIET);

		good += one_spinner(id, progress);
		called += cpu_calls(QUIET) != calls;
	}
	check_stops(&before, count, what);
	check(called < STRAY + count / 4, "%u ATTACHes to %s: a CPU without targets is called in %u rounds",
	      count, what, called);
	check(good == count, "%u of %u %s count all that they execute", good, count, what);
}

static void *sleep_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static pid_t sleeping_threads(void)
{
	volatile unsigned int *made = shared(4096);
	pid_t pid = fork_tied();

	if (!pid) {
		pthread_attr_t attr;
		pthread_t thread;

		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, 131072);
		for (; *made < SLEEPERS; ++*made)
			if (pthread_create(&thread, &attr, sleep_for_ever, NULL))
				die("thread %u cannot be created", *made);
		sleep_for_ever(NULL);
	}
	if (!SOON(*made == SLEEPERS))
		die("only %u threads started", *made);
	nap(500);
	return pid;
}

static void sleepers(uint32_t id)
{
	pid_t pid = sleeping_threads();
	struct quiet before = quiet_now();
	struct hwpmc_stats stats;

	if (dev_attach(user_fd, id, pid, 0))
		die("ATTACH: %s", dev_sentence(user_fd));
	/* Nobody waits for the module's work on sleepers; after this time it is done. */
	nap(1500);
	check_stops(&before, SLEEPERS, "sleeping threads");
	before.calls = cpu_calls(QUIET) - before.calls;
	check(before.calls < STRAY, "%u ATTACHes to sleeping threads call no CPU without targets: %lu times",
	      SLEEPERS, before.calls);
	stats = dev_stats(user_fd);
	check(!stats.hooking && stats.threads > SLEEPERS, "%llu sleeping threads are hooked, %llu wait for that",
	      (unsigned long long)stats.threads, (unsigned long long)stats.hooking);
	dev_detach(user_fd, id, pid, 0);
	stats = dev_stats(user_fd);
	check(!stats.threads, "DETACH drops the records of threads that sleep: %llu are left",
	      (unsigned long long)stats.threads);
	kill(pid, SIGKILL);
	reap(pid);
}

static void of_sleepers(void *arg)
{
	uint32_t id = counter(user_fd, -1, 0);

	(void)arg;
	sleepers(id);
	dev_release(user_fd, id);
}

static void of_spinners(void *arg)
{
	uint32_t id = counter(user_fd, -1, 0);

	spinners(id, arg);
	dev_release(user_fd, id);
}

/* Leaves a tenth of its CPU to other tasks, which wait for the CPU the rest of the time. */
static void hog(void)
{
	const struct sched_param param = { .sched_priority = 1 };
	double end;

	pin(0, SPINS_ON);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("SCHED_FIFO: %s", strerror(errno));
	for (;;) {
		for (end = seconds() + 0.018; seconds() < end;)
			;
		usleep(2000);
	}
}

int main(void)
{
	pid_t pid;

	time_limit(60);
	if (sysconf(_SC_NPROCESSORS_ONLN) != CPUS)
		die("this test needs three CPUs");
	find_stoppers();
	pin(0, 0);
	/* After this time the probes of an earlier test are unregistered. */
	nap(param_get("probes_linger") + 1000);
	as_user("a user", USER, 0, of_sleepers, NULL);
	as_user("a user", USER, 0, of_spinners, "children that run");
	pid = fork_tied();
	if (!pid)
		hog();
	as_user("a user", USER, 0, of_spinners, "children that wait for a CPU");
	kill(pid, SIGKILL);
	reap(pid);
	return result();
}
