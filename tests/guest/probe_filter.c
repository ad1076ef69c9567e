// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conditions on events of probes are checked before an event is counted or sampled: on an argument,
 * a result, the process, the thread, its name and its cgroup; an event must meet all of them. One
 * case counts page faults that write. Invalid conditions are refused.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "cpu.h"
#include "probe.h"
#include "ring.h"
#include "test.h"

#define ENTRY	"syscall:getpriority:entry"
#define RETURN	"syscall:getpriority:return"
#define COMM	"filtered"
#define HIGH	0xdeadbeef00000000UL

#define ARG(n, size, op_, value_) \
	{ .field = HWPMC_FILTER_ARG, .op = HWPMC_FILTER_##op_, .arg = (n), .bytes = (size), \
	  .value = (value_) }
#define RETVAL(op_, value_) \
	{ .field = HWPMC_FILTER_RETVAL, .op = HWPMC_FILTER_##op_, .bytes = 8, .value = (value_) }
#define NUMBER(kind, op_, value_) \
	{ .field = HWPMC_FILTER_##kind, .op = HWPMC_FILTER_##op_, .bytes = 4, .value = (value_) }
#define NAMED(op_, name) \
	{ .field = HWPMC_FILTER_COMM, .op = HWPMC_FILTER_##op_, .comm = name }

#define CGROUP(op_, id) \
	{ .field = HWPMC_FILTER_CGROUP, .op = HWPMC_FILTER_##op_, .value = (id) }

#define TOP	"/tmp/cgroup"

static int fd;

static int64_t allocate(const char *name, uint32_t mode, int cpu, const struct hwpmc_filter *list,
			unsigned int count)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = mode, .cpu = cpu, .name = (uintptr_t)name,
		.name_length = strlen(name), .filters = count, .filter_list = (uintptr_t)list,
		.filter_size = sizeof(*list),
	};
	int err;

	if (mode == HWPMC_MODE_TS)
		a.count = 1;
	err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));
	return err ? err : (int64_t)a.id;
}

static uint32_t filtered(const char *name, uint32_t mode, int cpu, const struct hwpmc_filter *list,
			 unsigned int count)
{
	int64_t id = allocate(name, mode, cpu, list, count);

	if (id < 0)
		die("filter: %s: %s", strerror(-id), dev_sentence(fd));
	return id;
}

/*
 * getpriority(i with upper bits, i - 4) for i from 0 to 7, each @times. All calls fail: with EINVAL
 * if i > 2, otherwise with ESRCH.
 */
static void call_often(unsigned int times)
{
	for (unsigned int i = 0; i < 8 * times; i++)
		syscall(SYS_getpriority, HIGH | i % 8, (long)i % 8 - 4);
}

static const struct {
	const char *what;
	const char *name;
	struct hwpmc_filter list[3];
	unsigned int count;
	unsigned int want;	/* expected count of 80 calls, ten of each argument */
} cases[] = {
	{ "arg1 == 7", ENTRY, { ARG(0, 4, EQ, 7) }, 1, 10 },
	{ "arg1 == 7, the upper bits are ignored", ENTRY, { ARG(0, 4, EQ, 7 + HIGH * 2) }, 1, 10 },
	{ "arg1 == 7 in 64 bits", ENTRY, { ARG(0, 8, EQ, 7) }, 1, 0 },
	{ "arg1 != 7", ENTRY, { ARG(0, 1, NE, 7) }, 1, 70 },
	{ "arg1 < 3", ENTRY, { ARG(0, 2, LT, 3) }, 1, 30 },
	{ "arg1 & 4", ENTRY, { ARG(0, 4, BITS, 4) }, 1, 40 },
	{ "arg2 < 0, signed", ENTRY, { ARG(1, 4, LT, 0) }, 1, 40 },
	{ "arg2 > -2, signed", ENTRY, { ARG(1, 8, GT, -2UL) }, 1, 50 },
	{ "arg2 > 3, unsigned", ENTRY, { ARG(1, 4, ABOVE, 3) }, 1, 40 },
	{ "arg2 < 3, unsigned", ENTRY, { ARG(1, 4, BELOW, 3) }, 1, 30 },
	{ "arg1 > 1 and arg2 < 0", ENTRY, { ARG(0, 4, GT, 1), ARG(1, 4, LT, 0) }, 2, 20 },
	{ "an argument that the call does not have is 0", ENTRY, { ARG(9, 8, EQ, 0) }, 1, 80 },
	{ "retval == -EINVAL", RETURN, { RETVAL(EQ, -(uint64_t)EINVAL) }, 1, 50 },
	{ "retval < 0 and arg1 == 3", RETURN, { RETVAL(LT, 0), ARG(0, 4, EQ, 3) }, 2, 10 },
	{ "comm == " COMM, ENTRY, { NAMED(EQ, COMM) }, 1, 80 },
	{ "comm != " COMM, ENTRY, { NAMED(NE, COMM) }, 1, 0 },
	{ "comm == filter", ENTRY, { NAMED(EQ, "filter") }, 1, 0 },
	{ "pid == 0", ENTRY, { NUMBER(PID, EQ, 0) }, 1, 0 },
	{ "a function's argument, which is in memory", "kprobe:" PROBE_FUNCTION,
	  { ARG(0, 8, NE, 0) }, 1, 80 },
	{ "a timer's argument", "profile:hz:100", { ARG(0, 8, NE, 0) }, 1, 0 },
};

