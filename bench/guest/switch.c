// SPDX-License-Identifier: GPL-2.0-only
/* What a context switch costs more while one of the two tasks is counted. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "../../tests/lib/pingpong.h"
#include "bench.h"

#define SETUPS		12		/* fresh pairs of tasks: memory layout differs */
#define WRMSR_PMU	0x4000f001	/* see tests/qemu-pmu/README.md */

/**
 * struct cost - of a switch
 * @time: instructions
 * @writes: WRMSRs of the PMU's registers
 */
struct cost {
	double time;
	double writes;
};

static int msrs = -1;

static double writes(void)
{
	uint64_t value = 0;

	if (msrs >= 0 && pread(msrs, &value, sizeof(value), WRMSR_PMU) != sizeof(value))
		die("reading register 0x%x: %s", WRMSR_PMU, strerror(errno));
	return value;
}

static struct cost measure(struct ping_pong *pp)
{
	double before = writes();
	struct cost cost = { .time = ping_pong_measure(pp) };

	cost.writes = (writes() - before) / ping_pong_switches();
	return cost;
}

/* What @count counters of @pid add to a switch of @pp's. */
static void added(struct cost *sum, struct ping_pong *pp, const struct backend *b,
		  unsigned int count, pid_t pid)
{
	struct cost before = measure(pp), with;

	b->open(count, pid);
	settle();
	with = measure(pp);
	b->close();
	settle();
	sum->time += (with.time - before.time) / SETUPS;
	sum->writes += (with.writes - before.writes) / SETUPS;
}

static pid_t fork_sleeper(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void print_cost(const char *what, struct cost cost)
{
	char key[32];

	snprintf(key, sizeof(key), "switch-%s", what);
	print(key, cost.time);
	if (msrs < 0)
		return;
	snprintf(key, sizeof(key), "writes-%s", what);
	print(key, cost.writes);
}

/* Interleaved, so that what drifts meets all alike. */
void bench_switch(const struct backend *b)
{
	struct cost one = {}, six = {}, other = {};
	double none = 0;

	msrs = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < SETUPS; i++) {
		struct ping_pong pp;
		pid_t sleeper;

		ping_pong_open(&pp);
		settle();
		none += ping_pong_measure(&pp) / SETUPS;
		if (b) {
			added(&one, &pp, b, 1, pp.pid);
			added(&six, &pp, b, 6, pp.pid);
			sleeper = fork_sleeper();
			added(&other, &pp, b, 1, sleeper);
			kill(sleeper, SIGKILL);
			waitpid(sleeper, NULL, 0);
		}
		ping_pong_close(&pp);
	}
	print("switch", none);
	if (!b)
		return;
	print_cost("1", one);
	print_cost("6", six);
	print_cost("other", other);
}
