// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounting of samples in a flood: for each PMC and CPU, the samples read and those that DROP
 * records report add up to the samples taken, and they represent all events except less than a
 * period. This holds with a slow reader, a killed reader and no reader, and while a CPU is
 * unplugged. The rings' own counters of all records agree.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "test_class.h"
#include "exact.h"
#include "param.h"
#include "ring.h"

#define PERIOD	100000
#define RING	4096	/* bytes: about 100 samples */
#define PMCS	2		/* for each CPU */
#define CPUS	8

/* The records of each PMC and CPU. */
struct accounts {
	uint32_t ids[CPUS * PMCS];
	unsigned int count;
	struct ring_tally tally[CPUS * PMCS][CPUS];
	uint64_t records[CPUS];		/* read on a CPU, of any kind */
};

static void count(const struct hwpmc_log_header *record, void *arg)
{
	struct accounts *accounts = arg;

	if (record->cpu >= CPUS)
		die("a record of cpu %u", record->cpu);
	accounts->records[record->cpu]++;
	for (unsigned int i = 0; i < accounts->count; i++)
		ring_count(record, &accounts->tally[i][record->cpu]);
}

static bool one_is_right(int fd, struct accounts *accounts, unsigned int i, int cpu)
{
	struct hwpmc_sampled s = dev_sampled(fd, accounts->ids[i], cpu);
	const struct ring_tally *t = &accounts->tally[i][cpu];
	bool right = s.taken == t->samples + t->lost && s.recorded == t->samples &&
		     s.lost == t->lost && s.reported == s.lost &&
		     s.events == t->events + t->lost_events && !t->out_of_order;

	if (!right)
		printf("# PMC %u on cpu %d: %llu taken, %llu recorded and %lu read, %llu lost and %llu reported; they represent %llu events, the records %llu and %llu\n",
		       i, cpu, (unsigned long long)s.taken, (unsigned long long)s.recorded, t->samples,
		       (unsigned long long)s.lost, (unsigned long long)t->lost,
		       (unsigned long long)s.events, (unsigned long long)t->events,
		       (unsigned long long)t->lost_events);
	return right;
}

/* The counters in the rings' headers: every record is read, or counted and reported as lost. */
static bool rings_are_right(const struct ring_map *map, const struct accounts *accounts)
{
	bool right = true;

	for (unsigned int cpu = 0; cpu < map->made.rings && cpu < CPUS; cpu++) {
		const struct hwpmc_ring_header *header = map->cpus[cpu].header;

		if (!header || (header->records == accounts->records[cpu] &&
				header->lost == header->reported))
			continue;
		right = false;
		printf("# ring %u: %llu records and %llu read, %llu lost and %llu reported\n", cpu,
		       (unsigned long long)header->records,
		       (unsigned long long)accounts->records[cpu],
		       (unsigned long long)header->lost, (unsigned long long)header->reported);
	}
	return right;
}

/* Checks the accounts of stopped PMCs. @lossy: whether samples must have been lost; -1: either. */
static void check_accounts(int fd, struct ring_map *map, struct accounts *accounts, int lossy,
			   const char *name)
{
	unsigned long long samples = 0, lost = 0, wrong = 0;

	ring_drain(map, count, accounts);
	/* Now the ring has room for a record of the losses. */
	check(!dev_flush(fd), "%s: LOG_FLUSH", name);
	ring_drain(map, count, accounts);
	for (unsigned int i = 0; i < accounts->count; i++) {
		uint64_t value = dev_value(fd, accounts->ids[i]), events = 0;

		for (unsigned int cpu = 0; cpu < map->made.rings && cpu < CPUS; cpu++) {
			if (!map->cpus[cpu].tail)
				continue;
			wrong += !one_is_right(fd, accounts, i, cpu);
			events += dev_sampled(fd, accounts->ids[i], cpu).events;
			samples += accounts->tally[i][cpu].samples;
			lost += accounts->tally[i][cpu].lost;
		}
		if (events > value || value - events >= PERIOD) {
			wrong++;
			printf("# PMC %u: samples represent %llu of %llu events\n", i,
			       (unsigned long long)events, (unsigned long long)value);
		}
	}
	check(!wrong && samples && (lossy < 0 || lossy == !!lost),
	      "%s: the accounts of %u PMCs are right: %llu samples read, %llu reported lost, %llu errors", name,
	      accounts->count, samples, lost, wrong);
	check(rings_are_right(map, accounts), "%s: the rings' own counters are right", name);
}

/* Two PMCs of one thread. */
static struct accounts *open_thread(int fd, struct ring_map *map)
{
	struct accounts *accounts = calloc(1, sizeof(*accounts));

	ring_open(map, fd, RING);
	for (; accounts->count < 2; accounts->count++)
		accounts->ids[accounts->count] = dev_sampler(fd, -1, EV_INSTRUCTIONS, PERIOD,
							     HWPMC_CAP_USER, 0);
	for (unsigned int i = 0; i < accounts->count; i++)
		for (unsigned int cpu = 0; cpu < CPUS; cpu++)
			accounts->tally[i][cpu].id = accounts->ids[i];
	return accounts;
}

