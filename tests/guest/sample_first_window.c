// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first samples of a CPU after the module was loaded exceed max_samples before the module has
 * charged any other time to the CPU, so this must be the first program of its machine. A division
 * of the CPU's share by zero PMCs would fault on x86, but not on arm64.
 */
#include "exact.h"
#include "param.h"
#include "ring.h"

#define PERIOD	10000		/* ns, the shortest */
#define LEAST	100		/* the least value of max_samples: one sample in each window */

int main(void)
{
	struct hwpmc_allocate clock = {
		.class_id = HWPMC_CLASS_SOFT, .mode = HWPMC_MODE_TS, .cpu = -1,
		.event = HWPMC_SOFT_CLOCK, .count = PERIOD,
	};
	struct hwpmc_sampled sampled = { 0 };
	int fd = dev_open();
	struct ring_map map;

	param_set("max_samples", LEAST);
	ring_open(&map, fd, 0);
	pin(0, 0);
	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &clock, sizeof(clock)))
		die("allocate: %s", dev_sentence(fd));
	dev_start(fd, clock.id);
	/* START charges CPU 0. CPU 1 is charged nothing before its first sample. */
	pin(0, 1);
	for (int i = 0; i < 1000 * PATIENCE && !sampled.throttles; i++) {
		spin(1);
		sampled = dev_sampled(fd, clock.id, 1);
	}
	check(sampled.taken && sampled.throttles,
	      "the first samples of a CPU are throttled: %llu taken, throttled %llu times",
	      (unsigned long long)sampled.taken, (unsigned long long)sampled.throttles);
	dev_release(fd, clock.id);
	ring_close(&map);
	close(fd);
	return result();
}