static void counts(void)
{
	uint32_t ids[ARRAY_SIZE(cases)];
	uint64_t values[ARRAY_SIZE(cases)];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ids[i] = filtered(cases[i].name, HWPMC_MODE_TC, -1, cases[i].list, cases[i].count);
	if (dev_ids(fd, HWPMC_IOC_START, ids, ARRAY_SIZE(ids)))
		die("start: %s", dev_sentence(fd));
	call_often(10);
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, ARRAY_SIZE(ids)) ||
	    dev_read(fd, ids, ARRAY_SIZE(ids), values))
		die("stop: %s", dev_sentence(fd));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(values[i] == cases[i].want, "%s: %llu of %u", cases[i].what,
		      (unsigned long long)values[i], cases[i].want);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, ARRAY_SIZE(ids));
}

static void *other_thread(void *unused)
{
	(void)unused;
	call_often(10);
	return NULL;
}

/* Counts on all CPUs the calls of this process, of this thread, and of others. */
static void tasks(void)
{
	const struct hwpmc_filter by_pid = NUMBER(PID, EQ, getpid());
	const struct hwpmc_filter by_tid = NUMBER(TID, EQ, (uint64_t)syscall(SYS_gettid));
	const struct hwpmc_filter other = NUMBER(PID, NE, getpid());
	const struct hwpmc_filter *const filters[] = { &by_pid, &by_tid, &other };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t ids[3 * cpus];
	uint64_t values[3 * cpus], sums[3] = { 0 };
	pthread_t thread;
	pid_t child;

	for (long i = 0; i < 3 * cpus; i++)
		ids[i] = filtered(ENTRY, HWPMC_MODE_SC, i / 3, filters[i % 3], 1);
	if (dev_ids(fd, HWPMC_IOC_START, ids, 3 * cpus))
		die("start: %s", dev_sentence(fd));
	call_often(1);
	if (pthread_create(&thread, NULL, other_thread, NULL))
		die("pthread_create");
	pthread_join(thread, NULL);
	child = fork();
	if (!child) {
		call_often(2);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, 3 * cpus) || dev_read(fd, ids, 3 * cpus, values))
		die("stop: %s", dev_sentence(fd));
	for (long i = 0; i < 3 * cpus; i++)
		sums[i % 3] += values[i];
	check(sums[0] == 88 && sums[1] == 8 && sums[2] == 16,
	      "calls of this process, this thread and others: %llu, %llu, %llu",
	      (unsigned long long)sums[0], (unsigned long long)sums[1],
	      (unsigned long long)sums[2]);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 3 * cpus);
}

/* Creates a cgroup and returns its id. */
static uint64_t cgroup_new(const char *path)
{
	struct stat st;

	if (mkdir(path, 0755) || stat(path, &st))
		die("%s: %s", path, strerror(errno));
	return st.st_ino;
}

static void enter(const char *path)
{
	char procs[64];
	FILE *file;

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	file = fopen(procs, "we");
	if (!file || fputs("0", file) < 0 || fclose(file))
		die("%s: %s", procs, strerror(errno));
}

/*
 * This task makes calls in the root cgroup and in three others, one of which is a child of another.
 * Each filter counts the calls in one cgroup and its descendants, or those outside of it.
 */
