// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled probes leave most of a CPU to its programs: a program that makes a system call all the
 * time, with eight PMCs on it that sample, makes at least LEAST_LEFT of the calls that it makes
 * while as many PMCs only count them. Events that are not recorded while a PMC is throttled are
 * counted: the records read and the losses reported add up to the events. A counting PMC is never
 * throttled, and without a limit no PMC is.
 */
#include <sys/syscall.h>

#include "cpu.h"
#include "median.h"
#include "param.h"
#include "probe.h"
#include "ring.h"
#include "test.h"

#define PMCS		8
#define ROUNDS		5
#define TRIES		4
#define SLICE		0.05	/* seconds */
#define LEAST_LEFT	0.60
#define BATCH		50	/* calls between two reads of the clock */

static int fd;

/* A probe, and a condition that selects calls as events of the PMCs; without it, all calls are. */
struct event {
	const char *name;
	struct hwpmc_filter condition;
};

static const struct event call_entry = { .name = "syscall:getpriority:entry" };
/* Unlike those of call_entry, its events are filtered, and call hwpmc_fire_irqs_off(). */
static const struct event trace_entry = {
	.name = "tracepoint:sys_enter",
	.condition = {
		.field = HWPMC_FILTER_ARG, .op = HWPMC_FILTER_EQ, .arg = 1, .bytes = 4,
		.value = SYS_getpriority,
	},
};

/* PMCs of the probe: half of them count CPU 0, the others this thread, alternately. */
struct pmc_set {
	uint32_t ids[PMCS];
	uint64_t period[PMCS];
	struct ring_tally tally[PMCS];
	uint64_t sampled[PMCS];	/* time of the last PROBE record */
	unsigned int late;	/* DROP records of losses older than a previous PROBE record */
	uint64_t calls;		/* calls while the PMCs ran */
};

static uint32_t allocate(const struct event *event, uint32_t mode, int cpu, uint64_t count)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = mode, .cpu = cpu, .count = count,
		.name = (uintptr_t)event->name, .name_length = strlen(event->name),
	};

	if (event->condition.bytes) {
		a.filters = 1;
		a.filter_list = (uintptr_t)&event->condition;
		a.filter_size = sizeof(event->condition);
	}
	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("allocate: %s", dev_sentence(fd));
	return a.id;
}

static void pmc_set_allocate(struct pmc_set *set, const struct event *event, bool samples)
{
	memset(set, 0, sizeof(*set));
	for (unsigned int i = 0; i < PMCS; i++) {
		bool cpu = i % 2;

		/* Half of them sample every second event. */
		set->period[i] = samples ? 1 + i / (PMCS / 2) : 0;
		set->ids[i] = allocate(event, samples ? (cpu ? HWPMC_MODE_SS : HWPMC_MODE_TS) :
							(cpu ? HWPMC_MODE_SC : HWPMC_MODE_TC),
				       cpu ? 0 : -1, set->period[i]);
		set->tally[i].id = set->ids[i];
	}
}

static void pmc_set_switch(struct pmc_set *set, unsigned long cmd)
{
	if (dev_ids(fd, cmd, set->ids, PMCS))
		die("start or stop: %s", dev_sentence(fd));
}

static void take(const struct hwpmc_log_header *record, void *arg)
{
	const struct hwpmc_log_drop *drop = (const void *)record;
	struct pmc_set *set = arg;

	for (unsigned int i = 0; i < PMCS; i++) {
		ring_count(record, &set->tally[i]);
		if (record->id != set->ids[i])
			continue;
		if (record->type == HWPMC_LOG_PROBE)
			set->sampled[i] = record->time;
		else if (record->type == HWPMC_LOG_DROP && drop->first < set->sampled[i])
			set->late++;
	}
}

/* Returns the calls per second while the PMCs run. */
static double speed(struct pmc_set *set)
{
	uint64_t before = set->calls;
	double since, took;

	pmc_set_switch(set, HWPMC_IOC_START);
	since = seconds();
	do {
		probe_call(BATCH);
		set->calls += BATCH;
		took = seconds() - since;
	} while (took < SLICE);
	pmc_set_switch(set, HWPMC_IOC_STOP);
	return (set->calls - before) / took;
}

/*
 * Both measurements alternate, and their medians are compared: the host may stop the machine at any
 * time.
 */
