// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: "x86_exact [DIVISOR]": user instructions of a task and of a CPU are exact on fixed and
 * on programmable counters, also over wraps. Needs the emulated PMU, -icount and one CPU: only
 * the few instructions of the calls are counted in addition to the loop's.
 */
#include <fcntl.h>

#include "exact.h"

#define MARGIN		2000

#define DEBUGCTL	0x1d9		/* IA32_DEBUGCTL */
#define FREEZE		(1ULL << 12)	/* counters freeze when one of them interrupts */

struct way {
	const char *name;
	uint32_t class_id;
	uint64_t event;
	uint32_t width;		/* 0: the machine does not have the class */
};

static struct way ways[] = {
	{ .name = "IAF", .class_id = HWPMC_CLASS_IAF, .event = 0 },
	{ .name = "IAP", .class_id = HWPMC_CLASS_IAP, .event = 0xc0 },
	{ .name = "AMD", .class_id = HWPMC_CLASS_AMD, .event = 0xc0 },
};

static void find_widths(int fd)
{
	struct hwpmc_class_info list[8];
	struct hwpmc_cpu_info info = {
		.classes = ARRAY_SIZE(list), .class_list = (uintptr_t)list,
		.class_size = sizeof(list[0]),
	};

	if (dev_call(fd, HWPMC_IOC_CPU_INFO, &info, sizeof(info)))
		die("cpu info: %s", dev_sentence(fd));
	for (unsigned int i = 0; i < info.classes; i++)
		for (unsigned int j = 0; j < ARRAY_SIZE(ways); j++)
			if (list[i].class_id == ways[j].class_id)
				ways[j].width = list[i].width;
}

/* Counts 10,000,000 instructions from @start. Returns the number of events beyond these. */
static uint64_t beside(int fd, const struct way *way, uint32_t mode, int cpu, uint64_t start)
{
	int64_t id = dev_allocate(fd, way->class_id, mode, cpu, way->event, HWPMC_CAP_USER, 0);
	uint64_t value;

	if (id < 0)
		die("%s: %s", way->name, dev_sentence(fd));
	if (start && dev_write(fd, id, start))
		die("write: %s", dev_sentence(fd));
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	spin(1);
	dev_stop(fd, id);
	value = dev_value(fd, id) - start;
	dev_release(fd, id);
	return value - SPIN_UNIT;
}

static void wraps(int fd, const struct way *way)
{
	const uint64_t top = 1ULL << way->width;
	const unsigned int times = scaled(100);
	uint64_t worst = 0, before = dev_stats(fd).intr_processed;

	for (unsigned int i = 0; i < times; i++) {
		uint64_t off = beside(fd, way, HWPMC_MODE_TC, -1,
				      top - 1 - (i < times / 2 ? i : i * (SPIN_UNIT / times)));

		if (off > worst)
			worst = off;
	}
	check(worst < MARGIN, "%s: %u wraps at different places are exact: at most %llu off", way->name, times,
	      (unsigned long long)worst);
	check(dev_stats(fd).intr_processed - before >= times, "%s: each wrap interrupts", way->name);
}

/* Writes IA32_DEBUGCTL, as a debugger or another module may do. */
static void set_debugctl(uint64_t value)
{
	int msrs = open("/dev/cpu/0/msr", O_WRONLY | O_CLOEXEC);

	if (msrs < 0 || pwrite(msrs, &value, sizeof(value), DEBUGCTL) != sizeof(value))
		die("IA32_DEBUGCTL cannot be written");
	close(msrs);
}

static void freezes(int fd, const struct way *way)
{
	uint64_t off;

	set_debugctl(FREEZE);
	off = beside(fd, way, HWPMC_MODE_TC, -1, (1ULL << way->width) - SPIN_UNIT / 2);
	set_debugctl(0);
	check(off < MARGIN, "%s: a wrap that freezes the counters is exact: %lld off", way->name,
	      (long long)off);
}

int main(int argc, char **argv)
{
	int fd = dev_open();
	unsigned int found = 0;

	scale_down(argc, argv);
	find_widths(fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++) {
		uint64_t task, cpu, ignored = dev_stats(fd).intr_ignored;

		if (!ways[i].width)
			continue;
		found++;
		task = beside(fd, &ways[i], HWPMC_MODE_TC, -1, 0);
		cpu = beside(fd, &ways[i], HWPMC_MODE_SC, 0, 0);
		check(task < MARGIN, "%s: a task's count is exact: %llu off", ways[i].name,
		      (unsigned long long)task);
		check(cpu < MARGIN, "%s: a CPU's count is exact: %llu off", ways[i].name, (unsigned long long)cpu);
		wraps(fd, &ways[i]);
		if (ways[i].class_id != HWPMC_CLASS_AMD)
			freezes(fd, &ways[i]);
		check(dev_stats(fd).intr_ignored == ignored, "%s: no interrupt is spurious",
		      ways[i].name);
	}
	check(found, "the machine has a PMU");
	return result();
}
