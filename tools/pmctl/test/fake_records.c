// SPDX-License-Identifier: GPL-2.0-only
/*
 * What START writes into the rings of the fake device.
 *
 * FAKE_SAMPLES=N: N samples (100) of the process that was attached last, in FAKE_PATH (/bin/sh);
 * FAKE_SELF=N: N more of pmctl itself; FAKE_KERNEL: the first is in kernel mode. FAKE_THROTTLE:
 * the samples include a throttled span; of a probe, seven calls more are not recorded.
 *
 * FAKE_CALLS=N: N calls (8) of each probe that is sampled: the n-th reads n * n * 100 bytes in n
 * microseconds, but every fourth fails with ENOENT. FAKE_ODD_CALLS: the first has no entry, and
 * the last no return.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake_records.h"
#include "fake_rings.h"

/* The PMC whose records are written, its target, and where their number is counted. */
struct place {
	unsigned int id;
	const struct fake_pmc *pmc;
	int target;
	struct hwpmc_sampled *sampled;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void fake_records_allocate(unsigned int id, const struct fake_pmc *pmc)
{
	struct hwpmc_log_allocate allocate = {
		.h = { .type = HWPMC_LOG_ALLOCATE, .length = sizeof(allocate), .time = now(),
		       .id = id },
		.count = pmc->period,
	};

