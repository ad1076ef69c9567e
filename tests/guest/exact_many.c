// SPDX-License-Identifier: GPL-2.0-only
/*
 * "exact_many [DIVISOR]": a machine with many CPUs. Each CPU counts what runs on it. A task that
 * visits all of them is counted exactly. The cost of START, READ and STOP for one user, in
 * instructions and in interrupts of CPUs, does not depend on how many other users count, on the
 * same CPU or on others.
 */
#define _GNU_SOURCE
#include <sched.h>

#include "exact.h"

#define ROUNDS		400000
#define VISIT_COST	1000U	/* instructions of a pin(), at most */
#define TRIES	5	/* the cheapest of these counts */
#define TURNS		50U
#define OTHERS_MOST	100U
#define BESIDE_CPU1	3U	/* other owners on CPU 1, which a PMC of the caller counts */

static int cpus;

/* --- Exact counts */

/* A task on each CPU, and two PMCs that count it: one of the CPU and one of the task. */
struct each {
	struct worker worker;
	uint32_t of_cpu, of_task;
};

static void run_there(void *arg)
{
	(void)arg;
	run(scaled(ROUNDS));
}

static void each_begin(int fd, struct each *each, int cpu)
{
	each->of_cpu = counter(fd, cpu, 0);
	each->of_task = counter(fd, -1, 0);
	each->worker = worker_start(run_there, NULL);
	pin(each->worker.pid, cpu);
	if (dev_attach(fd, each->of_task, each->worker.pid, 0) || dev_start(fd, each->of_cpu) ||
	    dev_start(fd, each->of_task))
		die("CPU %d: %s", cpu, dev_sentence(fd));
}

/* In batches: a virtual PMC takes its row on every CPU. */
#define BATCH	2

static void batch(int fd, int first, struct count *sum, unsigned int *wrong)
{
	struct each each[BATCH];
	uint64_t values[2];
	int i, count = cpus - first < BATCH ? cpus - first : BATCH;

	for (i = 0; i < count; i++)
		each_begin(fd, &each[i], first + i);
	for (i = 0; i < count; i++)
		worker_begin(&each[i].worker);
	for (i = 0; i < count; i++)
		worker_wait(&each[i].worker);
	for (i = 0; i < count; i++) {
		const uint32_t ids[] = { each[i].of_cpu, each[i].of_task };

		if (dev_read(fd, ids, 2, values))
			die("CPU %d: %s", first + i, dev_sentence(fd));
		/* The CPU's PMC also counts the CPU's other tasks. */
		*wrong += !exact(values[1], 2 * scaled(ROUNDS)) || values[0] < values[1];
		sum->got += values[1];
		sum->want += 2 * scaled(ROUNDS);
		worker_end(&each[i].worker);
		dev_release(fd, ids[0]);
		dev_release(fd, ids[1]);
	}
}

static void each_counts(void)
{
	unsigned int wrong = 0;
	struct count sum = { 0 };
	int fd = dev_open();

	for (int cpu = 0; cpu < cpus; cpu += BATCH)
		batch(fd, cpu, &sum, &wrong);
	check(!wrong, "a task on each of %d CPUs: %u are counted wrongly", cpus, wrong);
	check_near(sum.got, sum.want, "the sum of all CPUs");
	close(fd);
}

static void visit_all(void *arg)
{
	(void)arg;
	for (int cpu = 0; cpu < cpus; cpu++) {
		pin(0, cpu);
		run(scaled(ROUNDS));
	}
}

static void visitor_counts(void)
{
	struct worker worker = worker_start(visit_all, NULL);
	int fd = dev_open();
	uint64_t value, want = 2ULL * scaled(ROUNDS) * (unsigned int)cpus;
	uint32_t id = counter(fd, -1, 0);

	if (dev_attach(fd, id, worker.pid, 0) || dev_start(fd, id))
		die("attach: %s", dev_sentence(fd));
	worker_do(&worker);
	value = dev_value(fd, id);
	check(value >= want && value < want + VISIT_COST * (unsigned int)cpus,
	      "a task that visits every CPU: counted %llu of %llu", (unsigned long long)value,
	      (unsigned long long)want);
	worker_end(&worker);
	close(fd);
}

/* --- Costs beside other owners */

static unsigned long all_calls(void)
{
	unsigned long sum = 0;

	for (int cpu = 0; cpu < cpus; cpu++)
		sum += cpu_calls(cpu);
	return sum;
}

/* The cost of TURNS turns of START, READ and STOP. */
struct cost {
	double instructions;	/* of a turn on a PMC of the caller's own thread */
	unsigned long own_calls;	/* interrupts of CPUs in all those turns */
	unsigned long cpu_calls;	/* interrupts of CPUs in as many turns on a PMC of CPU 1 */
};

struct caller {
	int fd;
	uint32_t meter, own, there;
};

