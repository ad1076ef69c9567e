// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: x86_sleep [s3]: a count goes on when the machine slept.
 *
 * With s3 it does: the CPUs are reset, so every register of the PMU is lost, and
 * the clock of the board wakes it (tests/vm/run --packed). Otherwise the kernel stops
 * one step before that (pm_test): whoever is told of the sleep is, and then of the waking.
 */
#include <fcntl.h>

#include "exact.h"

#define ALARM	"/sys/class/rtc/rtc0/wakealarm"

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool can_sleep(bool s3)
{
	if (!put("/sys/power/mem_sleep", "deep"))
		return false;
	if (s3)
		return put(ALARM, "+2");
	put("/sys/module/suspend/parameters/pm_test_delay", "1");
	return put("/sys/power/pm_test", "core");
}

/* Counts of a task and of a CPU: so many units, and little beside. */
static void check_grown(const uint64_t before[2], const uint64_t after[2], unsigned int units,
			const char *when)
{
	uint64_t want = units * SPIN_UNIT, task = after[0] - before[0], cpu = after[1] - before[1];

	check(task - want < 10000, "%s a task's count goes on: %lld beside", when,
	      (long long)(task - want));
	check(cpu >= want && cpu < 10 * want, "%s and a CPU's: %lld beside", when,
	      (long long)(cpu - want));
}

int main(int argc, char **argv)
{
	bool s3 = argc > 1 && !strcmp(argv[1], "s3"), slept;
	uint64_t before[2], after[2];
	uint32_t ids[2];
	int fd = dev_open();

	time_limit(60);
	pin(0, 0);
	ids[0] = counter(fd, -1, 0);
	ids[1] = counter(fd, 0, 0);
	if (dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("start: %s", dev_sentence(fd));
	spin(1);
	if (!can_sleep(s3)) {
		check(!s3, "this machine has ACPI S3 and a clock that wakes it");
		skip("this machine has no ACPI S3, or its kernel no pm_test");
		return result();
	}
	dev_read(fd, ids, 2, before);
	slept = put("/sys/power/state", "mem");
	spin(1);
	dev_read(fd, ids, 2, after);
	check(slept, "the machine slept and woke");
	check_grown(before, after, 1, "asleep and awake");
	dev_read(fd, ids, 2, before);
	spin(2);
	dev_read(fd, ids, 2, after);
	check_grown(before, after, 2, "awake");
	return result();
}
