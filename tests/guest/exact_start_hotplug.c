// SPDX-License-Identifier: GPL-2.0-only
/*
 * exact_start_hotplug [N]: N times, START of off-CPU time while CPU 1 goes offline or online, which
 * the call waits for. What the thread runs meanwhile on CPU 2 is not counted as off-CPU time.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "exact.h"

#define RUN_NS		40000000ULL
#define DOZE_US		1000
/* Tolerance: an emulated CPU may stop for some ms before it sends or receives the cross-call. */
#define SLACK_NS	20000000ULL

/* Runs for RUN_NS and sleeps for a short time, alternately. */
static void run_and_doze(void *unused)
{
	(void)unused;
	pin(0, 2);
	for (;;) {
		uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + RUN_NS;

		while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
			spin(1);
		usleep(DOZE_US);
	}
}

static void cycle_cpu(void *arg)
{
	volatile unsigned long *cycles = arg;

	for (;;)
		*cycles += cpu_online(1, false) && cpu_online(1, true);
}

/*
 * Returns for how long @pid was not on a CPU since a fixed point in time. @pid may run between the
 * readings of the two clocks: then the result is too small if CLOCK_MONOTONIC is read first
 * (@least), and too large if it is read last.
 */
static uint64_t off_time(pid_t pid, bool least)
{
	uint64_t first = clock_ns(CLOCK_MONOTONIC), ran;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock))
		die("the CPU-time clock of %d", pid);
	ran = clock_ns(clock);
	return (least ? first : clock_ns(CLOCK_MONOTONIC)) - ran;
}

static void count(int fd, pid_t pid, unsigned int times)
{
	uint64_t most = 0, longest = 0;
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < times; i++) {
		int64_t id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_OFF_CPU, 0, 0);
		uint64_t off, begun, took, got;

		if (id < 0 || dev_attach(fd, id, pid, 0))
			die("attach: %s", dev_sentence(fd));
		off = off_time(pid, true);
		begun = clock_ns(CLOCK_MONOTONIC);
		if (dev_start(fd, id))
			die("start: %s", dev_sentence(fd));
		took = clock_ns(CLOCK_MONOTONIC) - begun;
		nap(60);
		got = dev_value(fd, id);
		off = off_time(pid, false) - off;
		if (got > off + SLACK_NS) {
			wrong++;
			most = got - off > most ? got - off : most;
		}
		longest = took > longest ? took : longest;
		dev_release(fd, id);
	}
	check(!wrong, "%u of %u counts are too large, by up to %.1f ms; START took up to %.1f ms", wrong, times,
	      most / 1e6, longest / 1e6);
}

int main(int argc, char **argv)
{
	unsigned int times = argc > 1 ? strtoul(argv[1], NULL, 0) : 40;
	volatile unsigned long *cycles = shared(sizeof(*cycles));
	struct worker target = worker_start(run_and_doze, NULL);
	struct worker cycler = worker_start(cycle_cpu, (void *)cycles);
	int fd = dev_open();

	time_limit(60 + 4 * times);
	pin(0, 0);
	worker_begin(&target);
	worker_begin(&cycler);
	count(fd, target.pid, times);
	check(SOON(*cycles), "CPU 1 goes offline and online, %lu times", *cycles);
	worker_end(&cycler);
	worker_end(&target);
	check(cpu_online(1, true), "CPU 1 is online in the end");
	return result();
}
