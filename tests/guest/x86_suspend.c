// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: "x86_suspend [s3]": counts of tasks, CPUs and the TSC continue after a suspend.
 *
 * With s3 the machine is suspended: the CPUs are reset, so every register of the PMU is lost,
 * and the RTC wakes it (tests/vm/run --packed). Otherwise the kernel calls all suspend callbacks,
 * stops one step before the suspend (pm_test), and resumes.
 */
#include "exact.h"
#include "file.h"

#define ALARM	"/sys/class/rtc/rtc0/wakealarm"

static bool can_sleep(bool s3)
{
	if (!file_write("/sys/power/mem_sleep", "deep"))
		return false;
	if (s3)
		return true;
	file_write("/sys/module/suspend/parameters/pm_test_delay", "0");
	return file_write("/sys/power/pm_test", "core");
}

/*
 * Suspends the machine. If the RTC's alarm goes off before the machine is suspended, it aborts the
 * suspend, which is then repeated with a later alarm.
 */
static bool sleeps(bool s3)
{
	const char *const alarms[] = { "+2", "+5", "+12" };

	if (!s3)
		return file_write("/sys/power/state", "mem");
	for (unsigned int i = 0; i < ARRAY_SIZE(alarms); i++) {
		file_write(ALARM, "0");
		if (file_write(ALARM, alarms[i]) && file_write("/sys/power/state", "mem"))
			return true;
	}
	return false;
}

/* OF_CPU1 is used only with two CPUs. */
enum { OF_TASK, OF_CPU0, OF_TSC, OF_CPU1, COUNTS };

static uint32_t ids[COUNTS];
static unsigned int count = OF_CPU1;

static void begin(int fd)
{
	int64_t tsc = dev_allocate(fd, HWPMC_CLASS_TSC, HWPMC_MODE_SC, 0, 0, 0, 0);

	if (tsc < 0)
		die("TSC: %s", dev_sentence(fd));
	ids[OF_TASK] = counter(fd, -1, 0);
	ids[OF_CPU0] = counter(fd, 0, 0);
	ids[OF_TSC] = tsc;
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		ids[count++] = counter(fd, 1, 0);
	if (dev_ids(fd, HWPMC_IOC_START, ids, count))
		die("start: %s", dev_sentence(fd));
}

/* Runs one unit on CPU 1 if a PMC counts that CPU, then @units on CPU 0. */
static void work(unsigned int units)
{
	if (count > OF_CPU1) {
		pin(0, 1);
		spin(1);
		pin(0, 0);
	}
	spin(units);
}

static void check_cpu(uint64_t grown, unsigned int units, const char *which, const char *when)
{
	uint64_t want = units * SPIN_UNIT;

	check(grown >= want && grown < 10 * want, "%s %s's count continues: %lld more than the work", when, which,
	      (long long)(grown - want));
}

/* The task must have counted the work and little more; a CPU's count includes other tasks. */
static void check_grown(const uint64_t *before, const uint64_t *after, unsigned int units,
			const char *when)
{
	uint64_t task = after[OF_TASK] - before[OF_TASK];

	task -= (units + count - OF_CPU1) * SPIN_UNIT;
	check(task < 10000, "%s a task's count continues: %lld more than the work", when, (long long)task);
	check_cpu(after[OF_CPU0] - before[OF_CPU0], units, "CPU 0", when);
	if (count > OF_CPU1)
		check_cpu(after[OF_CPU1] - before[OF_CPU1], 1, "CPU 1", when);
	/* Whether the TSC counts while suspended depends on the machine. */
	check(after[OF_TSC] > before[OF_TSC] && after[OF_TSC] - before[OF_TSC] < 1ULL << 62,
	      "%s the TSC's count does not jump: %llu, then %llu", when, (unsigned long long)before[OF_TSC],
	      (unsigned long long)after[OF_TSC]);
}

int main(int argc, char **argv)
{
	bool s3 = argc > 1 && !strcmp(argv[1], "s3"), slept;
	uint64_t before[COUNTS], after[COUNTS];
	int fd = dev_open();

	time_limit(60);
	pin(0, 0);
	begin(fd);
	work(1);
	if (!can_sleep(s3)) {
		check(!s3, "the machine has ACPI S3 and a clock that wakes it");
		skip("suspend: the machine has no ACPI S3, or its kernel no pm_test");
		return result();
	}
	dev_read(fd, ids, count, before);
	slept = sleeps(s3);
	work(1);
	dev_read(fd, ids, count, after);
	check(slept, "the machine is suspended and resumes");
	check_grown(before, after, 1, "over the suspend");
	dev_read(fd, ids, count, before);
	work(2);
	dev_read(fd, ids, count, after);
	check_grown(before, after, 2, "after the suspend");
	return result();
}