	fake_rings_put(FAKE_RINGS - 1, &allocate.h);
}

void fake_records_process(int target)
{
	const char *path = getenv("FAKE_PATH") ?: "/bin/sh";
	struct hwpmc_log_task task = {
		.h = { .type = HWPMC_LOG_PROCESS, .length = sizeof(task), .time = now() },
		.pid = target,
		.tid = target,
		.comm = "fake",
	};
	struct {
		struct hwpmc_log_map map;
		char path[256];
	} in = {
		.map = {
			.h = { .type = HWPMC_LOG_MAP_IN, .length = sizeof(in), .time = now() },
			.pid = target,
			.start = 0x400000,
			.size = 0x100000,
			.path_offset = sizeof(struct hwpmc_log_map),
		},
	};

	snprintf(in.path, sizeof(in.path), "%s", path);
	fake_rings_put(0, &task.h);
	fake_rings_put(0, &in.map.h);
}

static unsigned int number_of(const char *name, unsigned int otherwise)
{
	const char *text = getenv(name);

	return text ? (unsigned int)atoi(text) : otherwise;
}

/* Like the module, omits the period if it is that of ALLOCATE. */
static void put_samples(const struct place *to)
{
	unsigned int count = number_of("FAKE_SAMPLES", 100), own = number_of("FAKE_SELF", 0);

	for (unsigned int i = 0; i < count + own; i++) {
		int pid = i < count ? to->target : getpid();
		struct hwpmc_log_sample sample = {
			.h = { .type = HWPMC_LOG_SAMPLE, .length = sizeof(sample), .time = now(),
			       .cpu = i % FAKE_RINGS, .id = to->id, .flags = HWPMC_SAMPLE_USER },
			.pid = pid,
			.tid = pid,
			.period = 1000,
			.pc = 0x400000 + i * 16,
		};

		if (!i && getenv("FAKE_KERNEL")) {
			sample.h.flags = 0;
			sample.pc = 0xffff800010000110;
		}
		if (sample.period == to->pmc->period)
			sample.h.length = offsetof(struct hwpmc_log_sample, period);
		to->sampled->taken++;
		if (fake_rings_put(i % FAKE_RINGS, &sample.h))
			to->sampled->lost++;
		else
			to->sampled->recorded++;
	}
}

/**
 * struct call_record - what put_call() writes
 * @probe: the record
 * @args: its arguments: fd, buf, count, and words of no meaning
 * @chain: a function of the kernel, and one of the program
 * @comm: the thread's name
 * @string: what an argument points to
 */
struct call_record {
	struct hwpmc_log_probe probe;
	uint64_t args[HWPMC_PROBE_ARGS_MAX];
	uint64_t chain[2];
	char comm[16];
	char string[16];
};

/* The third call's string is cut off, and the fourth's cannot be read. */
static void put_string(struct call_record *record, unsigned int n)
{
	if (n == 4)
		return;
	record->probe.string_offset = offsetof(struct call_record, string);
	strcpy(record->string, "/etc/\033name");
	if (n == 3)
		record->probe.sample.h.flags |= HWPMC_PROBE_CUT;
}

static void put_call(const struct place *to, unsigned int n, uint64_t time)
{
	unsigned int flags = to->pmc->flags;
	struct call_record record = {
		.probe.sample = {
			.h = { .type = HWPMC_LOG_PROBE, .length = sizeof(record), .time = time,
			       .cpu = n % FAKE_RINGS, .id = to->id, .flags = HWPMC_SAMPLE_USER },
			.pid = to->target,
			.tid = to->target + (int)(n % 2),
			.period = 1,
			.pc = 0x400010,
		},
		.args = { 0xdead000000000003, 0x7ffe0000 + n, n * n * 100, 0xbad, 0xbad, 0xbad },
		.chain = { 0xffff800010000010, 0x400020 },
	};

	if (to->pmc->args) {
		record.probe.args_offset = offsetof(struct call_record, args);
		record.probe.args = (__u16)to->pmc->args;
	}
	if (flags & HWPMC_F_COMM)
		record.probe.comm_offset = offsetof(struct call_record, comm);
	strcpy(record.comm, n % 2 ? "cat" : "sh");
	if (to->pmc->string)
		put_string(&record, n);
	if (flags & (HWPMC_F_CALLCHAIN | HWPMC_F_USERCALLCHAIN))
		record.probe.sample.chain_offset = offsetof(struct call_record, chain);
	record.probe.sample.chain_kernel = flags & HWPMC_F_CALLCHAIN ? 1 : 0;
	record.probe.sample.chain_user = flags & HWPMC_F_USERCALLCHAIN ? 1 : 0;
	if (!(flags & HWPMC_F_CALLCHAIN))
		record.chain[0] = record.chain[1];
	if (to->pmc->returns) {
		record.probe.sample.h.flags |= HWPMC_PROBE_RETURN;
		record.probe.retval = n * n * 100;
		if (n % 4 == 0) {
			record.probe.retval = (uint64_t)-ENOENT;
			record.probe.sample.h.flags |= HWPMC_PROBE_ERROR;
		}
	}
	to->sampled->taken++;
	/* The ring that is read first has the newer calls. */
	if (fake_rings_put(!(n % 2) != !to->pmc->returns, &record.probe.sample.h))
		to->sampled->lost++;
	else
		to->sampled->recorded++;
}

static void put_calls(const struct place *to)
{
	unsigned int count = number_of("FAKE_CALLS", 8);
	static uint64_t first;

	/* Entries and returns have the same time base, so that they belong to the same calls. */
	first = first ? first : now();
	for (unsigned int n = 1; n <= count; n++) {
		if (getenv("FAKE_ODD_CALLS") && n == (to->pmc->returns ? count : 1))
			continue;
		put_call(to, n, first + n * 100000 + (to->pmc->returns ? n * 1000 : 0));
	}
}

/* The PMC is throttled until, 300,000 events later, its thread is scheduled out. */
static void put_throttled(const struct place *to)
{
	struct hwpmc_log_throttle change = {
		.h = { .type = HWPMC_LOG_THROTTLE, .length = sizeof(change), .time = now(),
		       .id = to->id, .flags = HWPMC_THROTTLE_ON },
		.period = 1000,
	};
	struct hwpmc_log_sample sample = {
		.h = { .type = HWPMC_LOG_SAMPLE, .length = sizeof(sample), .time = now(),
		       .id = to->id, .flags = HWPMC_SAMPLE_LATE | HWPMC_SAMPLE_CUT },
		.pid = to->target,
		.tid = to->target,
		.period = 300000,
	};

	fake_rings_put(0, &change.h);
	fake_rings_put(0, &sample.h);
	change.h.flags = 0;
	fake_rings_put(0, &change.h);
	to->sampled->taken++;
	to->sampled->recorded++;
	to->sampled->throttles++;
}

/* A probe is throttled, and seven calls are not recorded. */
static void put_held(const struct place *to)
{
	const struct hwpmc_log_throttle change = {
		.h = { .type = HWPMC_LOG_THROTTLE, .length = sizeof(change), .time = now(),
		       .id = to->id, .flags = HWPMC_THROTTLE_ON },
		.period = 1,
	};
	const struct hwpmc_log_drop drop = {
		.h = { .type = HWPMC_LOG_DROP, .length = sizeof(drop), .time = now(),
		       .id = to->id },
		.lost = 7,
		.events = 7,
		.throttled = 7,
	};

	fake_rings_put(0, &change.h);
	fake_rings_put(0, &drop.h);
	to->sampled->taken += drop.lost;
	to->sampled->lost += drop.lost;
	to->sampled->reported += drop.lost;
	to->sampled->throttled += drop.lost;
	to->sampled->throttles++;
}

static void put_value(const struct place *to, unsigned int type, uint64_t value)
{
	struct hwpmc_log_value record = {
		.h = { .type = (__u16)type, .length = sizeof(record), .time = now(), .id = to->id },
		.pid = to->target,
		.tid = to->target,
		.value = value,
	};

	fake_rings_put(1, &record.h);
}

/* The ring that is read first has the second switch. */
static void put_switches(const struct place *to)
{
	struct hwpmc_log_value record = {
		.h = { .type = HWPMC_LOG_SWITCH, .length = sizeof(record), .time = now() + 1000,
		       .id = to->id },
		.pid = to->target,
		.tid = to->target,
		.value = 2222222,
	};

	fake_rings_put(0, &record.h);
	record.h.time -= 1000;
	record.value = 1234567;
	fake_rings_put(1, &record.h);
}

bool fake_records_samples(const struct fake_pmc *pmc)
{
	return pmc->mode == HWPMC_MODE_SS || pmc->mode == HWPMC_MODE_TS;
}

void fake_records_start(unsigned int id, const struct fake_pmc *pmc, int target,
			struct hwpmc_sampled *sampled)
{
	const struct place to = { .id = id, .pmc = pmc, .target = target, .sampled = sampled };
	bool samples = fake_records_samples(pmc);

	if (samples && !pmc->event)
		put_calls(&to);
	else if (samples)
		put_samples(&to);
	if (samples && getenv("FAKE_THROTTLE"))
		(pmc->event ? put_throttled : put_held)(&to);
	if (pmc->flags & HWPMC_F_LOG_PROCCSW)
		put_switches(&to);
	if (pmc->flags & HWPMC_F_LOG_PROCEXIT)
		put_value(&to, HWPMC_LOG_VALUE, 7654321);
}

void fake_records_drop(struct hwpmc_sampled *sampled)
{
	struct hwpmc_log_drop drop = {
		.h = { .type = HWPMC_LOG_DROP, .length = sizeof(drop), .time = now(), .id = 1 },
		.lost = sampled->lost - sampled->reported,
	};

	if (drop.lost && !fake_rings_put(0, &drop.h))
		sampled->reported = sampled->lost;
}