static void start(int fd, const struct accounts *accounts)
{
	if (dev_ids(fd, HWPMC_IOC_START, accounts->ids, accounts->count))
		die("start: %s", dev_sentence(fd));
}

static void stop(int fd, const struct accounts *accounts)
{
	if (dev_ids(fd, HWPMC_IOC_STOP, accounts->ids, accounts->count))
		die("stop: %s", dev_sentence(fd));
}

static void readers(bool slow, const char *name)
{
	struct ring_map map;
	int fd = dev_open();
	struct accounts *accounts = open_thread(fd, &map);

	start(fd, accounts);
	for (int i = 0; i < 6; i++) {
		spin(1);
		if (slow && i % 3 == 2)
			ring_drain(&map, count, accounts);
	}
	stop(fd, accounts);
	check_accounts(fd, &map, accounts, true, name);
	ring_close(&map);
	free(accounts);
	close(fd);
}

/* State of the reader that is killed, in memory shared with it. */
struct dying {
	struct accounts accounts;
	struct accounts before;	/* at the reader's last drain */
	unsigned long left;	/* samples until the reader kills itself */
};

/*
 * The reader writes the tail only after it has read a whole ring. The next reader therefore reads
 * again the records that the killed one read from the current ring.
 */
static void count_and_die(const struct hwpmc_log_header *record, void *arg)
{
	struct dying *d = arg;

	count(record, &d->accounts);
	if (record->type != HWPMC_LOG_SAMPLE || d->left--)
		return;
	d->accounts.records[record->cpu] = d->before.records[record->cpu];
	for (unsigned int i = 0; i < d->accounts.count; i++)
		d->accounts.tally[i][record->cpu] = d->before.tally[i][record->cpu];
	raise(SIGKILL);
}

static void set_periods(struct ring_map *map, const struct accounts *accounts)
{
	for (unsigned int i = 0; i < accounts->count; i++)
		ring_set_period(map, accounts->ids[i], PERIOD);
}

static void read_and_die(int fd, const struct hwpmc_ring *made, struct dying *d)
{
	struct ring_map map = { 0 };

	ring_map_again(&map, fd, made);
	set_periods(&map, &d->accounts);
	for (;;) {
		d->before = d->accounts;
		ring_drain(&map, count_and_die, d);
		usleep(1000);
	}
}

/* The reader's process maps the rings and is killed; this process keeps the file open. */
static void dead_reader(void)
{
	struct dying *d = mmap(NULL, sizeof(*d), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			       -1, 0);
	struct ring_map map;
	int fd = dev_open(), status;
	struct accounts *accounts = open_thread(fd, &map);
	pid_t reader;

	if (d == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	d->accounts = *accounts;
	d->left = 60;
	set_periods(&map, accounts);
	start(fd, accounts);
	reader = fork_tied();
	if (!reader)
		read_and_die(fd, &map.made, d);
	while (waitpid(reader, &status, WNOHANG) != reader)
		spin(1);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "dead reader: the reader is killed");
	spin(3);
	stop(fd, accounts);
	check_accounts(fd, &map, &d->accounts, true, "dead reader");
	ring_close(&map);
	munmap(d, sizeof(*d));
	free(accounts);
	close(fd);
}

static void spin_for_ever(int cpu)
{
	/* When the CPU is unplugged, the kernel migrates this task. */
	pin(0, cpu);
	for (;;)
		spin(1);
}