static unsigned long turns(const struct caller *caller, uint32_t id)
{
	unsigned long before = all_calls();

	for (unsigned int i = 0; i < TURNS; i++) {
		if (dev_start(caller->fd, id))
			die("START: %s", dev_sentence(caller->fd));
		dev_value(caller->fd, id);
		if (dev_stop(caller->fd, id))
			die("STOP: %s", dev_sentence(caller->fd));
	}
	return all_calls() - before;
}

/* Returns the mean number of instructions of a turn. */
static double turn(const struct caller *caller)
{
	uint64_t before = dev_value(caller->fd, caller->meter);

	for (unsigned int i = 0; i < TURNS / TRIES; i++) {
		dev_start(caller->fd, caller->own);
		dev_value(caller->fd, caller->own);
		dev_stop(caller->fd, caller->own);
	}
	return (double)(dev_value(caller->fd, caller->meter) - before) / (TURNS / TRIES);
}

static struct cost measure(const struct caller *caller)
{
	struct cost cost = { .instructions = turn(caller) };

	/* The least of several: at times the kernel has work of its own for the thread. */
	for (unsigned int i = 1; i < TRIES; i++) {
		double again = turn(caller);

		if (again < cost.instructions)
			cost.instructions = again;
	}
	cost.own_calls = turns(caller, caller->own);
	cost.cpu_calls = turns(caller, caller->there);
	return cost;
}

static struct caller caller_open(void)
{
	struct caller caller = { .fd = dev_open() };
	int64_t meter = dev_allocate(caller.fd, dev_class(), HWPMC_MODE_TC, -1, EV_INSTRUCTIONS,
				     HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, 0);

	if (meter < 0 || dev_start(caller.fd, (uint32_t)meter))
		die("the caller's instructions: %s", dev_sentence(caller.fd));
	caller.meter = (uint32_t)meter;
	caller.own = counter(caller.fd, -1, 0);
	caller.there = counter(caller.fd, 1, 0);
	return caller;
}

/* Another owner, whose PMC counts on a CPU other than the caller's. */
static int other(unsigned int nth)
{
	int fd = dev_open();
	int cpu = nth < BESIDE_CPU1 ? 1 : 2 + (int)(nth % (unsigned int)(cpus - 2));
	uint32_t id = counter(fd, cpu, 0);

	if (dev_start(fd, id))
		die("other %u: %s", nth, dev_sentence(fd));
	return fd;
}

static void beside(const struct caller *caller, const struct cost *alone, unsigned int others)
{
	struct cost cost = measure(caller);

	check(cost.instructions < 1.05 * alone->instructions + 50,
	      "beside %u others START, READ and STOP take %.0f instructions, alone %.0f", others,
	      cost.instructions, alone->instructions);
	/* The kernel itself sends function calls to CPUs at times. */
	check(cost.own_calls < 10, "they interrupt CPUs %lu times in %u turns, alone %lu",
	      cost.own_calls, TURNS, alone->own_calls);
	check(cost.cpu_calls <= alone->cpu_calls + 10 && cost.cpu_calls <= 3 * TURNS + 10,
	      "those of a PMC of CPU 1 %lu times, alone %lu", cost.cpu_calls, alone->cpu_calls);
}

static void costs(void)
{
	struct caller caller = caller_open();
	int fds[OTHERS_MOST];
	unsigned int count = 0;
	struct cost alone;

	pin(0, 0);
	/* The first turns hook the caller, and patch the kernel's text. */
	measure(&caller);
	alone = measure(&caller);
	while (count < OTHERS_MOST) {
		fds[count] = other(count);
		count++;
		if (count == 1 || count == 10 || count == OTHERS_MOST)
			beside(&caller, &alone, count);
	}
	while (count)
		close(fds[--count]);
	close(caller.fd);
}

/* One call reads a PMC of every CPU. */
static void read_all(void)
{
	uint32_t *ids = calloc((size_t)cpus, sizeof(*ids));
	uint64_t *values = calloc((size_t)cpus, sizeof(*values));
	unsigned long before, calls;
	int fd = dev_open();

	for (int cpu = 0; cpu < cpus; cpu++)
		ids[cpu] = counter(fd, cpu, 0);
	if (dev_ids(fd, HWPMC_IOC_START, ids, (unsigned int)cpus))
		die("START: %s", dev_sentence(fd));
	before = all_calls();
	for (unsigned int i = 0; i < TURNS; i++)
		if (dev_read(fd, ids, (unsigned int)cpus, values))
			die("READ: %s", dev_sentence(fd));
	calls = all_calls() - before;
	check(calls <= TURNS * (unsigned long)cpus + 10,
	      "%u readings of a PMC of each CPU interrupt CPUs %lu times", TURNS, calls);
	close(fd);
	free(ids);
	free(values);
}

int main(int argc, char **argv)
{
	scale_down(argc, argv);
	time_limit(300);
	cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (cpus < 3)
		die("this needs many CPUs, and there are %d", cpus);
	each_counts();
	visitor_counts();
	costs();
	read_all();
	return result();
}
