// SPDX-License-Identifier: GPL-2.0-only
/*
 * As abi_nomem, for calls that only report: with each failure they return an error, or everything.
 */
#include "fail.h"
#include "fail_call.h"
#include "test_class.h"

static int fd;
static uint32_t id;

static struct hwpmc_version version;

static int version_call(void)
{
	version = (struct hwpmc_version){ .size = sizeof(version) };
	return fail_ioctl(fd, HWPMC_IOC_VERSION, &version);
}

static bool version_done(int err)
{
	return err || (version.abi == HWPMC_ABI(HWPMC_ABI_MAJOR, HWPMC_ABI_MINOR) &&
		       version.release[0]);
}

static struct hwpmc_cpu_info machine;
static struct hwpmc_class_info classes[16];

static int cpu_info_call(void)
{
	memset(classes, 0, sizeof(classes));
	machine = (struct hwpmc_cpu_info) {
		.size = sizeof(machine), .classes = ARRAY_SIZE(classes),
		.class_list = (uintptr_t)classes, .class_size = sizeof(classes[0]),
	};
	return fail_ioctl(fd, HWPMC_IOC_CPU_INFO, &machine);
}

static bool cpu_info_done(int err)
{
	unsigned int i, rows = 0;

	for (i = 0; i < ARRAY_SIZE(classes); i++)
		rows += classes[i].rows;
	return err || (machine.rows == test_class.all && rows == machine.rows &&
		       classes[machine.classes - 1].name[0]);
}

static struct hwpmc_pmc_info info;
static struct hwpmc_row_info rows[128];

static int pmc_info_call(void)
{
	memset(rows, 0, sizeof(rows));
	info = (struct hwpmc_pmc_info) {
		.size = sizeof(info), .rows = ARRAY_SIZE(rows), .row_list = (uintptr_t)rows,
		.row_size = sizeof(rows[0]),
	};
	return fail_ioctl(fd, HWPMC_IOC_PMC_INFO, &info);
}

static bool pmc_info_done(int err)
{
	return err || (info.rows == test_class.all && rows[info.rows - 1].name[0]);
}

static struct hwpmc_stats stats;

static int stats_call(void)
{
	stats = (struct hwpmc_stats){ .size = sizeof(stats) };
	return fail_ioctl(fd, HWPMC_IOC_STATS, &stats);
}

static bool stats_done(int err)
{
	return err || (stats.calls && stats.owners && stats.pmcs == fail_others);
}

static void one(void)
{
	id = class_pmc(fd, 0);
}

static struct hwpmc_caps caps;

static int caps_call(void)
{
	caps = (struct hwpmc_caps){ .size = sizeof(caps), .id = id };
	return fail_ioctl(fd, HWPMC_IOC_CAPS, &caps);
}

static bool caps_done(int err)
{
	bool ok = err || (caps.class_id == test_class.class_id && caps.width);

	return !dev_release(fd, id) && ok;
}

static void a_sampler(void)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_SOFT, .mode = HWPMC_MODE_TS, .cpu = -1,
		.event = HWPMC_SOFT_CLOCK, .count = 1000000000,
	};

	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)))
		die("a sampler: %s", dev_sentence(fd));
	id = a.id;
}

static struct hwpmc_sampled sampled;

static int sampled_call(void)
{
	sampled = (struct hwpmc_sampled) {
		.size = sizeof(sampled), .id = id, .cpu = -1, .taken = UINT64_MAX,
	};
	return fail_ioctl(fd, HWPMC_IOC_SAMPLED, &sampled);
}

static bool sampled_done(int err)
{
	bool ok = err || !sampled.taken;

	return !dev_release(fd, id) && ok;
}

static struct hwpmc_events events;
static char names[4096];

static int events_call(const char *pattern)
{
	memset(names, 0, sizeof(names));
	events = (struct hwpmc_events) {
		.size = sizeof(events), .pattern = (uintptr_t)pattern,
		.pattern_length = strlen(pattern), .names = (uintptr_t)names,
		.names_size = sizeof(names),
	};
	return fail_ioctl(fd, HWPMC_IOC_EVENTS, &events);
}

/* Whether there are @least names or more, each of which begins with @prefix. */
static bool named(const char *prefix, uint32_t least)
{
	unsigned int i, found = 0;

	for (i = 0; i < sizeof(names) - 1; i++)
		found += (!i || !names[i - 1]) && !strncmp(names + i, prefix, strlen(prefix));
	return events.count >= least && found == events.count;
}

static int syscalls_call(void)
{
	return events_call("syscall:read:*");
}

static bool syscalls_done(int err)
{
	return err || named("syscall:read:", 1);
}

static int tracepoints_call(void)
{
	return events_call("tracepoint:sched_*");
}

static bool tracepoints_done(int err)
{
	return err || named("tracepoint:sched_", 6);
}

/* The lowest free descriptor: the call uses it if and only if it succeeds. */
static int lowest_fd(void)
{
	int free = dup(fd);

	close(free);
	return free;
}

static struct hwpmc_map_fd mapped;
static int free_before;

static void map_fd_before(void)
{
	free_before = lowest_fd();
}

static int map_fd_call(void)
{
	mapped = (struct hwpmc_map_fd) {
		.size = sizeof(mapped), .pid = getpid(), .address = (uintptr_t)map_fd_call,
	};
	return fail_ioctl(fd, HWPMC_IOC_MAP_FD, &mapped);
}

static bool map_fd_done(int err)
{
	if (!err)
		return mapped.fd == free_before && !close(mapped.fd);
	return lowest_fd() == free_before;
}

static const struct fail_call calls[] = {
	{ "VERSION", HWPMC_IOC_VERSION, false, NULL, version_call, version_done },
	{ "CPU_INFO", HWPMC_IOC_CPU_INFO, false, NULL, cpu_info_call, cpu_info_done },
	{ "PMC_INFO", HWPMC_IOC_PMC_INFO, false, NULL, pmc_info_call, pmc_info_done },
	{ "STATS", HWPMC_IOC_STATS, false, NULL, stats_call, stats_done },
	{ "CAPS", HWPMC_IOC_CAPS, false, one, caps_call, caps_done },
	{ "SAMPLED", HWPMC_IOC_SAMPLED, false, a_sampler, sampled_call, sampled_done },
	{ "EVENTS, system calls", HWPMC_IOC_EVENTS, false, NULL, syscalls_call, syscalls_done },
	{ "EVENTS, tracepoints", HWPMC_IOC_EVENTS, false, NULL, tracepoints_call,
	  tracepoints_done },
	{ "MAP_FD", HWPMC_IOC_MAP_FD, false, map_fd_before, map_fd_call, map_fd_done },
};

int main(void)
{
	fd = class_open(120);
	if (fail_open())
		fail_calls(fd, calls, ARRAY_SIZE(calls));
	return result();
}
