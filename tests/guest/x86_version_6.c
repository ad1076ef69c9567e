// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: a CPU with version 6 of Intel's PMU, on a kernel in which the module cannot reserve its
 * counters from perf (Linux 6.11 and later): hardware events are refused with the reason, while
 * software events and perf count. Needs the emulated PMU, which counts perf's writes at the
 * addresses that the kernel does not reserve.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "exact.h"

#define WRMSR_V6	0x4000f00c	/* count of writes at addresses from 1900H on */
#define SELECTOR(n)	(0x186 + (n))
#define COUNTERS	8
#define ENABLED		(1 << 22)

#define ROUNDS		100000ULL	/* of two instructions, one of them a branch */
#define BRANCHES	0xc4		/* no fixed counter counts them */
#define REASON		"boot an earlier kernel"

static int msrs;

static uint64_t msr(uint32_t number)
{
	uint64_t value = 0;

	if (pread(msrs, &value, sizeof(value), number) != sizeof(value))
		die("reading register 0x%x: %s", number, strerror(errno));
	return value;
}

static bool refused(int fd, uint32_t class_id, uint64_t event)
{
	int64_t id = dev_allocate(fd, class_id, HWPMC_MODE_TC, -1, event, HWPMC_CAP_USER, 0);

	return id == -ENODEV && strstr(dev_sentence(fd), REASON);
}

static void module_refuses(int fd)
{
	struct hwpmc_cpu_info info = {};
	int64_t id;

	if (dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info)))
		die("CPU_INFO: %s", dev_sentence(fd));
	check(strstr(info.problem, REASON), "CPU_INFO has the reason: %s", info.problem);
	check(refused(fd, HWPMC_CLASS_IAP, EV_INSTRUCTIONS), "ALLOCATE fails with the reason: %s",
	      dev_sentence(fd));
	check(refused(fd, HWPMC_CLASS_IAF, 0), "ALLOCATE of a fixed counter fails with the reason");
	id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_FAULTS, 0, 0);
	check(id > 0 && !dev_start(fd, id), "software events can be counted");
	dev_release(fd, id);
	check(!system("pmctl doctor | grep '^\\[!!\\] hardware counters are not .*" REASON "'"),
	      "pmctl doctor prints the reason");
}

/* Returns the number of this CPU's programmable counters that are enabled with @event. */
static unsigned int programmed(uint64_t event)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < COUNTERS; i++) {
		uint64_t selector = msr(SELECTOR(i));

		found += (selector & ENABLED) && (selector & 0xffff) == event;
	}
	return found;
}

static void perf_counts(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = BRANCHES,
		.exclude_kernel = 1,
	};
	uint64_t value = 0, writes = msr(WRMSR_V6);
	int perf = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	run(ROUNDS);
	if (perf < 0 || read(perf, &value, sizeof(value)) != sizeof(value))
		die("perf: %s", strerror(errno));
	check(value >= ROUNDS && value < ROUNDS + 5000, "perf counts: %llu branches of %llu",
	      (unsigned long long)value, ROUNDS);
	check(programmed(BRANCHES) == 1, "perf programs one counter");
	writes = msr(WRMSR_V6) - writes;
	check(writes >= 2, "perf writes at the addresses of version 6: %llu writes",
	      (unsigned long long)writes);
	close(perf);
}

int main(void)
{
	int fd = dev_open();

	pin(0, 0);
	msrs = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	if (msrs < 0)
		die("no /dev/cpu/0/msr: %s", strerror(errno));
	module_refuses(fd);
	perf_counts();
	return result();
}
