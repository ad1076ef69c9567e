// SPDX-License-Identifier: GPL-2.0-only
/*
 * HWPMC_F_FREQUENCY: the number of samples in a second of the guest's clock is as requested, and
 * their periods sum up to the count of a counting PMC. Needs -icount: otherwise the clock continues
 * while the host stops the CPU.
 */
#include "exact.h"
#include "ring.h"

#define HZ	1000
#define SPINS	40

/* Difference of @got from @want in tenths of a percent. */
static uint64_t off(uint64_t got, uint64_t want)
{
	return (got > want ? got - want : want - got) * 1000 / want;
}

/* CPU time in seconds: the clock of a frequency stops while its thread sleeps. */
static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static void at_rate(int fd, struct ring_map *map, uint64_t caps, unsigned int sleep_us,
		    const char *name)
{
	struct hwpmc_allocate a = {
		.class_id = dev_class(), .mode = HWPMC_MODE_TS, .cpu = -1, .caps = caps,
		.flags = HWPMC_F_FREQUENCY, .event = EV_CYCLES, .count = HZ,
	};
	struct ring_tally tally = { 0 };
	uint32_t ids[2];
	uint64_t values[2], wanted;
	int64_t beside;
	double begin;

	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("allocate: %s", dev_sentence(fd));
	beside = dev_allocate(fd, dev_class(), HWPMC_MODE_TC, -1, EV_CYCLES, caps, 0);
	if (beside < 0)
		die("allocate: %s", dev_sentence(fd));
	ids[0] = beside;
	ids[1] = a.id;
	tally.id = a.id;
	if (dev_ids(fd, HWPMC_IOC_START, ids, 2))
		die("start: %s", dev_sentence(fd));
	begin = cpu_seconds();
	for (int i = 0; i < SPINS; i++) {
		spin(1);
		if (sleep_us)
			usleep(sleep_us);
		ring_drain(map, ring_count, &tally);
	}
	wanted = (cpu_seconds() - begin) * HZ;
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, 2) || dev_read(fd, ids, 2, values))
		die("stop: %s", dev_sentence(fd));
	ring_drain(map, ring_count, &tally);
	check(off(tally.samples, wanted) <= 50, "%s: %lu samples at %u Hz, expected %llu", name,
	      tally.samples, HZ, (unsigned long long)wanted);
	check(off(tally.events, values[0]) <= 5 && tally.events <= values[1] && !tally.lost,
	      "%s: samples represent %llu of %llu events, a counting PMC counts %llu", name,
	      (unsigned long long)tally.events, (unsigned long long)values[1],
	      (unsigned long long)values[0]);
	check(!dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2), "%s: RELEASE", name);
}

int main(void)
{
	struct ring_map map;
	int fd = dev_open();

	time_limit(60);
	ring_open(&map, fd, 0);
	at_rate(fd, &map, HWPMC_CAP_USER, 0, "user mode");
	at_rate(fd, &map, HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, 0, "both modes");
	at_rate(fd, &map, HWPMC_CAP_USER, 20000, "with sleep");
	ring_close(&map);
	close(fd);
	return result();
}
