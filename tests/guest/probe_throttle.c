// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled probes leave most of a CPU to its programs: a program that makes a system call all the
 * time, with eight PMCs on it that sample, makes at least LEAST_LEFT of the calls that it makes
 * while as many PMCs only count them. Events that are not recorded while a PMC is throttled are
 * counted: the records read and the losses reported add up to the events. A counting PMC is never
 * throttled, and without a limit no PMC is.
 */
#include "cpu.h"
#include "param.h"
#include "probe.h"
#include "ring.h"
#include "test.h"

#define NAME		"syscall:getpriority:entry"
#define PMCS		8
#define ROUNDS		5
#define TRIES		4
#define SLICE		0.05	/* seconds */
#define LEAST_LEFT	0.60
#define BATCH		50	/* calls between two reads of the clock */

static int fd;

/* PMCs of the probe: every other one is of CPU 0, the others of this thread. */
struct swarm {
	uint32_t ids[PMCS];
	uint64_t period[PMCS];
	struct ring_tally tally[PMCS];
	uint64_t sampled[PMCS];	/* time of the last PROBE record */
	unsigned int late;	/* DROP records of losses from before an earlier PROBE record */
	uint64_t calls;		/* calls while the PMCs ran */
};

static uint32_t allocate(uint32_t mode, int cpu, uint64_t count)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = mode, .cpu = cpu, .count = count,
		.name = (uintptr_t)NAME, .name_length = strlen(NAME),
	};

	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("allocate: %s", dev_sentence(fd));
	return a.id;
}

static void swarm_allocate(struct swarm *swarm, bool samples)
{
	memset(swarm, 0, sizeof(*swarm));
	for (unsigned int i = 0; i < PMCS; i++) {
		bool cpu = i % 2;

		/* Half of them sample every second event. */
		swarm->period[i] = samples ? 1 + i / (PMCS / 2) : 0;
		swarm->ids[i] = allocate(samples ? (cpu ? HWPMC_MODE_SS : HWPMC_MODE_TS) :
						   (cpu ? HWPMC_MODE_SC : HWPMC_MODE_TC),
					 cpu ? 0 : -1, swarm->period[i]);
		swarm->tally[i].id = swarm->ids[i];
	}
}

static void swarm_switch(struct swarm *swarm, unsigned long cmd)
{
	if (dev_ids(fd, cmd, swarm->ids, PMCS))
		die("start or stop: %s", dev_sentence(fd));
}

static void take(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_drop *drop = (const void *)record;
	struct swarm *swarm = arg;

	for (unsigned int i = 0; i < PMCS; i++) {
		ring_count(record, &swarm->tally[i]);
		if (record->id != swarm->ids[i])
			continue;
		if (record->type == HWPMC_LOG_PROBE)
			swarm->sampled[i] = record->time;
		else if (record->type == HWPMC_LOG_DROP && drop->first < swarm->sampled[i])
			swarm->late++;
	}
}