/* PMCs of whole CPUs, one of which is unplugged and plugged. */
static void hotplug(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	struct ring_map map;
	int fd = dev_open(), last = n - 1;
	struct accounts *accounts = calloc(1, sizeof(*accounts));
	pid_t child;

	if (n < 2 || n > CPUS) {
		skip("hotplug: %ld CPUs", n);
		return;
	}
	ring_open(&map, fd, RING);
	for (; accounts->count < n * PMCS; accounts->count++) {
		unsigned int i = accounts->count;

		accounts->ids[i] = dev_sampler(fd, i / PMCS, EV_INSTRUCTIONS, PERIOD,
					       HWPMC_CAP_USER | HWPMC_CAP_SYSTEM, 0);
		for (int cpu = 0; cpu < CPUS; cpu++)
			accounts->tally[i][cpu].id = accounts->ids[i];
	}
	child = fork_tied();
	if (!child)
		spin_for_ever(last);
	start(fd, accounts);
	for (int round = 0; round < 2; round++) {
		spin(1);
		if (!cpu_online(last, false))
			die("CPU %d: %s", last, strerror(errno));
		if (!round)
			ring_drain(&map, count, accounts);
		spin(1);
		if (!cpu_online(last, true))
			die("CPU %d: %s", last, strerror(errno));
	}
	spin(1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	stop(fd, accounts);
	check_accounts(fd, &map, accounts, true, "hotplug");
	for (unsigned int i = 0; i < accounts->count; i++) {
		struct hwpmc_sampled all = dev_sampled(fd, accounts->ids[i], -1);
		struct hwpmc_sampled here = dev_sampled(fd, accounts->ids[i], i / PMCS);

		if (all.taken != here.taken)
			check(false, "hotplug: PMC %u has samples on another CPU", i);
	}
	ring_close(&map);
	free(accounts);
	close(fd);
}

/* THROTTLE records for which the ring has no room count as lost records, too. */
static void throttled(void)
{
	unsigned long long on = 0, off = 0, odd = 0, others = 0, throttles = 0;
	struct ring_map map;
	int fd = dev_open();
	struct accounts *accounts = open_thread(fd, &map);

	/* On one CPU, so that the records are in order. */
	pin(0, 0);
	param_set("max_samples", 100);
	start(fd, accounts);
	/* Until the ring is full, and a little longer. */
	for (int i = 0; i < 400; i++) {
		throttles = dev_sampled(fd, accounts->ids[0], -1).throttles +
			    dev_sampled(fd, accounts->ids[1], -1).throttles;
		if (throttles > 120)
			break;
		spin(1);
	}
	stop(fd, accounts);
	param_set("max_samples", 100000);
	pin(0, -1);
	check_accounts(fd, &map, accounts, true, "throttled");
	throttles = 0;
	for (unsigned int i = 0; i < accounts->count; i++) {
		throttles += dev_sampled(fd, accounts->ids[i], -1).throttles;
		on += accounts->tally[i][0].throttled;
		off += accounts->tally[i][0].unthrottled;
		odd += accounts->tally[i][0].throttled - accounts->tally[i][0].unthrottled > 1;
	}
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		others += accounts->tally[0][cpu].lost_others;
	/* There is a record at each begin and each end; those that fit into the ring were read. */
	check(on < throttles && others >= throttles - on && others <= 2 * throttles,
	      "throttled %llu times: %llu begins are read, and %llu other records reported lost", throttles, on,
	      others);
	check(off && !odd, "throttled: each begin of throttling is followed by its end: %llu", off);
	ring_close(&map);
	free(accounts);
	close(fd);
}

/* A PMC that is stopped while throttled: STOP takes the sample that is due, at another place. */
static void late(void)
{
	unsigned long seen = 0;
	struct ring_map map;
	int fd = dev_open();
	struct accounts *accounts = open_thread(fd, &map);

	param_set("max_samples", 100);
	for (int i = 0; i < 50 && !seen; i++) {
		start(fd, accounts);
		spin(1);
		stop(fd, accounts);
		ring_drain(&map, count, accounts);
		for (unsigned int cpu = 0; cpu < CPUS; cpu++)
			seen += accounts->tally[0][cpu].late;
	}
	param_set("max_samples", 100000);
	check(seen, "late: a sample has HWPMC_SAMPLE_LATE");
	check_accounts(fd, &map, accounts, -1, "late");
	ring_close(&map);
	free(accounts);
	close(fd);
}

/*
 * A PMC is released with losses that no record has reported; @room: the ring has room for such a
 * record.
 */
static void released(bool room, const char *name)
{
	uint64_t lost = 0, others = 0, throttles = 0, reported;
	struct ring_map map;
	int fd = dev_open();
	struct accounts *accounts = open_thread(fd, &map);

	start(fd, accounts);
	spin(6);
	stop(fd, accounts);
	if (room)
		ring_drain(&map, count, accounts);
	for (unsigned int i = 0; i < accounts->count; i++) {
		struct hwpmc_sampled s = dev_sampled(fd, accounts->ids[i], -1);

		lost += s.lost;
		throttles += s.throttles;
	}
	check(!dev_ids(fd, HWPMC_IOC_RELEASE, accounts->ids, accounts->count), "%s: RELEASE", name);
	ring_drain(&map, count, accounts);
	check(!dev_flush(fd), "%s: LOG_FLUSH", name);
	ring_drain(&map, count, accounts);
	reported = 0;
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		others += accounts->tally[0][cpu].lost_others;
		for (unsigned int i = 0; i < accounts->count; i++)
			reported += accounts->tally[i][cpu].lost;
	}
	/* On a slow host the PMC is throttled, which adds at most two lost records each time. */
	check(lost && reported + others >= lost && reported + others <= lost + 2 * throttles &&
	      (!room || reported == lost),
	      "%s: all losses are reported: %llu lost, %llu reported of the PMCs, %llu others", name, (unsigned long long)lost,
	      (unsigned long long)reported, (unsigned long long)others);
	check(rings_are_right(&map, accounts), "%s: the rings' own counters are right", name);
	ring_close(&map);
	free(accounts);
	close(fd);
}

int main(void)
{
	time_limit(200);
	readers(false, "no reader");
	readers(true, "slow reader");
	dead_reader();
	hotplug();
	throttled();
	late();
	released(false, "released");
	released(true, "released with room");
	return result();
}
