// SPDX-License-Identifier: GPL-2.0-only
/*
 * "probe_profile [SECONDS]": the number of a timer's ticks matches the elapsed time: on every CPU
 * (profile) or on one (interval), also while CPUs go offline, and in a thread that runs all the
 * time.
 */
#define _GNU_SOURCE
#include <time.h>

#include "cpu.h"
#include "probe.h"
#include "test.h"

static unsigned int length = 10;
static int fd;

/* The CPU time of this thread. */
static double thread_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A case: the ticks match @want, with a tolerance of 1 % and a tick for each of @timers. */
static void expect(uint64_t ticks, uint64_t skipped, double want, unsigned int timers,
		   const char *what)
{
	double all = (double)(ticks + skipped);

	check(all >= want * 0.99 - timers && all <= want * 1.01 + timers,
	      "%s: %llu ticks and %llu skipped, of %.1f", what, (unsigned long long)ticks,
	      (unsigned long long)skipped, want);
}

/* The ticks of all CPUs, busy or idle. @single: one timer ticks, not one on each CPU. */
static void of_cpus(const char *name, double rate, bool single)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t values[cpus], sum = 0, skipped;
	uint32_t ids[cpus];
	double begin;

	for (int cpu = 0; cpu < cpus; cpu++) {
		int64_t id = probe_allocate(fd, name, HWPMC_MODE_SC, cpu, 0);

		if (id < 0)
			die("%s: %s", name, dev_sentence(fd));
		ids[cpu] = id;
	}
	if (dev_ids(fd, HWPMC_IOC_START, ids, cpus))
		die("start: %s", dev_sentence(fd));
	skipped = probe_skipped(fd, ids[0]);
	begin = seconds();
	nap(1000 * length);
	begin = seconds() - begin;
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, cpus) || dev_read(fd, ids, cpus, values))
		die("stop: %s", dev_sentence(fd));
	for (int cpu = 0; cpu < cpus; cpu++)
		sum += values[cpu];
	rate *= single ? 1 : (double)cpus;
	expect(sum, probe_skipped(fd, ids[0]) - skipped, rate * begin, cpus, name);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, cpus);
}

/* The number of a thread's ticks matches its CPU time. */
static void of_thread(void)
{
	uint32_t id = probe_count(fd, "profile:hz:1000", HWPMC_F_THREAD);
	uint64_t skipped = probe_skipped(fd, id);
	double begin;

	dev_start(fd, id);
	begin = thread_seconds();
	while (thread_seconds() - begin < 1.0)
		;
	dev_stop(fd, id);
	begin = thread_seconds() - begin;
	/* The skipped ticks of all CPUs, some of which may be the thread's. */
	skipped = probe_skipped(fd, id) - skipped;
	check((double)dev_value(fd, id) <= begin * 1010 + 10 &&
	      (double)(dev_value(fd, id) + skipped) >= begin * 950 - 10,
	      "a thread that ran for %.3f s: %llu ticks of 1000 Hz, %llu skipped on all CPUs", begin,
	      (unsigned long long)dev_value(fd, id), (unsigned long long)skipped);
	dev_release(fd, id);
}

/* A case: the one timer ticks on either of two CPUs. */
static void interval_ticks(uint32_t zero, uint32_t one, const char *when)
{
	uint64_t before = dev_value(fd, zero) + dev_value(fd, one);
	uint64_t skipped = probe_skipped(fd, zero);
	double begin = seconds();

	nap(1000);
	expect(dev_value(fd, zero) + dev_value(fd, one) - before, probe_skipped(fd, zero) - skipped,
	       (seconds() - begin) * 100, 3, when);
}

/* The one timer moves from a CPU that goes offline to another one. */
static void interval_moves(void)
{
	int64_t zero = probe_allocate(fd, "interval:ms:10", HWPMC_MODE_SC, 0, 0);
	int64_t one = probe_allocate(fd, "interval:ms:10", HWPMC_MODE_SC, 1, 0);

	if (zero < 0 || one < 0)
		die("interval:ms:10: %s", dev_sentence(fd));
	dev_start(fd, zero);
	dev_start(fd, one);
	interval_ticks(zero, one, "one timer for two CPUs");
	/* Not every machine can take its first CPU offline. */
	if (cpu_online(0, false)) {
		interval_ticks(zero, one, "one timer while cpu0 is offline");
		cpu_online(0, true);
		interval_ticks(zero, one, "one timer when it is online again");
	}
	cpu_online(1, false);
	interval_ticks(zero, one, "one timer while cpu1 is offline");
	cpu_online(1, true);
	dev_release(fd, zero);
	dev_release(fd, one);
	check(SOON(!dev_stats(fd).probes), "the one timer is removed");
}

/* A CPU that goes offline has no ticks, and its timer does not move to another CPU. */
static void hotplug(void)
{
	int64_t zero = probe_allocate(fd, "profile:ms:10", HWPMC_MODE_SC, 0, 0);
	int64_t one = probe_allocate(fd, "profile:ms:10", HWPMC_MODE_SC, 1, 0);
	uint64_t before, after, skipped;
	double begin;

	if (zero < 0 || one < 0)
		die("profile:ms:10: %s", dev_sentence(fd));
	dev_start(fd, zero);
	dev_start(fd, one);
	if (!cpu_online(1, false))
		die("cpu1 does not go offline: %s", strerror(errno));
	before = dev_value(fd, one);
	after = dev_value(fd, zero);
	skipped = probe_skipped(fd, zero);
	begin = seconds();
	nap(1000);
	begin = seconds() - begin;
	expect(dev_value(fd, zero) - after, probe_skipped(fd, zero) - skipped, begin * 100, 3,
	       "ticks of a CPU while the other one is offline");
	check(dev_value(fd, one) == before, "an offline CPU has no ticks");
	cpu_online(1, true);
	before = dev_value(fd, one);
	check(SOON(dev_value(fd, one) > before), "a CPU that is online again has ticks");
	dev_release(fd, zero);
	dev_release(fd, one);
	check(SOON(!dev_stats(fd).probes), "the timers are removed");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		length = strtoul(argv[1], NULL, 0);
	alarm(120 * PATIENCE);
	fd = dev_open();
	probe_refused(fd, "profile:hz:0", 0, EINVAL);
	probe_refused(fd, "profile:hz:10001", 0, EINVAL);
	probe_refused(fd, "profile:us:99", 0, EINVAL);
	probe_refused(fd, "profile:ms:3600001", 0, EINVAL);
	probe_refused(fd, "profile:hz:99x", 0, EINVAL);
	probe_refused(fd, "profile:hz", 0, EINVAL);
	probe_refused(fd, "profile:99", 0, EINVAL);
	probe_refused(fd, "profile:s:1", 0, EINVAL);
	of_cpus("profile:hz:99", 99, false);
	of_cpus("profile:us:2500", 400, false);
	of_cpus("interval:ms:10", 100, true);
	of_thread();
	hotplug();
	interval_moves();
	return result();
}
