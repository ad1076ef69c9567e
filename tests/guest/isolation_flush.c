// SPDX-License-Identifier: GPL-2.0-only
/*
 * LOG_FLUSH interrupts only CPUs that lost samples or records which no DROP record reports yet.
 * Needs three CPUs; no task is scheduled on the last one (isolcpus=domain,2).
 */
#include "exact.h"
#include "ring.h"

#define QUIET	2
#define TURNS	100

int main(void)
{
	struct ring_map map;
	unsigned long before;
	int fd, err = 0;

	time_limit(60);
	if (sysconf(_SC_NPROCESSORS_ONLN) != QUIET + 1)
		die("this test needs three CPUs");
	pin(0, 0);
	fd = dev_open();
	ring_open(&map, fd, 0);
	dev_sampler(fd, -1, EV_INSTRUCTIONS, 1000000, HWPMC_CAP_USER, 0);
	before = cpu_calls(QUIET);
	for (int i = 0; i < TURNS; i++)
		err = dev_flush(fd) ?: err;
	before = cpu_calls(QUIET) - before;
	check(!err && before < 3, "%d LOG_FLUSHes without a loss call an idle CPU %lu times: %s", TURNS,
	      before, err ? dev_sentence(fd) : "no error");
	ring_close(&map);
	return result();
}
