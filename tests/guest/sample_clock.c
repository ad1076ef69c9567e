// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of the software clock, which need no PMU: they match a thread's CPU time or a CPU's
 * elapsed time, and have the correct place. All PMCs that sample the clock share one timer on each
 * CPU.
 */
#include <fcntl.h>
#include <linux/hwpmc_log.h>
#include <signal.h>

#include "cpu.h"
#include "exact.h"
#include "param.h"
#include "ring.h"
#include "test_class.h"

#define PERIOD	1000000		/* ns */
#define SPINS	30
#define USER	1000

static int64_t clock_pmc(int fd, int cpu, uint64_t period, uint64_t caps, uint32_t flags)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_SOFT, .event = HWPMC_SOFT_CLOCK, .cpu = cpu, .caps = caps,
		.mode = cpu < 0 ? HWPMC_MODE_TS : HWPMC_MODE_SS, .count = period, .flags = flags,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	return err ? err : a.id;
}

static uint32_t clock_sampler(int fd, int cpu, uint64_t period, uint64_t caps)
{
	int64_t id = clock_pmc(fd, cpu, period, caps, 0);

	if (id < 0)
		die("allocate the clock: %s", dev_sentence(fd));
	return id;
}

static void refusals(int fd)
{
	for (uint32_t event = HWPMC_SOFT_SWITCHES; event <= HWPMC_SOFT_MIGRATIONS; event++) {
		struct hwpmc_allocate a = {
			.class_id = HWPMC_CLASS_SOFT, .event = event, .cpu = -1,
			.mode = HWPMC_MODE_TS, .count = PERIOD,
		};

		refused(fd, dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)), EOPNOTSUPP,
			"only the clock", "ALLOCATE of a sampling PMC for software event %u", event);
	}
	refused(fd, clock_pmc(fd, -1, 9999, 0, 0), EINVAL, "10000",
		"ALLOCATE with a period of less than 10 us");
}

static void user_rights(void *arg)
{
	const uint64_t both = HWPMC_CAP_USER | HWPMC_CAP_SYSTEM;
	struct hwpmc_caps caps = {};
	struct ring_map map;
	uint32_t id;

	(void)arg;
	refused(user_fd, clock_pmc(user_fd, -1, PERIOD, both, 0), EPERM, "CAP_PERFMON",
		"a user's ALLOCATE of kernel samples");
	id = clock_sampler(user_fd, -1, PERIOD, 0);
	check(!dev_caps(user_fd, id, &caps) && (caps.caps & both) == HWPMC_CAP_USER,
	      "a user's ALLOCATE with no mode samples user mode only: caps 0x%llx", caps.caps);
	dev_release(user_fd, id);
	refused(user_fd, clock_pmc(user_fd, 0, PERIOD, HWPMC_CAP_USER, 0), EPERM, "CAP_PERFMON",
		"a user's ALLOCATE of a CPU's samples");
	ring_open(&map, user_fd, 4096);
	id = clock_sampler(user_fd, -1, PERIOD, HWPMC_CAP_USER);
	check(!dev_start(user_fd, id), "a user samples the clock of a thread of its own");
	dev_stop(user_fd, id);
	ring_close(&map);
}

/* At STOP the interrupt of the last period may still be pending: so two periods may be missing. */
static void check_accounts(int fd, const struct ring_tally *tally, uint64_t period, const char *name)
{
	struct hwpmc_sampled s = dev_sampled(fd, tally->id, -1);
	uint64_t value = dev_value(fd, tally->id), events = tally->events + tally->lost_events;

	check(s.taken == tally->samples + tally->lost && s.events == events,
	      "%s: samples taken (%llu) are read (%lu) or lost (%llu)", name,
	      (unsigned long long)s.taken, tally->samples, (unsigned long long)tally->lost);
	check(events <= value && value - events < 2 * period,
	      "%s: samples represent %llu of %llu ns", name, (unsigned long long)events,
	      (unsigned long long)value);
}

struct places {
	uint32_t id;
	unsigned long all, spinning, user;
};

static void place(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_sample *sample = (const void *)record;
	struct places *places = arg;
	uintptr_t begin = (uintptr_t)spin;

	if (record->type != HWPMC_LOG_SAMPLE || record->id != places->id)
		return;
	places->all++;
	places->user += !!(record->flags & HWPMC_SAMPLE_USER);
	places->spinning += sample->pc >= begin && sample->pc < begin + 256;
}

/* Returns the time in seconds that the loop takes. */
static double spin_time(void)
{
	double begun = seconds();

	spin(SPINS / 3);
	return seconds() - begun;
}