static void cgroups(void)
{
	struct hwpmc_filter filters[5];
	uint64_t values[ARRAY_SIZE(filters)];
	uint32_t ids[ARRAY_SIZE(filters)];
	uint64_t upper, lower, other;

	if (mkdir(TOP, 0755) || mount("none", TOP, "cgroup2", 0, NULL))
		die("cgroups: %s", strerror(errno));
	upper = cgroup_new(TOP "/upper");
	lower = cgroup_new(TOP "/upper/lower");
	other = cgroup_new(TOP "/other");
	filters[0] = (struct hwpmc_filter)CGROUP(EQ, upper);
	filters[1] = (struct hwpmc_filter)CGROUP(EQ, lower);
	filters[2] = (struct hwpmc_filter)CGROUP(EQ, other);
	filters[3] = (struct hwpmc_filter)CGROUP(NE, upper);
	filters[4] = (struct hwpmc_filter)CGROUP(EQ, 1);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = filtered(ENTRY, HWPMC_MODE_TC, -1, &filters[i], 1);
	if (dev_ids(fd, HWPMC_IOC_START, ids, ARRAY_SIZE(ids)))
		die("start: %s", dev_sentence(fd));
	call_often(1);
	enter(TOP "/upper");
	call_often(2);
	enter(TOP "/upper/lower");
	call_often(3);
	enter(TOP "/other");
	call_often(4);
	enter(TOP);
	if (dev_ids(fd, HWPMC_IOC_STOP, ids, ARRAY_SIZE(ids)) ||
	    dev_read(fd, ids, ARRAY_SIZE(ids), values))
		die("stop: %s", dev_sentence(fd));
	check(values[0] == 40 && values[1] == 24 && values[2] == 32 && values[3] == 40 &&
	      values[4] == 80,
	      "calls in a cgroup, in its child, in another, outside of the first, and in any: %llu, %llu, %llu, %llu, %llu",
	      (unsigned long long)values[0], (unsigned long long)values[1],
	      (unsigned long long)values[2], (unsigned long long)values[3],
	      (unsigned long long)values[4]);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, ARRAY_SIZE(ids));
	if (rmdir(TOP "/upper/lower") || rmdir(TOP "/upper") || rmdir(TOP "/other") ||
	    umount(TOP) || rmdir(TOP))
		die("cgroups: %s", strerror(errno));
}

static void touch(const volatile char *memory, size_t pages, bool write)
{
	for (size_t i = 0; i < pages; i++)
		if (write)
			((volatile char *)memory)[i * 4096] = 1;
		else
			(void)memory[i * 4096];
}

/*
 * Page faults that write, and all page faults: the third argument of the kernel's function
 * distinguishes them.
 */
static void faults(void)
{
	const struct hwpmc_filter writes = ARG(2, 4, BITS, 1);
	const uint32_t ids[] = {
		filtered("kprobe:handle_mm_fault", HWPMC_MODE_TC, -1, &writes, 1),
		filtered("kprobe:handle_mm_fault", HWPMC_MODE_TC, -1, NULL, 0),
	};
	const size_t pages = 200;
	uint64_t before[2], between[2], after[2];
	char *memory = small_pages(pages * 4096);

	if (dev_ids(fd, HWPMC_IOC_START, ids, 2) || dev_read(fd, ids, 2, before))
		die("start: %s", dev_sentence(fd));
	touch(memory, pages, false);
	if (dev_read(fd, ids, 2, between))
		die("read: %s", dev_sentence(fd));
	touch(memory, pages, true);
	if (dev_read(fd, ids, 2, after))
		die("read: %s", dev_sentence(fd));
	check(between[1] - before[1] >= pages && between[0] - before[0] <= pages / 20,
	      "faults of %zu pages that are read: %llu, that write: %llu", pages,
	      (unsigned long long)(between[1] - before[1]),
	      (unsigned long long)(between[0] - before[0]));
	check(after[0] - between[0] >= pages && after[0] - between[0] <= pages + pages / 20,
	      "faults of %zu pages that are written: %llu write", pages,
	      (unsigned long long)(after[0] - between[0]));
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
	munmap(memory, pages * 4096);
}

static void look(const struct hwpmc_log_header *record, void *arg)
{
	*(unsigned long *)arg += record->type == HWPMC_LOG_PROBE;
}

/* An event that is not counted makes no record. */
static void records(void)
{
	const struct hwpmc_filter filter = ARG(0, 4, EQ, 5);
	struct ring_map map;
	unsigned long seen = 0;
	uint32_t id;

	ring_open(&map, fd, 65536);
	id = filtered(ENTRY, HWPMC_MODE_TS, -1, &filter, 1);
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	call_often(10);
	if (dev_stop(fd, id))
		die("stop: %s", dev_sentence(fd));
	ring_drain(&map, look, &seen);
	check(seen == 10, "%lu records of 80 calls, 10 of which meet the condition", seen);
	dev_release(fd, id);
}

