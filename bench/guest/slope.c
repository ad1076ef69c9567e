// SPDX-License-Identifier: GPL-2.0-only
/*
 * Costs that grow: with processes (fork, exec and exit of a process that is followed), with threads
 * (attach), and with other owners (start and stop).
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <sys/personality.h>
#include <sys/wait.h>

#include "../../tests/lib/median.h"
#include "../../tests/lib/pingpong.h"
#include "slope.h"

#define LIVES		40	/* children of a measurement */
#define SETUPS		4	/* parents, whose memory layouts differ */
#define CALLS		200	/* of START and STOP */

static void print_of(const char *what, unsigned int of, double value)
{
	char key[32];

	snprintf(key, sizeof(key), "%s-%u", what, of);
	print(key, value);
}

/* A process that forks a child for each request. */
struct parent {
	pid_t pid;
	int ask;
	int answer;
};

/* Forks a child that executes this program: without an argument it ends at once. */
static void one_life(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execl("/proc/self/exe", "bench", NULL);
		_exit(1);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		_exit(1);
}

static void be_parent(int ask, int answer)
{
	uint64_t took;
	char c;

	personality(ADDR_NO_RANDOMIZE);
	while (read(ask, &c, 1) == 1) {
		/* The first children fill the caches of memory. */
		for (int i = 0; i < LIVES / 4; i++)
			one_life();
		took = now();
		for (int i = 0; i < LIVES; i++)
			one_life();
		took = now() - took;
		if (write(answer, &took, sizeof(took)) != sizeof(took))
			_exit(1);
	}
	_exit(0);
}

static void parent_open(struct parent *parent)
{
	int ask[2], answer[2];

	if (pipe(ask) || pipe(answer))
		die("pipe: %s", strerror(errno));
	parent->pid = fork();
	if (!parent->pid) {
		close(ask[1]);
		close(answer[0]);
		be_parent(ask[0], answer[1]);
	}
	close(ask[0]);
	close(answer[1]);
	parent->ask = ask[1];
	parent->answer = answer[0];
}

static void parent_close(struct parent *parent)
{
	close(parent->ask);
	close(parent->answer);
	waitpid(parent->pid, NULL, 0);
}

/*
 * Returns the mean cost of one_life() in instructions, including the work that the kernel defers.
 */
static double life(struct parent *parent)
{
	uint64_t took;

	/* Work that was deferred before must not be measured. */
	warm_up();
	if (write(parent->ask, "x", 1) != 1 ||
	    read(parent->answer, &took, sizeof(took)) != sizeof(took))
		die("the children failed");
	return (double)took / LIVES;
}

static void measure_lives(const struct slope *it)
{
	static const unsigned int counts[] = { 1, 6, 24 };
	double with[ARRAY_SIZE(counts)] = {}, without = 0;

	for (int setup = 0; setup < SETUPS; setup++) {
		struct parent parent;

		parent_open(&parent);
		without += life(&parent) / SETUPS;
		for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
			it->follow(counts[i], parent.pid);
			with[i] += life(&parent) / SETUPS;
			it->unfollow();
		}
		parent_close(&parent);
	}
	print("life", without);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		print_of("life", counts[i], with[i] - without);
}

static pid_t *threads_of(pid_t pid, unsigned int count)
{
	pid_t *tids = calloc(count, sizeof(*tids));
	unsigned int found = 0;
	struct dirent *entry;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir || !tids)
		die("%s: %s", path, strerror(errno));
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && found < count)
			tids[found++] = atoi(entry->d_name);
	closedir(dir);
	if (found != count)
		die("%u of %u threads", found, count);
	return tids;
}

static double timed(void (*call)(void))
{
	uint64_t start = now();

	call();
	return now() - start;
}

static void measure_threads(const struct slope *it, unsigned int count)
{
	pid_t pid = fork_threads(count);
	pid_t *tids = threads_of(pid, count);
	uint64_t start;

	warm_up();
	start = now();
	it->attach(pid, tids, count);
	print_of("attach", count, (double)(now() - start) / count);
	print_of("start", count, timed(it->start) / count);
	print_of("read", count, timed(it->read) / count);
	print_of("stop", count, timed(it->stop) / count);
	print_of("detach", count, timed(it->detach) / count);
	free(tids);
	end_threads(pid);
}

/* START and STOP of a counter of @pid, while others count. */
static void measure_calls(const struct slope *it, pid_t pid, unsigned int others)
{
	double starts[CALLS], stops[CALLS];

	it->attach(pid, &pid, 1);
	warm_up();
	for (int i = 0; i < CALLS; i++) {
		starts[i] = timed(it->start);
		stops[i] = timed(it->stop);
	}
	it->detach();
	/* The median, since a timer tick takes as long as several calls. */
	print_of("owners-start", others, median(starts, CALLS));
	print_of("owners-stop", others, median(stops, CALLS));
}

static void measure_owners(const struct slope *it)
{
	static const unsigned int counts[] = { 1, 10, 100 };
	pid_t pid = fork_sleeper(), sleepers[100];
	unsigned int others = 0;
	int files[100];

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		for (; others < counts[i]; others++) {
			sleepers[others] = fork_sleeper();
			files[others] = it->other(sleepers[others]);
		}
		measure_calls(it, pid, others);
	}
	while (others--) {
		close(files[others]);
		end_threads(sleepers[others]);
	}
	end_threads(pid);
}

void bench_slopes(const struct backend *b)
{
	const struct slope *it = b == &backend_hwpmc ? &slope_hwpmc : &slope_perf;

	if (b != &backend_hwpmc && b != &backend_perf)
		die("slopes are measured with hwpmc or perf");
	measure_lives(it);
	it->prepare();
	measure_threads(it, 100);
	measure_threads(it, 1000);
	measure_threads(it, 10000);
	measure_owners(it);
}
