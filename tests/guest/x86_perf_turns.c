// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: "x86_perf_turns [N]": perf and hwpmc use the PMU alternately, N times, while both CPUs are
 * busy. Each is refused while the other holds the PMU, each counts, and each handles its own
 * overflow interrupts, none of which arrives in a turn of the other. The runner checks the log of
 * the machine for unknown NMIs. At the end the NMI watchdog, which was on at boot, works again; the
 * debug kernel has none.
 */
#define _GNU_SOURCE
#include <fcntl.h>

#include "exact.h"
#include "file.h"
#include "perf_turns.h"

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define THRESHOLD	"/proc/sys/kernel/watchdog_thresh"
#define MAX_PERCENT	"/proc/sys/kernel/perf_cpu_time_max_percent"

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

static bool all_of_them(uint64_t value, unsigned int samples)
{
	(void)value;
	return samples >= 2 * ROUNDS / PERIOD;
}

static void watchdog(int fd)
{
	unsigned long before;
	int64_t id;

	check(file_write(WATCHDOG, "1") && first_of(WATCHDOG) == '1',
	      "the NMI watchdog can be enabled again");
	id = hwpmc_open(fd, 0);
	check(id == -EBUSY, "hwpmc is refused while the watchdog is enabled: %s", dev_sentence(fd));
	if (!file_write(THRESHOLD, "2"))
		die("%s: %s", THRESHOLD, strerror(errno));
	before = nmis();
	for (int i = 0; i < 100 && nmis() == before; i++)
		spin(10);
	check(nmis() > before, "the NMI watchdog's NMI is delivered");
	file_write(THRESHOLD, "10");
	check(file_write(WATCHDOG, "0"), "the watchdog can be disabled, for the programs that run after this one");
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
	check(id == -EBUSY, "hwpmc is refused while the watchdog is on from boot: %s", dev_sentence(fd));
	if (!file_write(WATCHDOG, "0"))
		die("%s: %s", WATCHDOG, strerror(errno));
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	bool watched = has_watchdog();
	int fd = dev_open();
	uint32_t hooked;

	time_limit(watched ? 120 : 1200);
	pin(0, 0);
	if (watched)
		watchdog_from_boot(fd);
	else
		skip("turns with the NMI watchdog: this kernel has none");
	/* On a slow host perf would throttle its event until the next tick. */
	if (!file_write(MAX_PERCENT, "0"))
		die("%s: %s", MAX_PERCENT, strerror(errno));
	hooked = keep_hooked(fd);
	perf_turns(fd, count, (1ULL << 48) - ROUNDS, all_of_them);
	dev_release(fd, hooked);
	if (watched)
		watchdog(fd);
	return result();
}