static void refuses(const char *what, const struct hwpmc_filter *list, unsigned int count,
		    uint32_t size, int error)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_TC, .cpu = -1,
		.name = (uintptr_t)ENTRY, .name_length = strlen(ENTRY), .filters = count,
		.filter_list = (uintptr_t)list, .filter_size = size,
	};
	int err = dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a));

	check(err == -error && strcmp(dev_sentence(fd), NO_SENTENCE), "%s is refused (%s): %s", what,
	      strerror(error), err ? dev_sentence(fd) : "it is accepted");
	if (!err)
		dev_release(fd, a.id);
}

#define REFUSES(what, ...) \
	refuses(what, &(struct hwpmc_filter)__VA_ARGS__, 1, sizeof(struct hwpmc_filter), EINVAL)

static void refused(void)
{
	struct {
		struct hwpmc_filter known;
		uint64_t unknown;
	} longer[2] = { { .known = ARG(0, 4, EQ, 0) }, { .known = ARG(0, 4, EQ, 0) } };
	struct hwpmc_filter many[HWPMC_FILTERS_MAX + 1] = { ARG(0, 4, EQ, 0) };
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_SOFT, .mode = HWPMC_MODE_TC, .cpu = -1, .filters = 1,
		.filter_list = (uintptr_t)many, .filter_size = sizeof(many[0]),
	};

	REFUSES("no kind", { .field = 0, .bytes = 8 });
	REFUSES("an unknown kind", { .field = 7, .bytes = 8 });
	REFUSES("an unknown comparison", { .field = HWPMC_FILTER_ARG, .op = 7, .bytes = 8 });
	REFUSES("an eleventh argument", { .field = HWPMC_FILTER_ARG, .arg = 10, .bytes = 8 });
	REFUSES("a result with an index", { .field = HWPMC_FILTER_RETVAL, .arg = 1, .bytes = 8 });
	REFUSES("no bytes", { .field = HWPMC_FILTER_ARG });
	REFUSES("three bytes", { .field = HWPMC_FILTER_ARG, .bytes = 3 });
	REFUSES("an argument with a name", { .field = HWPMC_FILTER_ARG, .bytes = 8, .comm = "x" });
	REFUSES("a name that is compared by LT", { .field = HWPMC_FILTER_COMM, .op = HWPMC_FILTER_LT });
	REFUSES("a name with bytes", { .field = HWPMC_FILTER_COMM, .bytes = 8 });
	REFUSES("a cgroup that is compared by LT", CGROUP(LT, 1));
	REFUSES("a cgroup without an id", CGROUP(EQ, 0));
	REFUSES("a cgroup with bytes", { .field = HWPMC_FILTER_CGROUP, .value = 1, .bytes = 8 });
	REFUSES("a cgroup with a name", { .field = HWPMC_FILTER_CGROUP, .value = 1, .comm = "x" });
	refuses("a cgroup that does not exist", &(struct hwpmc_filter)CGROUP(EQ, 1ULL << 40), 1,
		sizeof(struct hwpmc_filter), ENOENT);
	REFUSES("a name with no NUL", { .field = HWPMC_FILTER_COMM, .comm = "0123456789abcde\1" });
	refuses("nine filters", many, HWPMC_FILTERS_MAX + 1, sizeof(many[0]), EINVAL);
	refuses("four billion filters", many, UINT32_MAX, sizeof(many[0]), EINVAL);
	refuses("an entry of no size", many, 1, 0, EINVAL);
	refuses("an entry of an odd size", many, 1, 41, EINVAL);
	refuses("an entry that is too long", many, 1, 8192, EINVAL);
	refuses("a list at address NULL", NULL, 1, sizeof(many[0]), EFAULT);
	refuses("a list at an invalid address", (void *)-4096UL, 1, sizeof(many[0]), EFAULT);
	longer[1].unknown = 1;
	refuses("an unknown field that is set", &longer[0].known, 2, sizeof(longer[0]), E2BIG);
	check(dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)) == -EINVAL,
	      "filters of a PMC of another class are refused");
	longer[1].unknown = 0;
	a = (struct hwpmc_allocate){
		.class_id = HWPMC_CLASS_PROBE, .mode = HWPMC_MODE_TC, .cpu = -1,
		.name = (uintptr_t)ENTRY, .name_length = strlen(ENTRY), .filters = 2,
		.filter_list = (uintptr_t)longer, .filter_size = sizeof(longer[0]),
	};
	check(!dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)), "longer entries are accepted");
	dev_release(fd, a.id);
}

int main(void)
{
	alarm(60 * PATIENCE);
	prctl(PR_SET_NAME, COMM);
	fd = dev_open();
	refused();
	counts();
	tasks();
	cgroups();
	faults();
	records();
	return result();
}