/* The CPU time of these samples is limited, as that of samples of hardware events. */
static void limited(int fd, struct ring_map *map)
{
	static const uint64_t limits[] = { 100, 5 };
	uint64_t percent = param_get("max_cpu_percent"), throttles[2];
	uint32_t id = clock_sampler(fd, -1, 10000, HWPMC_CAP_USER);
	struct ring_tally tally = { .id = id };
	double alone = spin_time(), left[2];

	for (int i = 0; i < 2; i++) {
		param_set("max_cpu_percent", limits[i]);
		throttles[i] = dev_sampled(fd, id, -1).throttles;
		if (dev_start(fd, id))
			die("start: %s", dev_sentence(fd));
		left[i] = 100 * alone / spin_time();
		dev_stop(fd, id);
		throttles[i] = dev_sampled(fd, id, -1).throttles - throttles[i];
		ring_drain(map, ring_count, &tally);
	}
	param_set("max_cpu_percent", percent);
	check(throttles[1],
	      "thread, every 10 us: %.0f %% of its time is left and it is throttled %llu times without a limit, %.0f %% and %llu times with one",
	      left[0], (unsigned long long)throttles[0], left[1], (unsigned long long)throttles[1]);
	dev_release(fd, id);
}

static void thread_clock(int fd, struct ring_map *map)
{
	uint32_t id = clock_sampler(fd, -1, PERIOD, HWPMC_CAP_USER);
	struct ring_tally tally = { .id = id };
	struct places places = { .id = id };
	unsigned long before;

	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	spin(SPINS);
	ring_drain(map, place, &places);
	check(places.all > 20 && places.spinning * 100 >= places.all * 90 && places.user == places.all,
	      "thread: %lu of %lu samples are in the loop", places.spinning, places.all);
	before = dev_sampled(fd, id, -1).taken;
	/* Real time must pass, because the case is that this time is not sampled. */
	nap(300);
	check(dev_sampled(fd, id, -1).taken - before < 10,
	      "thread: no samples while it sleeps: %llu", (unsigned long long)(dev_sampled(fd, id, -1).taken - before));
	dev_release(fd, id);

	id = clock_sampler(fd, -1, PERIOD, HWPMC_CAP_USER | HWPMC_CAP_SYSTEM);
	tally.id = id;
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < SPINS; i++) {
		spin(1);
		ring_drain(map, ring_count, &tally);
	}
	check(!dev_stop(fd, id), "thread: STOP");
	ring_drain(map, ring_count, &tally);
	check_accounts(fd, &tally, PERIOD, "thread");
	dev_release(fd, id);
}

/* While a PMC is stopped, another one counts on its row. The first must not sample that time. */
static void stopped_beside_another(int fd, struct ring_map *map)
{
	uint32_t id = clock_sampler(fd, -1, PERIOD, 0), other = clock_sampler(fd, -1, PERIOD, 0);
	struct ring_tally tally = { .id = id };

	if (dev_start(fd, id) || dev_start(fd, other))
		die("start: %s", dev_sentence(fd));
	spin(2);
	if (dev_stop(fd, id))
		die("stop: %s", dev_sentence(fd));
	spin(10);
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	spin(2);
	dev_stop(fd, id);
	dev_stop(fd, other);
	ring_drain(map, ring_count, &tally);
	check_accounts(fd, &tally, PERIOD, "stopped beside another");
	dev_release(fd, id);
	dev_release(fd, other);
}

/* Two PMCs of a CPU and one of a thread on that CPU, each with another period. */
static void share_the_timer(int fd, struct ring_map *map)
{
	static const uint64_t periods[] = { PERIOD, 3 * PERIOD + 7, 2 * PERIOD };
	struct ring_tally tallies[3] = { };
	uint32_t ids[3];

	pin(0, 0);
	for (int i = 0; i < 3; i++)
		ids[i] = clock_sampler(fd, i < 2 ? 0 : -1, periods[i], 0);
	tallies[0].id = ids[0];
	if (dev_ids(fd, HWPMC_IOC_START, ids, 3))
		die("start: %s", dev_sentence(fd));
	spin(SPINS);
	check(!dev_ids(fd, HWPMC_IOC_STOP, ids, 3), "three on a CPU: STOP");
	for (int i = 0; i < 3; i++) {
		struct hwpmc_sampled s = dev_sampled(fd, ids[i], -1);
		uint64_t value = dev_value(fd, ids[i]);

		check(s.taken > 10 && s.events <= value && value - s.events < 2 * periods[i],
		      "three on a CPU: %llu samples of period %llu represent %llu of %llu ns",
		      (unsigned long long)s.taken, (unsigned long long)periods[i],
		      (unsigned long long)s.events, (unsigned long long)value);
	}
	ring_drain(map, ring_count, &tallies[0]);
	check(tallies[0].samples == dev_sampled(fd, ids[0], -1).recorded, "three on a CPU: %lu records of the first",
	      tallies[0].samples);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 3);
	pin(0, -1);
}

