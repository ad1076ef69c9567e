// SPDX-License-Identifier: GPL-2.0-only
/* x86: the time-stamp counter, alone and shared, and while nobody runs whom it is for. */
#include "exact.h"

/* It is the time of a target on its CPU, not the time that passes. */
static void off_the_cpu(int fd)
{
	const int64_t tc = dev_allocate(fd, HWPMC_CLASS_TSC, HWPMC_MODE_TC, -1, 0, 0, 0);
	const int64_t sc = dev_allocate(fd, HWPMC_CLASS_TSC, HWPMC_MODE_SC, 0, 0, 0, 0);
	const uint32_t ids[] = { tc, sc };

	if (tc < 0 || sc < 0 || dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("the TSC: %s", dev_sentence(fd));
	check(clock_stops_off_cpu(fd, ids), "a target's does not count while that sleeps");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
}

int main(void)
{
	int fd = dev_open(), other = dev_open();
	int64_t a = dev_allocate(fd, HWPMC_CLASS_TSC, HWPMC_MODE_TC, -1, 0, 0, 0);
	int64_t b = dev_allocate(other, HWPMC_CLASS_TSC, HWPMC_MODE_TC, -1, 0, 0, 0);
	int64_t c = dev_allocate(fd, HWPMC_CLASS_TSC, HWPMC_MODE_SC, 0, 0, 0, 0);
	uint64_t va, vb, vc;

	check(a > 0 && b > 0 && c > 0, "three PMCs share the row");
	check(!dev_start(fd, a) && !dev_start(other, b) && !dev_start(fd, c), "and run");
	spin(2);
	/* Started later and read earlier. */
	vb = dev_value(other, b);
	va = dev_value(fd, a);
	vc = dev_value(fd, c);
	check(vb > 0 && vb < va, "who started first has more: %llu, %llu", (unsigned long long)va,
	      (unsigned long long)vb);
	check(vc > 0, "the CPU's own counts too: %llu", (unsigned long long)vc);
	off_the_cpu(fd);
	return result();
}
