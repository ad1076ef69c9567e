// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_hotplug [N]: perf and the module use the PMU in turns, N times, while CPU 1 goes offline
 * and online all the time. Each counts exactly, and is refused while the other counts. After that
 * both count on CPU 1. x86: an event of another, sleeping process also keeps the module from the
 * PMU; arm64_perf_turns has the rule of arm64. The NMI watchdog is off.
 */
#include "exact.h"
#include "perf_turns.h"

static bool refused_by_perf(int fd)
{
	return hwpmc_open(fd, 0) == -EBUSY && strstr(dev_sentence(fd), PERF_HOLDS);
}

static bool perf_counts(int fd)
{
	int perf = perf_open(-1, 0);
	bool refused = perf >= 0 && refused_by_perf(fd);
	uint64_t value = 0;

	run(ROUNDS);
	if (perf >= 0) {
		value = perf_read(perf, NULL);
		close(perf);
	}
	if (!refused || !turn_near(value))
		printf("# perf: %d, counted %llu; the module: %s\n", perf,
		       (unsigned long long)value, dev_sentence(fd));
	return refused && turn_near(value);
}

static bool hwpmc_counts(int fd)
{
	int64_t id = hwpmc_open(fd, 0);
	uint64_t value;
	int perf;

	if (id < 0 || dev_start(fd, id)) {
		printf("# the module: %s\n", dev_sentence(fd));
		return false;
	}
	perf = perf_open(-1, 0);
	if (perf >= 0)
		close(perf);
	run(ROUNDS);
	value = dev_value(fd, id);
	if (perf != -EBUSY || !turn_near(value))
		printf("# perf: %d; the module counted %llu\n", perf, (unsigned long long)value);
	return !dev_release(fd, id) && perf == -EBUSY && turn_near(value);
}

static void cycle_cpu(void *arg)
{
	volatile unsigned long *cycles = arg;

	for (;;)
		*cycles += cpu_online(1, false) && cpu_online(1, true);
}

static void turns(int fd, unsigned int count)
{
	volatile unsigned long *cycles = shared(sizeof(*cycles));
	struct worker worker = worker_start(cycle_cpu, (void *)cycles);
	unsigned int i, perf = 0, hwpmc = 0;
	double begun = seconds();

	worker_begin(&worker);
	for (i = 0; i < count; i++) {
		perf += perf_counts(fd);
		hwpmc += hwpmc_counts(fd);
	}
	check(SOON(*cycles), "CPU 1 goes offline and online, %lu times; %.1f s", *cycles,
	      seconds() - begun);
	worker_end(&worker);
	check(perf == count, "perf counts meanwhile in %u of %u turns", perf, count);
	check(hwpmc == count, "the module counts in as many: %u", hwpmc);
	check(cpu_online(1, true), "CPU 1 is online in the end");
	pin(0, 1);
	check(perf_counts(fd) && hwpmc_counts(fd), "perf counts there and so does the module");
	pin(0, 0);
}

#if defined(__x86_64__)
static void open_and_sleep(void *arg)
{
	int *perf = arg;

	*perf = perf_open(-1, 0);
}

static void check_idle(int fd)
{
	int *perf = shared(sizeof(*perf));
	struct worker worker = worker_start(open_and_sleep, perf);
	int64_t id;

	worker_do(&worker);
	wait_asleep(worker.pid);
	check(*perf >= 0 && refused_by_perf(fd), "refused while a process that sleeps has an event: %s",
	      dev_sentence(fd));
	worker_end(&worker);
	check(SOON((id = hwpmc_open(fd, 0)) > 0), "not when that process is dead");
	dev_release(fd, id);
}
#endif

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	int fd = dev_open();

	time_limit(240);
	pin(0, 0);
#if defined(__x86_64__)
	keep_hooked(fd);
	check_idle(fd);
#endif
	turns(fd, count);
	return result();
}