/* The soft lockup watchdog has a timer on each CPU, if the kernel has it. Returns what was set. */
static char set_watchdog(char value)
{
	int fd = open("/proc/sys/kernel/watchdog", O_RDWR | O_CLOEXEC);
	char before = '1';

	if (fd >= 0 && (pread(fd, &before, 1, 0) != 1 || pwrite(fd, &value, 1, 0) != 1))
		die("the watchdog: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return before;
}

/*
 * The longest period ends in 292 years, which is later than the largest time that a timer of the
 * kernel may have. Its timer does not expire before the period ends, not even on an idle CPU, which
 * has no other timer without the watchdog.
 */
static void longest_period(int fd, struct ring_map *map)
{
	char watchdog = set_watchdog('0');
	const uint32_t ids[] = {
		clock_sampler(fd, 0, INT64_MAX, 0), clock_sampler(fd, 1, INT64_MAX, 0),
		clock_sampler(fd, -1, INT64_MAX, 0),
	};

	ring_drain(map, ring_count, &(struct ring_tally){});
	if (dev_ids(fd, HWPMC_IOC_START, ids, 3))
		die("start: %s", dev_sentence(fd));
	/* Real time: the CPUs are idle meanwhile, and their ticks stop. */
	nap(1500);
	check(!dev_ids(fd, HWPMC_IOC_STOP, ids, 3), "the longest period: CPUs answer");
	for (int i = 0; i < 3; i++)
		check(!dev_sampled(fd, ids[i], -1).taken, "the longest period: no sample, of %llu ns",
		      (unsigned long long)dev_value(fd, ids[i]));
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 3);
	set_watchdog(watchdog);
}

/* The timer of a CPU that goes offline is started again when it is online again. */
static void offline(int fd, struct ring_map *map)
{
	uint32_t id = clock_sampler(fd, 1, PERIOD, 0);
	struct ring_tally tally = { .id = id };
	uint64_t taken;

	pin(0, 0);
	if (dev_start(fd, id) || !cpu_online(1, false))
		die("CPU 1: %s", dev_sentence(fd));
	taken = dev_sampled(fd, id, -1).taken;
	spin(2);
	check(dev_sampled(fd, id, -1).taken == taken, "an offline CPU takes no samples");
	if (!cpu_online(1, true))
		die("CPU 1 does not come online");
	check(SOON(dev_sampled(fd, id, -1).taken > taken + 10), "a CPU that is online again takes samples");
	dev_stop(fd, id);
	ring_drain(map, ring_count, &tally);
	check_accounts(fd, &tally, PERIOD, "CPU 1");
	dev_release(fd, id);
	pin(0, -1);
}

/* How long CPU 1 takes to go offline and online. */
static double offline_and_online(void)
{
	double begun = seconds();

	if (!cpu_online(1, false) || !cpu_online(1, true))
		die("CPU 1 does not go offline and online");
	return seconds() - begun;
}

/*
 * A period that is longer than the CPU is offline: its timer, which has moved to another CPU, has not
 * expired when the CPU is online again.
 */
static void offline_for_less_than_a_period(int fd, struct ring_map *map)
{
	uint64_t period = 500000000 + 3e9 * offline_and_online();
	uint32_t id = clock_sampler(fd, 1, period, 0);
	struct ring_tally tally = { .id = id };
	double took;

	pin(0, 0);
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	took = offline_and_online();
	/* Real time: until the period has ended. */
	nap(period / 1000000 + 1000);
	check(dev_sampled(fd, id, -1).taken, "offline for %.3f s, less than a period of %.3f s: it is sampled", took,
	      period / 1e9);
	dev_stop(fd, id);
	ring_drain(map, ring_count, &tally);
	check_accounts(fd, &tally, period, "CPU 1, less than a period");
	dev_release(fd, id);
	pin(0, -1);
}

int main(void)
{
	int fd = dev_open();
	struct ring_map map;

	time_limit(120);
	ring_open(&map, fd, 1024 * 1024);
	refusals(fd);
	limited(fd, &map);
	as_user("user", USER, 0, user_rights, NULL);
	thread_clock(fd, &map);
	stopped_beside_another(fd, &map);
	share_the_timer(fd, &map);
	offline(fd, &map);
	offline_for_less_than_a_period(fd, &map);
	longest_period(fd, &map);
	ring_close(&map);
	close(fd);
	return result();
}
