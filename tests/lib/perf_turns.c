// SPDX-License-Identifier: GPL-2.0-only
/* Turns of perf and the module; see perf_turns.h. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "exact.h"
#include "perf_turns.h"

static void busy(void *arg)
{
	pin(0, (uintptr_t)arg);
	for (;;)
		storm(STORM_PROCESSES, 1, 10000);
}

int perf_open(int cpu, uint64_t period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = EV_INSTRUCTIONS,
		.sample_period = period, .sample_type = PERF_SAMPLE_IP, .exclude_kernel = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1,
			 PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

uint64_t perf_read(int perf, uint64_t *running)
{
	uint64_t values[2] = { 0 };

	if (read(perf, values, sizeof(values)) != sizeof(values))
		die("read from perf: %s", strerror(errno));
	if (running)
		*running = values[1];
	return values[0];
}

/* Counts the samples in perf's ring, which has room for all of them. */
static unsigned int perf_samples(const struct perf_event_mmap_page *ring)
{
	const char *data = (const char *)ring + ring->data_offset;
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), at;
	const struct perf_event_header *record;
	unsigned int count = 0;

	for (at = 0; at < head; at += record->size) {
		record = (const void *)(data + at);
		count += record->type == PERF_RECORD_SAMPLE;
	}
	return count;
}

bool turn_near(uint64_t value)
{
	return value >= 2 * ROUNDS && value < 2 * ROUNDS + 5000;
}

int64_t hwpmc_open(int fd, uint64_t start)
{
	struct hwpmc_allocate a = {
		.class_id = dev_class(), .mode = HWPMC_MODE_TC, .cpu = -1,
		.caps = HWPMC_CAP_USER, .event = EV_INSTRUCTIONS, .count = start,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	return err ? err : (int64_t)a.id;
}

bool perf_holds(int fd)
{
	struct hwpmc_cpu_info info = {};

	return !dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info)) &&
	       strstr(info.problem, PERF_HOLDS);
}

bool perf_turn(int fd, bool (*enough)(uint64_t value, unsigned int samples))
{
	size_t size = 2 * sysconf(_SC_PAGESIZE);
	int perf = perf_open(-1, PERIOD);
	void *ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, perf, 0);
	bool ok = ring != MAP_FAILED && perf_holds(fd) && hwpmc_open(fd, 0) == -EBUSY &&
		  strstr(dev_sentence(fd), PERF_HOLDS);
	unsigned int samples;
	uint64_t value;

	if (!ok) {
		printf("# perf: %s; the module: %s\n", strerror(perf < 0 ? -perf : 0),
		       dev_sentence(fd));
		goto out;
	}
	run(ROUNDS);
	value = perf_read(perf, NULL);
	samples = perf_samples(ring);
	ok = turn_near(value) && enough(value, samples);
	if (!ok)
		printf("# perf counted %llu, with %u samples\n", (unsigned long long)value,
		       samples);
out:
	if (ring != MAP_FAILED)
		munmap(ring, size);
	if (perf >= 0)
		close(perf);
	return ok;
}

bool hwpmc_turn(int fd, uint64_t start)
{
	bool ok = !perf_holds(fd);
	int64_t id = hwpmc_open(fd, start);
	uint64_t value;
	int perf;

	if (id < 0 || dev_start(fd, id))
		return false;
	perf = perf_open(-1, PERIOD);
	ok = ok && !perf_holds(fd) && perf == -EBUSY;
	if (perf >= 0)
		close(perf);
	run(ROUNDS);
	value = dev_value(fd, id) - start;
	return !dev_release(fd, id) && turn_near(value) && ok;
}

void perf_turns(int fd, unsigned int count, uint64_t start,
		bool (*enough)(uint64_t value, unsigned int samples))
{
	unsigned int i, perf = 0, hwpmc = 0;
	struct hwpmc_stats before = dev_stats(fd), after;
	double begun = seconds();
	struct worker worker[2];

	for (i = 0; i < 2; i++) {
		worker[i] = worker_start(busy, (void *)(uintptr_t)i);
		worker_begin(&worker[i]);
	}
	for (i = 0; i < count; i++) {
		perf += perf_turn(fd, enough);
		hwpmc += hwpmc_turn(fd, start);
	}
	for (i = 0; i < 2; i++)
		worker_end(&worker[i]);
	after = dev_stats(fd);
	check(perf == count, "perf counts alone, and samples, in %u of %u turns", perf, count);
	check(hwpmc == count, "the module counts alone in %u of %u turns; %.1f s in all", hwpmc,
	      count, seconds() - begun);
	check(after.intr_processed - before.intr_processed >= count,
	      "the module's counter wraps in each turn: %llu interrupts, %llu found no overflow",
	      (unsigned long long)(after.intr_processed - before.intr_processed),
	      (unsigned long long)(after.intr_ignored - before.intr_ignored));
	check(after.pmu_claims - before.pmu_claims == count &&
	      after.pmu_refusals - before.pmu_refusals == count,
	      "STATS counts the turns: the PMU was claimed %llu times, refused %llu times",
	      (unsigned long long)(after.pmu_claims - before.pmu_claims),
	      (unsigned long long)(after.pmu_refusals - before.pmu_refusals));
}

uint32_t keep_hooked(int fd)
{
	int64_t id = dev_allocate(fd, HWPMC_CLASS_TSC, HWPMC_MODE_TC, -1, 0, 0, 0);

	if (id < 0 || dev_start(fd, id))
		die("the time-stamp counter: %s", dev_sentence(fd));
	return id;
}
