// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf's driver holds the PMU: calls are refused with a reason and a remedy. perf keeps the PMU
 * when the module is unloaded, which this program does in the end.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "test_class.h"

static struct perf_event_mmap_page *page;

/* A stopped event that samples cycles; its ring is @page. */
static int perf_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES, .sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP, .disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("perf_event_open: %s", strerror(errno));
	page = mmap(NULL, 2 * getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		die("perf's ring: %s", strerror(errno));
	return fd;
}

static bool perf_samples(int perf)
{
	uint64_t before = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t after = before;

	if (ioctl(perf, PERF_EVENT_IOC_ENABLE, 0))
		return false;
	for (int i = 0; i < 100 && after == before; i++) {
		spin(1);
		after = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	}
	return !ioctl(perf, PERF_EVENT_IOC_DISABLE, 0) && after != before;
}

/* Whether perf's interrupt handler is registered; without it the next overflow would interrupt forever. */
static bool perf_has_interrupt(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char line[512];
	bool found = false;

	while (f && fgets(line, sizeof(line), f))
		found |= !!strstr(line, "arm-pmu");
	if (f)
		fclose(f);
	return found;
}

static void unload(int fd)
{
	int perf = perf_open();

	check(perf_samples(perf), "perf samples while the module is loaded");
	close(fd);
	if (!check(SOON(!syscall(SYS_delete_module, "hwpmc", O_NONBLOCK)), "the module can be unloaded"))
		return;
	if (check(perf_has_interrupt(), "perf has its interrupt after that"))
		check(perf_samples(perf), "perf samples after that");
	close(perf);
}

int main(void)
{
	struct hwpmc_cpu_info info = {};
	int fd = class_open(60);
	uint64_t before = dev_stats(fd).pmcs;
	int err = dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info));

	check(!err && strstr(info.problem, "perf") && strstr(info.problem, "initcall_blacklist"),
	      "CPU_INFO returns the problem: %s", info.problem);
	refused(fd, class_allocate(fd, HWPMC_MODE_TC, -1, 0), EBUSY, "perf|initcall_blacklist",
		"ALLOCATE of a virtual PMC");
	refused(fd, class_allocate(fd, HWPMC_MODE_SC, 0, 0), EBUSY, "perf|initcall_blacklist",
		"ALLOCATE of a system-wide PMC");
	refused(fd, class_allocate(fd, HWPMC_MODE_TC, -1, HWPMC_F_TRY), EBUSY,
		"perf|initcall_blacklist", "ALLOCATE with TRY");
	check(dev_stats(fd).pmcs == before, "no PMC is left");
	check(dev_row_info(fd, 0, test_class.first).disposition == HWPMC_ROW_FREE, "no row is held");
	unload(fd);
	return result();
}
