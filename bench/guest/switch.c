// SPDX-License-Identifier: GPL-2.0-only
/* The additional cost of a context switch while one of the two tasks is counted. */
#include <fcntl.h>
#include <math.h>

#include "../../tests/lib/pingpong.h"
#include "slope.h"

#define SETUPS		12		/* pairs of tasks, whose memory layouts differ */
#define WRMSR_PMU	0x4000f001	/* see tests/qemu-pmu/README.md */
#define SHOWN		100000		/* rounds: more than ten seconds */

/**
 * struct cost - the cost of a switch, measured with SETUPS pairs of tasks
 * @without: instructions of the cheapest pair, without counters
 * @with: instructions of the cheapest pair, with counters
 * @writes: mean number of WRMSRs of the PMU's registers that the counters add
 */
struct cost {
	double without;
	double with;
	double writes;
};

static const struct cost unknown = { .without = INFINITY, .with = INFINITY };

static int msrs = -1;

static double writes(void)
{
	uint64_t value = 0;

	if (msrs >= 0 && pread(msrs, &value, sizeof(value), WRMSR_PMU) != sizeof(value))
		die("reading register 0x%x: %s", WRMSR_PMU, strerror(errno));
	return value;
}

/* Returns the WRMSRs of a switch, except those of the first one, which sets up the counters. */
static double measure(struct ping_pong *pp, double *least)
{
	double before, time;

	ping_pong_rounds(pp, 1);
	before = writes();
	time = ping_pong_measure(pp);
	if (time < *least)
		*least = time;
	return (writes() - before) / ping_pong_switches();
}

/* Returns the cost that @count counters of @pid, opened by @open, add to a switch of @pp. */
static void added(struct cost *cost, struct ping_pong *pp, const struct backend *b,
		  void (*open)(unsigned int count, pid_t pid), unsigned int count, pid_t pid)
{
	cost->writes -= measure(pp, &cost->without) / SETUPS;
	open(count, pid);
	warm_up();
	cost->writes += measure(pp, &cost->with) / SETUPS;
	b->close();
	warm_up();
}

/* The same, for counters that the caller, the other task of @pp, reads in user mode. */
static bool added_direct(struct cost *cost, struct ping_pong *pp, const struct backend *b,
			 unsigned int count)
{
	bool direct;

	cost->writes -= measure(pp, &cost->without) / SETUPS;
	direct = b->open_direct(count);
	warm_up();
	if (direct)
		cost->writes += measure(pp, &cost->with) / SETUPS;
	b->close();
	warm_up();
	return direct;
}

static void print_cost(const char *what, const struct cost *cost)
{
	char key[32];

	snprintf(key, sizeof(key), "switch-%s", what);
	print(key, cost->with - cost->without);
	if (msrs < 0)
		return;
	snprintf(key, sizeof(key), "writes-%s", what);
	print(key, cost->writes);
}

/* Interleaved, so that a drift affects all of them alike. */
void bench_switch(const struct backend *b)
{
	struct cost none = unknown, one = unknown, six = unknown, other = unknown;
	struct cost page = unknown, pages = unknown, direct = unknown, directs = unknown;
	bool directly = b && b->open_direct;

	msrs = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < SETUPS; i++) {
		struct ping_pong pp;
		pid_t sleeper;

		ping_pong_open(&pp);
		warm_up();
		measure(&pp, &none.without);
		if (b) {
			added(&one, &pp, b, b->open, 1, pp.pid);
			added(&six, &pp, b, b->open, 6, pp.pid);
			if (b->open_page) {
				added(&page, &pp, b, b->open_page, 1, pp.pid);
				added(&pages, &pp, b, b->open_page, 6, pp.pid);
			}
			directly = directly && added_direct(&direct, &pp, b, 1) &&
				   added_direct(&directs, &pp, b, 6);
			sleeper = fork_sleeper();
			added(&other, &pp, b, b->open, 1, sleeper);
			end_threads(sleeper);
		}
		ping_pong_close(&pp);
	}
	print("switch", none.without);
	if (!b)
		return;
	print_cost("1", &one);
	print_cost("6", &six);
	print_cost("other", &other);
	if (directly) {
		print_cost("direct-1", &direct);
		print_cost("direct-6", &directs);
	}
	if (!b->open_page)
		return;
	print_cost("page-1", &page);
	print_cost("page-6", &pages);
}

/* Switches to and from a task with one counter for a while, for bench/handler. */
void bench_switched(const struct backend *b)
{
	struct ping_pong pp;

	ping_pong_open(&pp);
	b->open(1, pp.pid);
	warm_up();
	ping_pong_rounds(&pp, 1);
	print("switched", 1);
	/* Both tasks are SCHED_FIFO: the console's worker prints only while they sleep. */
	usleep(100000);
	ping_pong_rounds(&pp, SHOWN);
	b->close();
	ping_pong_close(&pp);
}
