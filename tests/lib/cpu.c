// SPDX-License-Identifier: GPL-2.0-only
/* CPUs, time and memory of the machine under test; see cpu.h. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mman.h>

#include "cpu.h"
#include "file.h"
#include "test.h"

void *shared(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	memset(mem, 0, size);
	return mem;
}

void *small_pages(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	/* madvise() fails on a kernel without huge pages. */
	madvise(mem, size, MADV_NOHUGEPAGE);
	return mem;
}

void pin(pid_t tid, int cpu)
{
	cpu_set_t set;
	int i;

	CPU_ZERO(&set);
	for (i = 0; i < 64; i++)
		if (cpu < 0 || i == cpu)
			CPU_SET(i, &set);
	if (sched_setaffinity(tid, sizeof(set), &set))
		die("sched_setaffinity to cpu %d: %s", cpu, strerror(errno));
}

void nap(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		die("clock_gettime: %s", strerror(errno));
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

double seconds(void)
{
	return clock_ns(CLOCK_MONOTONIC) * 1e-9;
}

bool cpu_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return file_write(path, online ? "1" : "0");
}

bool is_icount(void)
{
	char line[4096];
	FILE *file = fopen("/proc/cmdline", "re");

	if (!file || !fgets(line, sizeof(line), file))
		die("/proc/cmdline: %s", strerror(errno));
	fclose(file);
	return strstr(line, "vm.icount");
}

unsigned long cpu_calls(int cpu)
{
	FILE *file = fopen("/proc/interrupts", "r");
	unsigned long count = 0;
	bool found = false;
	char line[1000], *at;

	while (file && fgets(line, sizeof(line), file)) {
		if (!strstr(line, "Function call interrupts"))
			continue;
		at = strchr(line, ':') + 1;
		for (int i = 0; i <= cpu; i++)
			count = strtoul(at, &at, 10);
		found = true;
	}
	if (file)
		fclose(file);
	if (!found)
		die("/proc/interrupts has no function-call interrupts");
	return count;
}