/* Returns the calls per second while the PMCs run. */
static double speed(struct swarm *swarm)
{
	uint64_t before = swarm->calls;
	double since, took;

	swarm_switch(swarm, HWPMC_IOC_START);
	since = seconds();
	do {
		probe_call(BATCH);
		swarm->calls += BATCH;
		took = seconds() - since;
	} while (took < SLICE);
	swarm_switch(swarm, HWPMC_IOC_STOP);
	return (swarm->calls - before) / took;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/*
 * Both measurements alternate, and their medians are compared: the host may stop the machine at any
 * time.
 */
static double measure(struct swarm *sampling, struct swarm *counting, struct ring_map *map)
{
	double left[ROUNDS];

	for (int round = 0; round < ROUNDS; round++) {
		double without = speed(counting);

		left[round] = speed(sampling) / without;
		ring_drain(map, take, sampling);
	}
	qsort(left, ROUNDS, sizeof(left[0]), by_size);
	return left[ROUNDS / 2];
}

/* Returns whether the numbers of a PMC are consistent. */
static bool balances(const struct swarm *swarm, unsigned int i, uint64_t skipped,
		     struct hwpmc_sampled *s)
{
	const struct ring_tally *tally = &swarm->tally[i];
	uint64_t value = dev_value(fd, swarm->ids[i]), due = value / swarm->period[i];

	*s = dev_sampled(fd, swarm->ids[i], -1);
	return value + skipped == swarm->calls && s->taken == due &&
	       s->recorded == tally->samples && s->lost == tally->lost &&
	       s->reported == s->lost && s->throttled == tally->held &&
	       s->throttles == tally->throttled && s->taken == s->recorded + s->lost &&
	       tally->events + tally->lost_events == due * swarm->period[i] &&
	       s->events == due * swarm->period[i] && !tally->out_of_order;
}

static void check_books(struct swarm *swarm, struct ring_map *map, uint64_t skipped, bool limited)
{
	uint64_t held = 0, throttles = 0;
	unsigned int wrong = 0;
	struct hwpmc_sampled s;

	dev_flush(fd);
	ring_drain(map, take, swarm);
	skipped = probe_skipped(fd, swarm->ids[0]) - skipped;
	for (unsigned int i = 0; i < PMCS; i++) {
		if (balances(swarm, i, skipped, &s)) {
			held += s.throttled;
			throttles += s.throttles;
			continue;
		}
		wrong++;
		printf("# PMC %u: %llu events of %llu, %llu skipped; %llu due: %llu recorded, %lu read, %llu lost, %llu reported as lost, %llu throttled, %llu in the log\n",
		       i, (unsigned long long)dev_value(fd, swarm->ids[i]),
		       (unsigned long long)swarm->calls, (unsigned long long)skipped,
		       (unsigned long long)s.taken, (unsigned long long)s.recorded,
		       swarm->tally[i].samples, (unsigned long long)s.lost,
		       (unsigned long long)swarm->tally[i].lost, (unsigned long long)s.throttled,
		       (unsigned long long)swarm->tally[i].held);
	}
	check(!wrong, "of %llu events all are read or lost, for %u of %u PMCs",
	      (unsigned long long)swarm->calls, PMCS - wrong, PMCS);
	check(!swarm->late, "%u DROP records follow records of later events", swarm->late);
	check(limited ? held && throttles : !held && !throttles,
	      "%s: throttled %llu times, %llu samples are not taken",
	      limited ? "with a limit" : "without a limit", (unsigned long long)throttles,
	      (unsigned long long)held);
}

/* @percent: the share of the CPU that samples may take. */
static void run_swarm(uint64_t percent, struct ring_map *map)
{
	bool limited = percent < 100;
	struct swarm sampling, counting;
	uint32_t counter = allocate(HWPMC_MODE_TC, -1, 0);
	uint64_t skipped;
	double left;

	param_set("max_cpu_percent", percent);
	swarm_allocate(&sampling, true);
	swarm_allocate(&counting, false);
	skipped = probe_skipped(fd, counter);
	if (dev_start(fd, counter))
		die("start: %s", dev_sentence(fd));
	for (int tries = TRIES; tries; tries--) {
		left = measure(&sampling, &counting, map);
		if (left >= LEAST_LEFT)
			break;
	}
	if (dev_stop(fd, counter))
		die("stop: %s", dev_sentence(fd));
	if (limited)
		check(left >= LEAST_LEFT, "%u PMCs that sample a call leave %.0f %% of the CPU", PMCS,
		      100 * left);
	check(dev_value(fd, counter) + probe_skipped(fd, counter) - skipped ==
	      sampling.calls + counting.calls, "a PMC that counts meanwhile misses no call");
	check_books(&sampling, map, skipped, limited);
	dev_ids(fd, HWPMC_IOC_RELEASE, sampling.ids, PMCS);
	dev_ids(fd, HWPMC_IOC_RELEASE, counting.ids, PMCS);
	dev_release(fd, counter);
}

int main(void)
{
	uint64_t percent = param_get("max_cpu_percent");
	struct ring_map map;

	alarm(60 * PATIENCE);
	fd = dev_open();
	pin(0, 0);
	/* The ring has room for all records of a slice: a THROTTLE record is never lost. */
	ring_open(&map, fd, 1 << 22);
	run_swarm(25, &map);
	run_swarm(100, &map);
	param_set("max_cpu_percent", percent);
	ring_close(&map);
	return result();
}
