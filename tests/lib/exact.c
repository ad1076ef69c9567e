// SPDX-License-Identifier: GPL-2.0-only
/* Checks of exact counts; see exact.h. */
#include "exact.h"

static unsigned int divisor = 1;

void scale_down(int argc, char **argv)
{
	if (argc > 1)
		divisor = strtoul(argv[1], NULL, 0);
	if (!divisor)
		die("the argument must be a divisor: %s", argv[1]);
}

uint64_t scaled(uint64_t size)
{
	return size > divisor ? size / divisor : 1;
}

/*
 * Whether the first clock advanced by less than half as much as the second one in 20 ms of sleep.
 */
static bool stopped_once(int fd, const uint32_t ids[2])
{
	uint64_t before[2], after[2];

	if (dev_read(fd, ids, 2, before))
		die("read: %s", dev_sentence(fd));
	nap(20);
	if (dev_read(fd, ids, 2, after))
		die("read: %s", dev_sentence(fd));
	return after[0] - before[0] < (after[1] - before[1]) / 2;
}

/* The host may stop the virtual CPU while this task is on it, so the measurement is repeated. */
bool clock_stops_off_cpu(int fd, const uint32_t ids[2])
{
	int tries = 50;

	while (!stopped_once(fd, ids) && --tries)
		;
	return tries;
}

uint32_t counter(int fd, int cpu, uint32_t flags)
{
	int64_t id = dev_allocate(fd, dev_class(), cpu < 0 ? HWPMC_MODE_TC : HWPMC_MODE_SC,
				  cpu, EV_INSTRUCTIONS, HWPMC_CAP_USER, flags);

	if (id < 0)
		die("allocate: %s: %s", strerror(-id), dev_sentence(fd));
	return id;
}

unsigned int width_of(int fd, uint32_t id)
{
	struct hwpmc_caps caps = { .id = id };

	if (dev_call(fd, HWPMC_IOC_CAPS, &caps, sizeof(caps)))
		die("caps: %s", dev_sentence(fd));
	return caps.width;
}

struct hwpmc_times times_of(int fd, uint32_t id)
{
	struct hwpmc_times times;
	uint64_t value;
	struct hwpmc_rw rw = {
		.flags = HWPMC_RW_OLD, .count = 1, .ids = (uintptr_t)&id,
		.values = (uintptr_t)&value,
		.times = (uintptr_t)&times, .times_size = sizeof(times),
	};

	if (dev_call(fd, HWPMC_IOC_RW, &rw, sizeof(rw)))
		die("read times: %s", dev_sentence(fd));
	return times;
}

static bool check_count(bool ok, uint64_t got, uint64_t want, const char *name)
{
	return check(ok, "%s: counted %llu of %llu (%+lld)", name, (unsigned long long)got,
		     (unsigned long long)want, (long long)(got - want));
}

bool check_exact(uint64_t got, uint64_t want, const char *name)
{
	return check_count(got - want + 2000 <= 4000, got, want, name);
}

bool check_near(uint64_t got, uint64_t want, const char *name)
{
	return check_count(exact(got, want), got, want, name);
}
