// SPDX-License-Identifier: GPL-2.0-only
/* Calls about an offline CPU: which are refused, which succeed, and what they return. */
#include "test_class.h"
#include "exact.h"

#define FAILURES	10	/* on each CPU */

static int fd;

static void fail_on(int cpu)
{
	unsigned int i;

	pin(0, cpu);
	for (i = 0; i < FAILURES; i++)
		dev_release(fd, 0);
	pin(0, -1);
}

/* Returns the number of failed calls. */
static uint64_t stats_of_both(void)
{
	struct hwpmc_stats before = dev_stats(fd), after;

	fail_on(0);
	fail_on(1);
	after = dev_stats(fd);
	check(after.calls == before.calls + 2 * FAILURES + 1,
	      "STATS counts the calls of both CPUs: %llu more",
	      (unsigned long long)(after.calls - before.calls));
	check(after.calls_failed == before.calls_failed + 2 * FAILURES,
	      "STATS counts the failed calls of both CPUs: %llu more",
	      (unsigned long long)(after.calls_failed - before.calls_failed));
	return after.calls_failed;
}

int main(void)
{
	struct hwpmc_row_info rows[64];
	struct hwpmc_pmc_info info = {
		.cpu = 1, .rows = 64, .row_list = (uintptr_t)rows, .row_size = sizeof(rows[0]),
	};
	struct hwpmc_cpu_info cpus = {};
	int64_t stands, runs;
	uint64_t value, failed;

	fd = class_open(120);
	failed = stats_of_both();
	stands = class_allocate(fd, HWPMC_MODE_SC, 1, 0);
	runs = class_allocate(fd, HWPMC_MODE_SC, 1, 0);
	check(stands > 0 && runs > 0 && !dev_start(fd, runs), "START of one of two PMCs of cpu 1");
	usleep(20000);
	if (!cpu_online(1, false))
		die("cpu 1 cannot be unplugged");
	check(dev_stats(fd).calls_failed == failed, "STATS still counts the failed calls of cpu 1: %llu",
	      (unsigned long long)dev_stats(fd).calls_failed);
	dev_call(fd, HWPMC_IOC_CPU_INFO, &cpus, sizeof(cpus));
	check(cpus.cpus_online == 1 && cpus.cpus_possible == 2, "CPU_INFO returns %u of %u CPUs online",
	      cpus.cpus_online, cpus.cpus_possible);
	refused(fd, class_allocate(fd, HWPMC_MODE_SC, 1, 0), ENXIO, "offline", "ALLOCATE");
	refused(fd, class_allocate(fd, HWPMC_MODE_SC, 1, HWPMC_F_TRY), ENXIO, "offline",
		"ALLOCATE with TRY");
	refused(fd, dev_call(fd, HWPMC_IOC_PMC_INFO, &info, sizeof(info)), ENXIO, "offline",
		"PMC_INFO");
	refused(fd, dev_admin(fd, 1, test_class.first + 2, HWPMC_ADMIN_DISABLED), ENXIO, "offline",
		"ADMIN");
	refused(fd, dev_start(fd, stands), ENXIO, "offline", "START");
	refused(fd, dev_stop(fd, stands), EINVAL, "never started",
		"STOP of a PMC that was never started");
	check(!dev_start(fd, runs), "START of a running PMC succeeds");
	value = dev_value(fd, runs);
	usleep(20000);
	check(dev_value(fd, runs) == value, "the value of its PMC does not change: %llu", (unsigned long long)value);
	check(class_allocate(fd, HWPMC_MODE_TC, -1, HWPMC_F_TRY) == 0, "virtual PMCs can be allocated");
	check(class_allocate(fd, HWPMC_MODE_SC, 0, HWPMC_F_TRY) == 0, "PMCs of cpu 0 can be allocated");
	check(!dev_write(fd, stands, 77) && dev_value(fd, stands) == 77, "WRITE and READ of a PMC of an offline CPU");
	check(!dev_stop(fd, runs), "STOP");
	refused(fd, dev_start(fd, runs), ENXIO, "offline", "START of a PMC that was stopped on the offline CPU");
	check(!dev_release(fd, stands), "RELEASE");
	if (!cpu_online(1, true))
		die("cpu 1 cannot be plugged");
	check(!dev_start(fd, runs), "START when the CPU is online again");
	usleep(50000);
	check(dev_value(fd, runs) >= value, "the PMC counts on: %llu",
	      (unsigned long long)dev_value(fd, runs));
	check(!dev_release(fd, runs) && !dev_stats(fd).pmcs, "no PMC is left");
	check(class_free_rows(fd, HWPMC_MODE_SC, 1) == test_class.rows, "all rows of cpu 1 are free");
	return result();
}
