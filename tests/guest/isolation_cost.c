// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an owner costs tasks that nobody follows. While another task is counted, their forks, execs,
 * exits and mappings take at most 1 % more instructions. While another task is sampled, each of
 * their mappings hits the kprobes of task/maps.c: that cost is bounded in instructions, and
 * docs/rights.md has the figures. Needs -icount and one CPU.
 *
 * "isolation_cost rings": the same beside a user who has as many files with rings as the limits
 * permit.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "exact.h"
#include "median.h"
#include "pingpong.h"
#include "ring.h"

#define TIMES	41	/* the result is their median; most have no timer tick */
/*
 * Calls in each time of a mapping. About every second call takes a slow path of the allocators, so
 * the median of single calls would be of one path in one run and of the other path in the next.
 */
#define MAPPINGS 40
/*
 * Runs of each measurement. The slabs of the kernel make costs drift, so two costs of the same run
 * are compared.
 */
#define RUNS	3
#define USER	1000
#define FILES	700	/* files that the user opens */
#define LEAST	300	/* the least number of files with rings that the default limits permit */

extern char **environ;

static void fork_exit(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		die("fork: %s", strerror(errno));
}

static void exec_exit(void)
{
	static char *const argv[] = { (char *)"isolation_cost", (char *)"exit", NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ) ||
	    waitpid(pid, NULL, 0) != pid)
		die("posix_spawn: %s", strerror(errno));
}

static void map_file(void)
{
	static int file = -1;
	void *at;

	if (file < 0)
		file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	if (at == MAP_FAILED || munmap(at, 4096))
		die("mmap: %s", strerror(errno));
}

static void map_memory(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || munmap(at, 4096))
		die("mmap: %s", strerror(errno));
}

/* @sampled: the most additional instructions of a call while a task is sampled */
static const struct work {
	const char *name;
	void (*once)(void);
	int calls;
	double sampled;
} works[] = {
	{ "fork and exit", fork_exit, 1, 4000 },
	{ "spawn, exec and exit", exec_exit, 1, 26000 },
	{ "mmap and munmap of a program", map_file, MAPPINGS, 11000 },
	{ "mmap and munmap of memory", map_memory, MAPPINGS, 5600 },
};

enum beside { ALONE, COUNTED, SAMPLED, BESIDES };

/* The cost of this run; and the pair of the run in which it and ALONE differ least. */
static double costs[ARRAY_SIZE(works)][BESIDES];
static struct pair { double cost, alone; } least[ARRAY_SIZE(works)][BESIDES];

/* Nanoseconds, which are instructions, of one call. */
static double time_of(const struct work *work)
{
	double times[TIMES];

	for (int i = 0; i < TIMES; i++) {
		double begun = seconds();

		for (int call = 0; call < work->calls; call++)
			work->once();
		times[i] = (seconds() - begun) * 1e9 / work->calls;
	}
	return median(times, TIMES);
}

static void measure(enum beside beside)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(works); i++) {
		struct pair *pair = &least[i][beside];
		double cost = time_of(&works[i]), alone;

		costs[i][beside] = cost;
		alone = costs[i][ALONE];
		if (!pair->cost || cost - alone < pair->cost - pair->alone)
			*pair = (struct pair){ cost, alone };
	}
}

static void beside_counted(pid_t other)
{
	int fd = dev_open();
	uint32_t id = dev_instructions(fd, 0);

	if (dev_attach(fd, id, other, 0) || dev_start(fd, id))
		die("attach and start: %s", dev_sentence(fd));
	warm_up();
	measure(COUNTED);
	close(fd);
}

/*
 * A user who counts itself and opens many files. After a request it creates the smallest rings, for
 * as many of the files as is permitted.
 */
static void have_files(int request, int reply)
{
	struct hwpmc_ring ring;
	int fds[FILES], count;
	char byte = 0;

	become(USER, 0);
	for (int i = 0; i < FILES; i++)
		fds[i] = dev_open();
	if (dev_start(fds[0], dev_instructions(fds[0], 0)) || write(reply, &byte, 1) != 1 ||
	    read(request, &byte, 1) != 1)
		_exit(1);
	for (count = 0; count < FILES; count++) {
		ring = (struct hwpmc_ring){ .data_size = 4096 };
		if (dev_call(fds[count], HWPMC_IOC_RING, &ring, sizeof(ring)))
			break;
	}
	if (write(reply, &count, sizeof(count)) != sizeof(count))
		_exit(1);
	for (;;)
		pause();
}

/* Beside a user with files: ALONE is without rings in them, COUNTED with rings. */
static void beside_files(void)
{
	int request[2], reply[2], count = 0;
	char byte = 0;
	pid_t pid;

	if (pipe(request) || pipe(reply))
		die("pipe: %s", strerror(errno));
	pid = fork_tied();
	if (!pid)
		have_files(request[0], reply[1]);
	if (read(reply[0], &byte, 1) != 1)
		die("the user with files: %d", reap(pid));
	warm_up();
	measure(ALONE);
	if (write(request[1], &byte, 1) != 1 ||
	    read(reply[0], &count, sizeof(count)) != sizeof(count) || count < LEAST)
		die("a user has rings in %d files", count);
	warm_up();
	measure(COUNTED);
	kill(pid, SIGKILL);
	reap(pid);
	for (int i = 0; i < 2; i++) {
		close(request[i]);
		close(reply[i]);
	}
}

static int rings(void)
{
	for (int i = 0; i < RUNS; i++)
		beside_files();
	for (unsigned int i = 0; i < ARRAY_SIZE(works); i++)
		check(least[i][COUNTED].cost < least[i][COUNTED].alone * 1.01,
		      "%s beside a user with rings in many files: %.0f, without rings %.0f",
		      works[i].name, least[i][COUNTED].cost, least[i][COUNTED].alone);
	return result();
}

static void beside_sampled(pid_t other)
{
	struct ring_map map;
	int fd = dev_open();
	uint32_t id;

	ring_open(&map, fd, 65536);
	id = dev_sampler(fd, -1, EV_INSTRUCTIONS, 1000000, HWPMC_CAP_USER, 0);
	if (dev_attach(fd, id, other, 0) || dev_start(fd, id))
		die("attach and start: %s", dev_sentence(fd));
	warm_up();
	measure(SAMPLED);
	ring_close(&map);
	close(fd);
}

int main(int argc, char **argv)
{
	pid_t other;

	if (argc > 1 && !strcmp(argv[1], "exit"))
		_exit(0);
	time_limit(200);
	pin(0, 0);
	if (argc > 1 && !strcmp(argv[1], "rings"))
		return rings();
	other = fork();
	if (!other)
		for (;;)
			pause();
	for (int i = 0; i < RUNS; i++) {
		/* The probes of the last run are still registered. */
		usleep(3000000);
		measure(ALONE);
		beside_counted(other);
		beside_sampled(other);
	}
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(works); i++) {
		struct pair counted = least[i][COUNTED], sampled = least[i][SAMPLED];

		check(counted.cost < counted.alone * 1.01,
		      "%s beside a task that is counted: %.0f, alone %.0f", works[i].name,
		      counted.cost, counted.alone);
		check(sampled.cost < sampled.alone + works[i].sampled,
		      "%s beside a task that is sampled: %.0f, alone %.0f, at most %.0f more",
		      works[i].name, sampled.cost, sampled.alone, works[i].sampled);
	}
	return result();
}