static double measure(struct pmc_set *sampling, struct pmc_set *counting, struct ring_map *map)
{
	double left[ROUNDS];

	for (int round = 0; round < ROUNDS; round++) {
		double without = speed(counting);

		left[round] = speed(sampling) / without;
		ring_drain(map, take, sampling);
	}
	return median(left, ROUNDS);
}

/* Returns whether the numbers of a PMC are consistent. */
static bool balances(const struct pmc_set *set, unsigned int i, uint64_t skipped,
		     struct hwpmc_sampled *s)
{
	const struct ring_tally *tally = &set->tally[i];
	uint64_t value = dev_value(fd, set->ids[i]), due = value / set->period[i];

	*s = dev_sampled(fd, set->ids[i], -1);
	return value + skipped == set->calls && s->taken == due &&
	       s->recorded == tally->samples && s->lost == tally->lost &&
	       s->reported == s->lost && s->throttled == tally->lost_throttled &&
	       s->throttles == tally->throttled && s->taken == s->recorded + s->lost &&
	       tally->events + tally->lost_events == due * set->period[i] &&
	       s->events == due * set->period[i] && !tally->out_of_order;
}

static void check_books(struct pmc_set *set, const char *name, struct ring_map *map,
			uint64_t skipped, bool limited)
{
	uint64_t throttled = 0, throttles = 0;
	unsigned int wrong = 0;
	struct hwpmc_sampled s;

	dev_flush(fd);
	ring_drain(map, take, set);
	skipped = probe_skipped(fd, set->ids[0]) - skipped;
	for (unsigned int i = 0; i < PMCS; i++) {
		if (balances(set, i, skipped, &s)) {
			throttled += s.throttled;
			throttles += s.throttles;
			continue;
		}
		wrong++;
		printf("# PMC %u: %llu events of %llu, %llu skipped; %llu due: %llu recorded, %lu read, %llu lost, %llu reported as lost, %llu throttled, %llu in the log\n",
		       i, (unsigned long long)dev_value(fd, set->ids[i]),
		       (unsigned long long)set->calls, (unsigned long long)skipped,
		       (unsigned long long)s.taken, (unsigned long long)s.recorded,
		       set->tally[i].samples, (unsigned long long)s.lost,
		       (unsigned long long)set->tally[i].lost, (unsigned long long)s.throttled,
		       (unsigned long long)set->tally[i].lost_throttled);
	}
	check(!wrong, "%s: of %llu events all are read or lost, for %u of %u PMCs", name,
	      (unsigned long long)set->calls, PMCS - wrong, PMCS);
	check(!set->late, "%s: %u DROP records follow records of later events", name, set->late);
	check(limited ? throttled && throttles : !throttled && !throttles,
	      "%s, %s: throttled %llu times, %llu samples are not taken", name,
	      limited ? "with a limit" : "without a limit", (unsigned long long)throttles,
	      (unsigned long long)throttled);
}

/* @percent: the share of the CPU that samples may take. */
static void run_set(const struct event *event, uint64_t percent, struct ring_map *map)
{
	bool limited = percent < 100;
	struct pmc_set sampling, counting;
	uint32_t counter = allocate(event, HWPMC_MODE_TC, -1, 0);
	uint64_t skipped;
	double left;

	param_set("max_cpu_percent", percent);
	pmc_set_allocate(&sampling, event, true);
	pmc_set_allocate(&counting, event, false);
	skipped = probe_skipped(fd, counter);
	if (dev_start(fd, counter))
		die("start: %s", dev_sentence(fd));
	for (int tries = TRIES; tries; tries--) {
		left = measure(&sampling, &counting, map);
		if (!limited || left >= LEAST_LEFT)
			break;
	}
	if (dev_stop(fd, counter))
		die("stop: %s", dev_sentence(fd));
	if (limited)
		check(left >= LEAST_LEFT, "%s: %u PMCs that sample a call leave %.0f %% of the CPU",
		      event->name, PMCS, 100 * left);
	check(dev_value(fd, counter) + probe_skipped(fd, counter) - skipped ==
	      sampling.calls + counting.calls, "%s: a PMC that counts meanwhile misses no call",
	      event->name);
	check_books(&sampling, event->name, map, skipped, limited);
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
	run_set(&call_entry, 25, &map);
	run_set(&call_entry, 100, &map);
	run_set(&trace_entry, 25, &map);
	param_set("max_cpu_percent", percent);
	ring_close(&map);
	return result();
}
