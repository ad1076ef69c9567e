// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: "x86_perf_turns [N]": perf and hwpmc use the PMU alternately, N times, while both CPUs
 * are busy. Each is refused while the other holds the PMU, each counts, and each gets its own
 * overflow interrupts, none of which arrives late at the other. The runner checks the machine's log
 * for unknown NMIs. At the end the NMI watchdog, which was on at boot, works again; the debug
 * kernel has none.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "exact.h"
#include "file.h"

#define ROUNDS		100000ULL	/* of two instructions */
#define PERIOD		(ROUNDS / 2 + 1)
#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define THRESHOLD	"/proc/sys/kernel/watchdog_thresh"
#define PATIENT		"/proc/sys/kernel/perf_cpu_time_max_percent"

static char first_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char c = 0;

	if (fd < 0 || read(fd, &c, 1) != 1)
		c = 0;
	if (fd >= 0)
		close(fd);
	return c;
}

/* Number of NMIs of CPU 0. */
static unsigned long nmis(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	unsigned long count = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " NMI: %lu", &count) == 1)
			break;
	if (f)
		fclose(f);
	return count;
}

static void busy(void *arg)
{
	pin(0, (uintptr_t)arg);
	for (;;)
		storm(STORM_PROCESSES, 1, 10000);
}

static int perf_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = EV_INSTRUCTIONS,
		.sample_period = PERIOD, .sample_type = PERF_SAMPLE_IP, .exclude_kernel = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int64_t hwpmc_open(int fd, uint64_t start)
{
	struct hwpmc_allocate a = {
		.class_id = dev_class(), .mode = HWPMC_MODE_TC, .cpu = -1,
		.caps = HWPMC_CAP_USER, .event = EV_INSTRUCTIONS, .count = start,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	return err ? err : (int64_t)a.id;
}

/* Number of samples in perf's ring, which has room for all of them. */
static unsigned int samples(const struct perf_event_mmap_page *ring)
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

/* Whether CPU_INFO returns that perf holds the counters. */
static bool perf_holds(int fd)
{
	struct hwpmc_cpu_info info = {};

	return !dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info)) &&
	       strstr(info.problem, "perf holds");
}

/* Returns whether perf had the PMU alone. */
static bool perf_turn(int fd)
{
	size_t size = 2 * sysconf(_SC_PAGESIZE);
	int perf = perf_open();
	void *ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, perf, 0);
	bool ok = ring != MAP_FAILED && perf_holds(fd) && hwpmc_open(fd, 0) == -EBUSY;
	uint64_t value = 0;

	run(ROUNDS);
	ok = ok && read(perf, &value, sizeof(value)) == sizeof(value) &&
	     value >= 2 * ROUNDS && value < 2 * ROUNDS + 5000 &&
	     samples(ring) >= 2 * ROUNDS / PERIOD;
	if (ring != MAP_FAILED)
		munmap(ring, size);
	if (perf >= 0)
		close(perf);
	return ok;
}

static bool hwpmc_turn(int fd, uint64_t start)
{
	bool ok = !perf_holds(fd);
	int64_t id = hwpmc_open(fd, start);
	uint64_t value;
	int perf;

	if (id < 0 || dev_start(fd, id))
		return false;
	perf = perf_open();
	ok = ok && !perf_holds(fd) && perf == -EBUSY;
	if (perf >= 0)
		close(perf);
	run(ROUNDS);
	value = dev_value(fd, id) - start;
	ok = ok && value >= 2 * ROUNDS && value < 2 * ROUNDS + 5000;
	return !dev_release(fd, id) && ok;
}

/*
 * A PMC that needs no PMU keeps the module's hooks registered. Without it each turn would patch the
 * kernel's code, which crashes two CPUs of QEMU after a while (tests/qemu-pmu/README.md).
 */
static uint32_t keep_hooked(int fd)
{
	int64_t id = dev_allocate(fd, HWPMC_CLASS_TSC, HWPMC_MODE_TC, -1, 0, 0, 0);

	if (id < 0 || dev_start(fd, id))
		die("the time-stamp counter: %s", dev_sentence(fd));
	return id;
}

static void turns(int fd, unsigned int count)
{
	const uint64_t start = (1ULL << 48) - ROUNDS;
	unsigned int i, perf = 0, hwpmc = 0;
	uint32_t hooked = keep_hooked(fd);
	double begun = seconds();
	struct hwpmc_stats before = dev_stats(fd), after;
	struct worker worker[2];

	for (i = 0; i < 2; i++) {
		worker[i] = worker_start(busy, (void *)(uintptr_t)i);
		worker_begin(&worker[i]);
	}
	for (i = 0; i < count; i++) {
		perf += perf_turn(fd);
		hwpmc += hwpmc_turn(fd, start);
	}
	for (i = 0; i < 2; i++)
		worker_end(&worker[i]);
	after = dev_stats(fd);
	dev_release(fd, hooked);
	check(perf == count, "perf counts alone, and samples, in %u of %u turns", perf, count);
	check(hwpmc == count, "hwpmc counts alone in as many turns: %u; %.1f s", hwpmc, seconds() - begun);
	check(after.intr_processed - before.intr_processed >= count,
	      "hwpmc's wraps interrupt: %llu interrupts, and %llu spurious ones",
	      (unsigned long long)(after.intr_processed - before.intr_processed),
	      (unsigned long long)(after.intr_ignored - before.intr_ignored));
	check(after.pmu_claims - before.pmu_claims == count &&
	      after.pmu_refusals - before.pmu_refusals == count,
	      "STATS has the turns: claimed %llu times, refused %llu times",
	      (unsigned long long)(after.pmu_claims - before.pmu_claims),
	      (unsigned long long)(after.pmu_refusals - before.pmu_refusals));
}

static void watchdog(int fd)
{
	unsigned long before;
	int64_t id;

	check(file_write(WATCHDOG, "1") && first_of(WATCHDOG) == '1',
	      "the NMI watchdog can be enabled again");
	id = hwpmc_open(fd, 0);
	check(id == -EBUSY, "hwpmc is refused while it is enabled again: %s", dev_sentence(fd));
	if (!file_write(THRESHOLD, "2"))
		die("%s: %s", THRESHOLD, strerror(errno));
	before = nmis();
	for (int i = 0; i < 100 && nmis() == before; i++)
		spin(10);
	check(nmis() > before, "the NMI watchdog's NMI is delivered");
	file_write(THRESHOLD, "10");
	check(file_write(WATCHDOG, "0"), "it can be disabled, for the programs behind this one");
}

/* A kernel without a hard lockup detector refuses to set the watchdog. */
static bool has_watchdog(void)
{
	int fd = open(WATCHDOG, O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void watchdog_from_boot(int fd)
{
	int64_t id;

	check(first_of(WATCHDOG) == '1', "the NMI watchdog is on from boot");
	id = hwpmc_open(fd, 0);
	check(id == -EBUSY, "hwpmc is refused beside the watchdog from boot: %s", dev_sentence(fd));
	if (!file_write(WATCHDOG, "0"))
		die("%s: %s", WATCHDOG, strerror(errno));
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	bool watched = has_watchdog();
	int fd = dev_open();

	time_limit(watched ? 120 : 1200);
	pin(0, 0);
	if (watched)
		watchdog_from_boot(fd);
	else
		skip("turns with the NMI watchdog: this kernel has none");
	/* On a slow host perf would throttle its event until the next tick. */
	if (!file_write(PATIENT, "0"))
		die("%s: %s", PATIENT, strerror(errno));
	turns(fd, count);
	if (watched)
		watchdog(fd);
	return result();
}
