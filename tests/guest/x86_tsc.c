// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: PMCs share the time-stamp counter, and a virtual one does not count while its target sleeps.
 * ALLOCATE of a class that the machine does not have is refused with the reason.
 */
#include "exact.h"

/* A virtual PMC counts while its target runs, not all the time. */
static void off_the_cpu(int fd)
{
	const int64_t tc = dev_allocate(fd, HWPMC_CLASS_TSC, HWPMC_MODE_TC, -1, 0, 0, 0);
	const int64_t sc = dev_allocate(fd, HWPMC_CLASS_TSC, HWPMC_MODE_SC, 0, 0, 0, 0);
	const uint32_t ids[] = { tc, sc };

	if (tc < 0 || sc < 0 || dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("the TSC: %s", dev_sentence(fd));
	check(clock_stops_off_cpu(fd, ids), "a virtual PMC does not count while its target sleeps");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
}

/* Each machine lacks a vendor's class, and a machine without a PMU lacks both. */
static void other_class(int fd)
{
	struct hwpmc_cpu_info info = {};
	uint32_t class_id;
	int64_t id;

	if (dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info)))
		die("CPU_INFO: %s", dev_sentence(fd));
	class_id = strcmp(info.vendor, "AuthenticAMD") ? HWPMC_CLASS_AMD : HWPMC_CLASS_IAP;
	id = dev_allocate(fd, class_id, HWPMC_MODE_TC, -1, EV_INSTRUCTIONS, HWPMC_CAP_USER, 0);
	check(id == -ENODEV && strstr(dev_sentence(fd), info.problem[0] ? info.problem : "pmctl info"),
	      "ALLOCATE of a class that is missing is refused with the reason: %s", dev_sentence(fd));
}

int main(void)
{
	int fd = dev_open(), other = dev_open();
	int64_t a = dev_allocate(fd, HWPMC_CLASS_TSC, HWPMC_MODE_TC, -1, 0, 0, 0);
	int64_t b = dev_allocate(other, HWPMC_CLASS_TSC, HWPMC_MODE_TC, -1, 0, 0, 0);
	int64_t c = dev_allocate(fd, HWPMC_CLASS_TSC, HWPMC_MODE_SC, 0, 0, 0, 0);
	uint64_t va, vb, vc;

	check(a > 0 && b > 0 && c > 0, "ALLOCATE of three PMCs on the shareable row");
	check(!dev_start(fd, a) && !dev_start(other, b) && !dev_start(fd, c), "START of three PMCs on one row");
	spin(2);
	/* The second PMC is started later and read earlier. */
	vb = dev_value(other, b);
	va = dev_value(fd, a);
	vc = dev_value(fd, c);
	check(vb > 0 && vb < va, "the PMC that was started first counts more: %llu, %llu", (unsigned long long)va,
	      (unsigned long long)vb);
	check(vc > 0, "the CPU's PMC counts: %llu", (unsigned long long)vc);
	off_the_cpu(fd);
	other_class(fd);
	return result();
}
