// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: x86_turns [N]: perf and hwpmc take the PMU in turns, N times, while both
 * CPUs are busy. Each is refused while the other holds it, each counts, and each
 * has an overflow, so that late interrupts would meet the other. The machine's
 * log is looked at for unknown NMIs when it ends. At last the NMI watchdog, which
 * was on at first, works again.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "exact.h"

#define ROUNDS		100000ULL	/* of two instructions */
#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define THRESHOLD	"/proc/sys/kernel/watchdog_thresh"
#define PATIENT		"/proc/sys/kernel/perf_cpu_time_max_percent"

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

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

/* NMIs of CPU 0. */
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
		.sample_period = ROUNDS / 2 + 1, .exclude_kernel = 1,
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

/* Whether it was as it should be. */
static bool perf_turn(int fd)
{
	int perf = perf_open();
	uint64_t value = 0;
	bool ok = perf >= 0 && hwpmc_open(fd, 0) == -EBUSY;

	run(ROUNDS);
	ok = ok && read(perf, &value, sizeof(value)) == sizeof(value) &&
	     value >= 2 * ROUNDS && value < 2 * ROUNDS + 5000;
	if (perf >= 0)
		close(perf);
	return ok;
}

static bool hwpmc_turn(int fd, uint64_t start)
{
	int64_t id = hwpmc_open(fd, start);
	uint64_t value;
	bool ok;
	int perf;

	if (id < 0 || dev_start(fd, id))
		return false;
	perf = perf_open();
	ok = perf == -EBUSY;
	if (perf >= 0)
		close(perf);
	run(ROUNDS);
	value = dev_value(fd, id) - start;
	ok = ok && value >= 2 * ROUNDS && value < 2 * ROUNDS + 5000;
	return !dev_release(fd, id) && ok;
}

/*
 * A counter that is not the PMU's keeps the module's hooks in place. Without it
 * each turn would patch the kernel's code, and two CPUs of QEMU do not stand that
 * for long (tests/qemu-pmu/README.md).
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
	uint64_t interrupts = dev_stats(fd).intr_processed;
	struct body body[2];

	for (i = 0; i < 2; i++) {
		body[i] = body_new(busy, (void *)(uintptr_t)i);
		body_tell(&body[i]);
	}
	for (i = 0; i < count; i++) {
		perf += perf_turn(fd);
		hwpmc += hwpmc_turn(fd, start);
	}
	for (i = 0; i < 2; i++)
		body_end(&body[i]);
	interrupts = dev_stats(fd).intr_processed - interrupts;
	dev_release(fd, hooked);
	check(perf == count, "perf counted alone in %u of %u turns", perf, count);
	check(hwpmc == count, "and hwpmc in as many: %u; %.1f s", hwpmc, seconds() - begun);
	check(interrupts >= count / 2, "over wraps: %llu interrupts", (unsigned long long)interrupts);
}

static void watchdog(int fd)
{
	unsigned long before;
	int64_t id;

	check(put(WATCHDOG, "1") && first_of(WATCHDOG) == '1', "the NMI watchdog is on again");
	id = hwpmc_open(fd, 0);
	check(id == -EBUSY, "and has the counters: %s", dev_sentence(fd));
	if (!put(THRESHOLD, "2"))
		die("%s: %s", THRESHOLD, strerror(errno));
	before = nmis();
	for (int i = 0; i < 100 && nmis() == before; i++)
		spin(10);
	check(nmis() > before, "and its NMI comes");
	put(THRESHOLD, "10");
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	int fd = dev_open();
	int64_t id;

	time_limit(120);
	pin(0, 0);
	check(first_of(WATCHDOG) == '1', "the NMI watchdog is on from boot");
	id = hwpmc_open(fd, 0);
	check(id == -EBUSY, "and has the counters: %s", dev_sentence(fd));
	if (!put(WATCHDOG, "0"))
		die("%s: %s", WATCHDOG, strerror(errno));
	/* On a slow host perf would hold its event still until the next tick, for taking long. */
	if (!put(PATIENT, "0"))
		die("%s: %s", PATIENT, strerror(errno));
	turns(fd, count);
	watchdog(fd);
	return result();
}
