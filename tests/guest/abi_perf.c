// SPDX-License-Identifier: GPL-2.0-only
/* The PMU is held by perf's driver: refused, with a reason and a way out. */
#include "any.h"

int main(void)
{
	struct hwpmc_cpu_info info = {};
	int fd = any_open(60);
	uint64_t before = dev_stats(fd).pmcs;
	int err = dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info));

	check(!err && strstr(info.problem, "perf") && strstr(info.problem, "initcall_blacklist"),
	      "CPU_INFO tells the problem: %s", info.problem);
	refused(fd, any_allocate(fd, HWPMC_MODE_TC, -1, 0), EBUSY, "perf|initcall_blacklist",
		"ALLOCATE, virtual");
	refused(fd, any_allocate(fd, HWPMC_MODE_SC, 0, 0), EBUSY, "perf|initcall_blacklist",
		"ALLOCATE, system-wide");
	refused(fd, any_allocate(fd, HWPMC_MODE_TC, -1, HWPMC_F_TRY), EBUSY,
		"perf|initcall_blacklist", "ALLOCATE, TRY");
	check(dev_stats(fd).pmcs == before, "no PMC is left");
	check(any_row(fd, 0, any.first).disposition == HWPMC_ROW_FREE, "nor is a row held");
	return result();
}
