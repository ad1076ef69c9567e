// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: a count goes on when the machine slept. QEMU leaves for good when it wakes
 * from ACPI S3, so the kernel stops one step before that (pm_test): whoever is
 * told of the sleep is, and then of the waking.
 */
#include <fcntl.h>

#include "exact.h"

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool can_sleep(void)
{
	put("/sys/module/suspend/parameters/pm_test_delay", "1");
	return put("/sys/power/mem_sleep", "deep") && put("/sys/power/pm_test", "core");
}

int main(void)
{
	uint32_t ids[2];
	uint64_t before[2], after[2];
	int fd = dev_open();
	bool slept;

	time_limit(60);
	if (!can_sleep()) {
		skip("this machine has no ACPI S3, or its kernel no pm_test");
		return result();
	}
	pin(0, 0);
	ids[0] = counter(fd, -1, 0);
	ids[1] = counter(fd, 0, 0);
	if (dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("start: %s", dev_sentence(fd));
	spin(1);
	dev_read(fd, ids, 2, before);
	slept = put("/sys/power/state", "mem");
	spin(1);
	dev_read(fd, ids, 2, after);
	check(slept, "the machine slept and woke");
	check(after[0] - before[0] - SPIN_UNIT < 10000, "a task's count goes on: %llu beside",
	      (unsigned long long)(after[0] - before[0] - SPIN_UNIT));
	check(after[1] - before[1] >= SPIN_UNIT && after[1] - before[1] < 10 * SPIN_UNIT,
	      "and a CPU's: %llu beside", (unsigned long long)(after[1] - before[1] - SPIN_UNIT));
	return result();
}
